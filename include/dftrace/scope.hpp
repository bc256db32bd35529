/*
 * Regions as C++ objects, for names that are not literals and for regions that end before their
 * block does. Included by dftrace.h.
 */
#ifndef DFTRACE_SCOPE_HPP
#define DFTRACE_SCOPE_HPP

#include <dftrace/event_macros.h>

namespace dftrace
{
namespace detail
{

/* A text with a NUL at its end. One that has none is copied, and cut as the runtime cuts names. */
class terminated
{
  public:
    terminated(const char *text) : text_(text) {}

    template <class T, class = only_if<has_text<T>::value>> terminated(const T &text) : text_(copy_)
    {
        uint64_t size = text.size() < sizeof copy_ ? text.size() : sizeof copy_ - 1;

        if (size)
            __builtin_memcpy(copy_, text.data(), size);
        copy_[size] = '\0';
    }

    terminated(const terminated &) = delete;
    terminated &operator=(const terminated &) = delete;

    const char *get() const
    {
        return text_;
    }

  private:
    const char *text_;
    char copy_[1024];
};

} // namespace detail

/*
 * A region that ends with the object. Its name may be any text, followed by keys and values. Must be
 * destroyed by the thread that made it.
 */
class scope
{
  public:
    template <class... Pairs>
    explicit scope(const detail::terminated &name, const Pairs &...pairs)
        : scope(dftrace_impl_find(name.get(), DFTRACE_IMPL_NONE, DFTRACE_IMPL_NONE))
    {
        add(pairs...);
    }

    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

    ~scope()
    {
        end();
    }

    /* Adds values while the region is open. */
    template <class... Pairs> void add(const Pairs &...pairs)
    {
        static_assert(sizeof...(Pairs) % 2 == 0, "each key needs a value");
        detail::values<sizeof...(Pairs) / 2> all;

        if (!token_ || sizeof...(Pairs) == 0)
            return;
        detail::fill(all.items, pairs...);
        __dftrace_region_values(event_, token_, all.items, sizeof...(Pairs) / 2);
    }

    /* Ends the region now. */
    void end()
    {
        if (token_)
            __dftrace_region_exit(event_, token_);
        token_ = 0;
    }

  protected:
    explicit scope(dftrace_event *event)
        : event_(event), token_(event->site.on ? dftrace_impl_enter(event) : 0)
    {
    }

  private:
    dftrace_event *event_;
    uint64_t token_;
};

/* The same with a category. */
class scope_in : public scope
{
  public:
    template <class... Pairs>
    scope_in(const char *category, const detail::terminated &name, const Pairs &...pairs)
        : scope(dftrace_impl_find(name.get(), category, DFTRACE_IMPL_NONE))
    {
        add(pairs...);
    }
};

/* A region on a track, which ends with the object. Any thread may destroy it. */
class scope_on
{
  public:
    template <class... Pairs>
    scope_on(uint32_t track, const detail::terminated &name, const Pairs &...pairs) : track_(track)
    {
        dftrace_event *event = dftrace_impl_find(name.get(), DFTRACE_IMPL_NONE, DFTRACE_IMPL_NONE);

        if (DFTRACE_IMPL_IS_WANTED(event))
            detail::call_on(dftrace_impl_begin_on, track, event, name, pairs...);
    }

    scope_on(const scope_on &) = delete;
    scope_on &operator=(const scope_on &) = delete;

    ~scope_on()
    {
        if (__dftrace_track_end)
            __dftrace_track_end(track_);
    }

  private:
    uint32_t track_;
};

} // namespace dftrace

#endif
