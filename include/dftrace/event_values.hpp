/*
 * Values of events in C++11: from keys and values of any type to an array of struct dftrace_value.
 * event_values.h is the same for C. Programs use dftrace.h.
 *
 * Texts may be pointers to characters, or objects with data() and size(), such as std::string and
 * std::string_view. So this file includes none of their headers.
 */
#ifndef DFTRACE_EVENT_VALUES_HPP
#define DFTRACE_EVENT_VALUES_HPP

#include <dftrace/events.h>

#include <type_traits>

namespace dftrace
{
namespace detail
{

template <class T> using plain = typename std::decay<T>::type;
template <bool condition> using only_if = typename std::enable_if<condition>::type;

inline dftrace_value make_value(uint32_t type, uint32_t size)
{
    return dftrace_value{nullptr, type, size, {0}};
}

/* There is no value of a type that has no specialization. */
template <class T, class = void> struct converter;

template <> struct converter<bool> {
    static dftrace_value of(bool x)
    {
        dftrace_value value = make_value(DFTRACE_TYPE_BOOL, 0);
        value.as.number = x;
        return value;
    }
};

template <class T>
struct converter<T, only_if<std::is_integral<T>::value && std::is_signed<T>::value>> {
    static dftrace_value of(T x)
    {
        dftrace_value value = make_value(DFTRACE_TYPE_INT, 0);
        value.as.number = static_cast<int64_t>(x);
        return value;
    }
};

template <class T>
struct converter<T, only_if<std::is_integral<T>::value && std::is_unsigned<T>::value &&
                            !std::is_same<T, bool>::value>> {
    static dftrace_value of(T x)
    {
        dftrace_value value = make_value(DFTRACE_TYPE_UINT, 0);
        value.as.bits = static_cast<uint64_t>(x);
        return value;
    }
};

template <class T> struct converter<T, only_if<std::is_floating_point<T>::value>> {
    static dftrace_value of(T x)
    {
        dftrace_value value = make_value(DFTRACE_TYPE_DOUBLE, 0);
        value.as.real = static_cast<double>(x);
        return value;
    }
};

template <class T> struct converter<T, only_if<std::is_enum<T>::value>> {
    static dftrace_value of(T x)
    {
        using number = typename std::underlying_type<T>::type;
        return converter<number>::of(static_cast<number>(x));
    }
};

template <> struct converter<const char *> {
    static dftrace_value of(const char *x)
    {
        dftrace_value value = make_value(DFTRACE_TYPE_TEXT, DFTRACE_TERMINATED);
        value.as.text = x;
        return value;
    }
};

template <> struct converter<char *> : converter<const char *> {
};

template <> struct converter<std::nullptr_t> {
    static dftrace_value of(std::nullptr_t)
    {
        return make_value(DFTRACE_TYPE_NULL, 0);
    }
};

template <class T>
struct converter<T *, only_if<!std::is_same<T, char>::value &&
                              !std::is_same<T, const char>::value && !std::is_function<T>::value>> {
    static dftrace_value of(T *x)
    {
        dftrace_value value = make_value(DFTRACE_TYPE_POINTER, 0);
        value.as.address = const_cast<const void *>(static_cast<const volatile void *>(x));
        return value;
    }
};

/* A text may be as long as the runtime can cut it. */
inline uint32_t text_size(uint64_t size)
{
    return static_cast<uint32_t>(size < DFTRACE_TERMINATED - 1 ? size : DFTRACE_TERMINATED - 1);
}

template <class T> struct has_text {
    template <class U>
    static auto test(const U *x)
        -> std::is_convertible<decltype(x->data() + x->size()), const char *>;
    template <class U> static std::false_type test(...);
    static constexpr bool value = decltype(test<T>(nullptr))::value;
};

template <class T> struct converter<T, only_if<has_text<T>::value>> {
    static dftrace_value of(const T &x)
    {
        dftrace_value value = make_value(DFTRACE_TYPE_TEXT, text_size(x.size()));
        value.as.text = x.data();
        return value;
    }
};

template <> struct converter<dftrace_value> {
    static dftrace_value of(const dftrace_value &x)
    {
        return x;
    }
};

inline const char *key_of(const char *key)
{
    return key;
}

template <class T> auto key_of(const T &key) -> decltype(key.c_str())
{
    return key.c_str();
}

inline void fill(dftrace_value *) {}

template <class Key, class T, class... More>
void fill(dftrace_value *values, const Key &key, const T &x, const More &...more)
{
    *values = converter<plain<T>>::of(x);
    values->key = key_of(key);
    fill(values + 1, more...);
}

inline void fill_list(dftrace_value *) {}

template <class T, class... More>
void fill_list(dftrace_value *values, const T &x, const More &...more)
{
    *values = converter<plain<T>>::of(x);
    fill_list(values + 1, more...);
}

/* An array with the values of `count` pairs or items. */
template <uint32_t count> struct values {
    dftrace_value items[count ? count : 1];
};

template <uint32_t count> struct list_of : values<count> {
};

template <uint32_t count> struct map_of : values<count> {
};

template <uint32_t count> struct converter<list_of<count>> {
    static dftrace_value of(const list_of<count> &x)
    {
        dftrace_value value = make_value(DFTRACE_TYPE_LIST, count);
        value.as.values = x.items;
        return value;
    }
};

template <uint32_t count> struct converter<map_of<count>> {
    static dftrace_value of(const map_of<count> &x)
    {
        dftrace_value value = make_value(DFTRACE_TYPE_MAP, count);
        value.as.values = x.items;
        return value;
    }
};

/* Calls a function with an event and with the keys and values behind a name. */
template <class Result, class Name, class... Pairs>
Result call(Result (*function)(dftrace_event *, const dftrace_value *, uint32_t),
            dftrace_event *event, const Name &, const Pairs &...pairs)
{
    static_assert(sizeof...(Pairs) % 2 == 0, "each key needs a value");
    values<sizeof...(Pairs) / 2> all;
    fill(all.items, pairs...);
    return function(event, all.items, sizeof...(Pairs) / 2);
}

template <class Name, class... Pairs>
void call_on(void (*function)(uint32_t, dftrace_event *, const dftrace_value *, uint32_t),
             uint32_t track, dftrace_event *event, const Name &, const Pairs &...pairs)
{
    static_assert(sizeof...(Pairs) % 2 == 0, "each key needs a value");
    values<sizeof...(Pairs) / 2> all;
    fill(all.items, pairs...);
    function(track, event, all.items, sizeof...(Pairs) / 2);
}

template <class T> dftrace_value value_of(const char *key, const T &x)
{
    dftrace_value value = converter<plain<T>>::of(x);
    value.key = key;
    return value;
}

/* The static event, if name and category are literals; otherwise one that is looked up. */
template <bool is_static> struct choice {
    static dftrace_event *of(dftrace_event *event, const char *, const char *, const char *)
    {
        return event;
    }
};

template <> struct choice<false> {
    static dftrace_event *of(dftrace_event *, const char *name, const char *category,
                             const char *unit)
    {
        return dftrace_impl_find(name, category, unit);
    }
};

struct block_scope {
    dftrace_event *event;
    uint64_t token;

