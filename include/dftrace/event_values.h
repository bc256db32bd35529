/*
 * Values of events in C: from keys and values to an array of struct dftrace_value, in a compound
 * literal. event_values.hpp is the same for C++. Programs use dftrace.h.
 */
#ifndef DFTRACE_EVENT_VALUES_H
#define DFTRACE_EVENT_VALUES_H

#include <dftrace/events.h>

static inline struct dftrace_value dftrace_impl_int(const char *key, int64_t number)
{
    struct dftrace_value value = {key, DFTRACE_TYPE_INT, 0, {number}};

    return value;
}

static inline struct dftrace_value dftrace_impl_uint(const char *key, uint64_t bits)
{
    struct dftrace_value value = {key, DFTRACE_TYPE_UINT, 0, {0}};

    value.as.bits = bits;
    return value;
}

static inline struct dftrace_value dftrace_impl_bool(const char *key, int number)
{
    struct dftrace_value value = {key, DFTRACE_TYPE_BOOL, 0, {number}};

    return value;
}

static inline struct dftrace_value dftrace_impl_double(const char *key, double real)
{
    struct dftrace_value value = {key, DFTRACE_TYPE_DOUBLE, 0, {0}};

    value.as.real = real;
    return value;
}

static inline struct dftrace_value dftrace_impl_long_double(const char *key, long double real)
{
    return dftrace_impl_double(key, (double)real);
}

static inline struct dftrace_value dftrace_impl_text(const char *key, const char *text)
{
    struct dftrace_value value = {key, DFTRACE_TYPE_TEXT, DFTRACE_TERMINATED, {0}};

    value.as.text = text;
    return value;
}

static inline struct dftrace_value dftrace_impl_pointer(const char *key,
                                                        const volatile void *address)
{
    struct dftrace_value value = {key, DFTRACE_TYPE_POINTER, 0, {0}};

    value.as.bits = (uint64_t)(uintptr_t)address;
    return value;
}

static inline struct dftrace_value dftrace_impl_nested(const char *key, struct dftrace_value value)
{
    value.key = key;
    return value;
}

static inline struct dftrace_value
dftrace_impl_values(uint32_t type, const struct dftrace_value *values, uint32_t count)
{
    struct dftrace_value value = {0, type, count, {0}};

    value.as.values = values;
    return value;
}

/* One value of any type. What has none of the types in this table must be a pointer. */
#define DFTRACE_IMPL_VALUE(key, x)                                                                 \
    __extension__ _Generic((x), \
        _Bool: dftrace_impl_bool, \
        char: dftrace_impl_int, signed char: dftrace_impl_int, short: dftrace_impl_int, \
        int: dftrace_impl_int, long: dftrace_impl_int, long long: dftrace_impl_int, \
        unsigned char: dftrace_impl_uint, unsigned short: dftrace_impl_uint, \
        unsigned: dftrace_impl_uint, unsigned long: dftrace_impl_uint, \
        unsigned long long: dftrace_impl_uint, \
        float: dftrace_impl_double, double: dftrace_impl_double, \
        long double: dftrace_impl_long_double, \
        char *: dftrace_impl_text, const char *: dftrace_impl_text, \
        struct dftrace_value: dftrace_impl_nested, \
        default: dftrace_impl_pointer)((key), (x))

/* The static event, if name and category are literals; otherwise one that is looked up. */
#define DFTRACE_IMPL_CHOOSE(event, category, unit, name)                                           \
    __builtin_choose_expr(DFTRACE_IMPL_IS_STATIC(name, category), &(event),                        \
                          dftrace_impl_find(name, category, unit))

#define DFTRACE_IMPL_SCOPE_TYPE                                                                    \
    struct dftrace_impl_scope __attribute__((cleanup(dftrace_impl_leave), unused))

/* Calls a function with an event, and with the keys and values behind a name. */
#define DFTRACE_IMPL_CALL(function, event, ...)                                                    \
    function(event, DFTRACE_IMPL_BEHIND_NAME(__VA_ARGS__))
#define DFTRACE_IMPL_CALL_ON(function, track, event, ...)                                          \
    function(track, event, DFTRACE_IMPL_BEHIND_NAME(__VA_ARGS__))
#define DFTRACE_IMPL_BEHIND_NAME(...)                                                              \
    DFTRACE_IMPL_JOIN(DFTRACE_IMPL_VALUES_, DFTRACE_IMPL_COUNT(__VA_ARGS__))(__VA_ARGS__, )

#define DFTRACE_IMPL_ARRAY(...) ((const struct dftrace_value[]){__VA_ARGS__})

/* An array of the values behind a name, and its length. */
#define DFTRACE_IMPL_VALUES_1(name, end) 0, 0
#define DFTRACE_IMPL_VALUES_3(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_1(__VA_ARGS__)), 1
#define DFTRACE_IMPL_VALUES_5(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_2(__VA_ARGS__)), 2
#define DFTRACE_IMPL_VALUES_7(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_3(__VA_ARGS__)), 3
#define DFTRACE_IMPL_VALUES_9(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_4(__VA_ARGS__)), 4
#define DFTRACE_IMPL_VALUES_11(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_5(__VA_ARGS__)), 5
#define DFTRACE_IMPL_VALUES_13(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_6(__VA_ARGS__)), 6
#define DFTRACE_IMPL_VALUES_15(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_7(__VA_ARGS__)), 7
#define DFTRACE_IMPL_VALUES_17(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_8(__VA_ARGS__)), 8
#define DFTRACE_IMPL_VALUES_19(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_9(__VA_ARGS__)), 9
#define DFTRACE_IMPL_VALUES_21(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_10(__VA_ARGS__)), 10
#define DFTRACE_IMPL_VALUES_23(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_11(__VA_ARGS__)), 11
#define DFTRACE_IMPL_VALUES_25(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_12(__VA_ARGS__)), 12
#define DFTRACE_IMPL_VALUES_27(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_13(__VA_ARGS__)), 13
#define DFTRACE_IMPL_VALUES_29(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_14(__VA_ARGS__)), 14
#define DFTRACE_IMPL_VALUES_31(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_15(__VA_ARGS__)), 15
#define DFTRACE_IMPL_VALUES_33(name, ...) DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_PAIRS_16(__VA_ARGS__)), 16

#define DFTRACE_IMPL_PAIRS_1(key, x, ...) DFTRACE_IMPL_VALUE(key, x)
#define DFTRACE_IMPL_PAIRS_2(key, x, ...)                                                          \
    DFTRACE_IMPL_VALUE(key, x), DFTRACE_IMPL_PAIRS_1(__VA_ARGS__)
#define DFTRACE_IMPL_PAIRS_3(key, x, ...)                                                          \
    DFTRACE_IMPL_VALUE(key, x), DFTRACE_IMPL_PAIRS_2(__VA_ARGS__)
#define DFTRACE_IMPL_PAIRS_4(key, x, ...)                                                          \
    DFTRACE_IMPL_VALUE(key, x), DFTRACE_IMPL_PAIRS_3(__VA_ARGS__)
#define DFTRACE_IMPL_PAIRS_5(key, x, ...)                                                          \
    DFTRACE_IMPL_VALUE(key, x), DFTRACE_IMPL_PAIRS_4(__VA_ARGS__)
#define DFTRACE_IMPL_PAIRS_6(key, x, ...)                                                          \
    DFTRACE_IMPL_VALUE(key, x), DFTRACE_IMPL_PAIRS_5(__VA_ARGS__)
#define DFTRACE_IMPL_PAIRS_7(key, x, ...)                                                          \
    DFTRACE_IMPL_VALUE(key, x), DFTRACE_IMPL_PAIRS_6(__VA_ARGS__)
#define DFTRACE_IMPL_PAIRS_8(key, x, ...)                                                          \
    DFTRACE_IMPL_VALUE(key, x), DFTRACE_IMPL_PAIRS_7(__VA_ARGS__)