    ~block_scope()
    {
        if (token)
            __dftrace_region_exit(event, token);
    }
};

} // namespace detail

/*
 * Lists and maps of values, nested as one likes. They refer to their arguments, so use them as
 * arguments only: dftrace_instant("shape", "size", dftrace::list(2, 3)).
 */
template <class... Items> detail::list_of<sizeof...(Items)> list(const Items &...items)
{
    detail::list_of<sizeof...(Items)> all;
    detail::fill_list(all.items, items...);
    return all;
}

template <class... Pairs> detail::map_of<sizeof...(Pairs) / 2> map(const Pairs &...pairs)
{
    static_assert(sizeof...(Pairs) % 2 == 0, "each key needs a value");
    detail::map_of<sizeof...(Pairs) / 2> all;
    detail::fill(all.items, pairs...);
    return all;
}

} // namespace dftrace

#define DFTRACE_IMPL_CHOOSE(event, category, unit, name)                                           \
    dftrace::detail::choice<DFTRACE_IMPL_IS_STATIC(name, category)>::of(&(event), name, category,  \
                                                                        unit)
#define DFTRACE_IMPL_SCOPE_TYPE dftrace::detail::block_scope
#define DFTRACE_IMPL_CALL(function, event, ...) dftrace::detail::call(function, event, __VA_ARGS__)
#define DFTRACE_IMPL_CALL_ON(function, track, event, ...)                                          \
    dftrace::detail::call_on(function, track, event, __VA_ARGS__)
#define DFTRACE_IMPL_VALUE(key, x) dftrace::detail::value_of(key, x)
#define DFTRACE_LIST(...) dftrace::list(__VA_ARGS__)
#define DFTRACE_MAP(...) dftrace::map(__VA_ARGS__)

static inline dftrace_value dftrace_impl_values(uint32_t type, const dftrace_value *values,
                                                uint32_t count)
{
    dftrace_value value = dftrace::detail::make_value(type, count);
    value.as.values = values;
    return value;
}

#endif