#define DFTRACE_IMPL_PAIRS_9(key, x, ...)                                                          \
    DFTRACE_IMPL_VALUE(key, x), DFTRACE_IMPL_PAIRS_8(__VA_ARGS__)
#define DFTRACE_IMPL_PAIRS_10(key, x, ...)                                                         \
    DFTRACE_IMPL_VALUE(key, x), DFTRACE_IMPL_PAIRS_9(__VA_ARGS__)
#define DFTRACE_IMPL_PAIRS_11(key, x, ...)                                                         \
    DFTRACE_IMPL_VALUE(key, x), DFTRACE_IMPL_PAIRS_10(__VA_ARGS__)
#define DFTRACE_IMPL_PAIRS_12(key, x, ...)                                                         \
    DFTRACE_IMPL_VALUE(key, x), DFTRACE_IMPL_PAIRS_11(__VA_ARGS__)
#define DFTRACE_IMPL_PAIRS_13(key, x, ...)                                                         \
    DFTRACE_IMPL_VALUE(key, x), DFTRACE_IMPL_PAIRS_12(__VA_ARGS__)
#define DFTRACE_IMPL_PAIRS_14(key, x, ...)                                                         \
    DFTRACE_IMPL_VALUE(key, x), DFTRACE_IMPL_PAIRS_13(__VA_ARGS__)
#define DFTRACE_IMPL_PAIRS_15(key, x, ...)                                                         \
    DFTRACE_IMPL_VALUE(key, x), DFTRACE_IMPL_PAIRS_14(__VA_ARGS__)
#define DFTRACE_IMPL_PAIRS_16(key, x, ...)                                                         \
    DFTRACE_IMPL_VALUE(key, x), DFTRACE_IMPL_PAIRS_15(__VA_ARGS__)

/* A key without a value: the compiler shows this name in its error. */
#define DFTRACE_IMPL_VALUES_2(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_4(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_6(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_8(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_10(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_12(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_14(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_16(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_18(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_20(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_22(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_24(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_26(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_28(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_30(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_32(...) dftrace_each_key_needs_a_value
#define DFTRACE_IMPL_VALUES_34(...) dftrace_each_key_needs_a_value

/* --- lists and maps ------------------------------------------------------------------------- */

#define DFTRACE_LIST(...)                                                                          \
    dftrace_impl_values(DFTRACE_TYPE_LIST,                                                         \
                        DFTRACE_IMPL_ARRAY(DFTRACE_IMPL_JOIN(                                      \
                            DFTRACE_IMPL_ITEMS_, DFTRACE_IMPL_COUNT(__VA_ARGS__))(__VA_ARGS__, )), \
                        DFTRACE_IMPL_COUNT(__VA_ARGS__))
#define DFTRACE_MAP(...)                                                                           \
    dftrace_impl_values(DFTRACE_TYPE_MAP, DFTRACE_IMPL_BEHIND_NAME("", __VA_ARGS__))

#define DFTRACE_IMPL_ITEMS_1(x, ...) DFTRACE_IMPL_VALUE(0, x)
#define DFTRACE_IMPL_ITEMS_2(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_1(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_3(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_2(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_4(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_3(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_5(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_4(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_6(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_5(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_7(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_6(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_8(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_7(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_9(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_8(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_10(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_9(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_11(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_10(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_12(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_11(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_13(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_12(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_14(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_13(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_15(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_14(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_16(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_15(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_17(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_16(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_18(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_17(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_19(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_18(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_20(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_19(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_21(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_20(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_22(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_21(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_23(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_22(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_24(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_23(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_25(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_24(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_26(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_25(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_27(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_26(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_28(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_27(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_29(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_28(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_30(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_29(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_31(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_30(__VA_ARGS__)
#define DFTRACE_IMPL_ITEMS_32(x, ...) DFTRACE_IMPL_VALUE(0, x), DFTRACE_IMPL_ITEMS_31(__VA_ARGS__)

#endif
