/*
 * Stacks of one thread's calls: the same self and total times in every order in which calls come,
 * and the call tree of the second pass.
 */
#include "tool/analysis/call_tree.h"
#include "tool/analysis/stacks/stack.h"
#include "unit.h"

enum { MAIN, WORK, STEP, FUNCTIONS };

/* main calls work, which calls itself and step; then main calls step. Parents first. */
static const struct dft_stack_call calls[] = {
    {.function = MAIN, .start = 0, .end = 100}, {.function = WORK, .start = 10, .end = 60},
    {.function = WORK, .start = 20, .end = 50}, {.function = STEP, .start = 25, .end = 45},
    {.function = STEP, .start = 70, .end = 80},
};

/* The numbers of `calls` in the order in which they end. */
static const size_t children_first[] = {3, 2, 1, 4, 0};

#define COUNT (sizeof calls / sizeof calls[0])

static void check_times(const struct dft_times *times)
{
    CHECK_INT((intmax_t)times[MAIN].self, 40);
    CHECK_INT((intmax_t)times[MAIN].total, 100);
    CHECK_INT((intmax_t)times[WORK].self, 30);
    CHECK_INT((intmax_t)times[WORK].total, 50); /* the outer call only */
    CHECK_INT((intmax_t)times[STEP].self, 30);
    CHECK_INT((intmax_t)times[STEP].total, 30);
}

static void parents_may_come_first(void)
{
    struct dft_times times[FUNCTIONS] = {{0}};
    struct dft_sinks sinks = {.times = times};
    struct dft_stack *stack = dft_stack_new();

    for (size_t i = 0; i < COUNT; i++)
        dft_stack_add(stack, &sinks, &calls[i]);
    CHECK(dft_stack_is_settled(stack));
    CHECK_INT(dft_stack_finish(stack, &sinks), 0);
    check_times(times);
}

static void children_may_come_first(void)
{
    struct dft_times times[FUNCTIONS] = {{0}};
    struct dft_sinks sinks = {.times = times};
    struct dft_stack *stack = dft_stack_new();

    for (size_t i = 0; i < COUNT; i++)
        dft_stack_add(stack, &sinks, &calls[children_first[i]]);
    CHECK(!dft_stack_is_settled(stack));
    CHECK_INT(dft_stack_finish(stack, &sinks), 0);
    check_times(times);
}

static void unfinished_calls_hold_the_others(void)
{
    struct dft_times times[FUNCTIONS] = {{0}};
    struct dft_sinks sinks = {.times = times};
    struct dft_stack *stack = dft_stack_new();
    struct dft_stack_call call = calls[MAIN];

    call.unfinished = true;
    dft_stack_add(stack, &sinks, &call);
    for (size_t i = 0; i + 1 < COUNT; i++)
        dft_stack_add(stack, &sinks, &calls[children_first[i]]);
    CHECK_INT(dft_stack_finish(stack, &sinks), 0);
    check_times(times);
}

static void a_call_that_overlaps_is_counted_alone(void)
{
    struct dft_times times[FUNCTIONS] = {{0}};
    struct dft_sinks sinks = {.times = times};
    struct dft_stack *stack = dft_stack_new();
    const struct dft_stack_call late = {.function = STEP, .start = 5, .end = 8};

    for (size_t i = 0; i < COUNT; i++)
        dft_stack_add(stack, &sinks, &calls[i]);
    dft_stack_add(stack, &sinks, &late);
    CHECK_INT(dft_stack_finish(stack, &sinks), 1);
    CHECK_INT((intmax_t)times[STEP].self, 33);
    CHECK_INT((intmax_t)times[MAIN].self, 40);
}

static void check_node(const struct dft_call_tree *tree, uint32_t node, int64_t count,
                       int64_t total, int64_t self)
{
    CHECK_INT((intmax_t)tree->nodes[node].calls, count);
    CHECK_INT(tree->nodes[node].total_ns, total);
    CHECK_INT(tree->nodes[node].self_ns, self);
}

/* Recursion is folded: the inner call of work, and step below it, belong to the outer one. */
static void check_tree(struct dft_call_tree *tree)
{
    size_t count = tree->count;
    uint32_t main_node = dft_call_tree_child(tree, DFT_TREE_ROOT, MAIN);
    uint32_t work = dft_call_tree_child(tree, main_node, WORK);

    check_node(tree, main_node, 1, 100, 40);
    check_node(tree, work, 2, 50, 30);
    check_node(tree, dft_call_tree_child(tree, work, STEP), 1, 20, 20);
    check_node(tree, dft_call_tree_child(tree, main_node, STEP), 1, 10, 10);
    CHECK_INT((intmax_t)tree->count, (intmax_t)count);
    CHECK_INT((intmax_t)count, 5);
}

static void the_tree_is_made_in_a_second_pass(void)
{
    for (int is_backward = 0; is_backward < 2; is_backward++) {
        struct dft_times times[FUNCTIONS] = {{0}}, again[FUNCTIONS] = {{0}};
        struct dft_call_tree *tree = dft_call_tree_new(NULL);
        struct dft_sinks first = {.times = times}, second = {.times = again, .tree = tree};
        struct dft_stack *stack = dft_stack_new();

        for (size_t i = 0; i < COUNT; i++)
            dft_stack_add(stack, &first, &calls[is_backward ? children_first[i] : i]);
        dft_stack_restart(stack);
        CHECK(dft_stack_is_settled(stack) == !is_backward);
        for (size_t i = 0; i < COUNT; i++) {
            if (is_backward)
                dft_stack_add_backwards(stack, &second, &calls[children_first[COUNT - 1 - i]]);
            else
                dft_stack_add(stack, &second, &calls[i]);
        }
        CHECK_INT(dft_stack_finish(stack, &second), 0);
        check_times(again);
        check_tree(tree);
        dft_call_tree_free(tree);
    }
}

static bool is_step(const void *context, uint32_t function)
{
    (void)context;
    return function == STEP;
}

static void a_tree_has_callers_and_parts(void)
{
    struct dft_memory_limit memory = {0};
    struct dft_call_tree *tree = dft_call_tree_new(&memory);
    uint32_t main_node = dft_call_tree_child(tree, DFT_TREE_ROOT, MAIN);

    dft_call_tree_count(tree, dft_call_tree_child(tree, main_node, STEP), 2, 20, 20);
    dft_call_tree_count(tree, dft_call_tree_child(tree, DFT_TREE_ROOT, STEP), 3, 30, 30);

    struct dft_call_tree *part = dft_call_tree_from(tree, is_step, NULL);
    CHECK_INT((intmax_t)part->count, 2);
    check_node(part, 1, 5, 50, 50);
    dft_call_tree_free(part);

    struct dft_call_tree *callers = dft_call_tree_callers(tree, is_step, NULL, 1);
    uint32_t step = dft_call_tree_child(callers, DFT_TREE_ROOT, STEP);
    CHECK_INT((intmax_t)callers->count, 4);
    check_node(callers, step, 5, 50, 50);
    check_node(callers, dft_call_tree_child(callers, step, MAIN), 2, 20, 20);
    check_node(callers, dft_call_tree_child(callers, step, DFT_TREE_NO_FUNCTION), 3, 30, 30);
    dft_call_tree_free(callers);

    /* From here on there is no memory for more nodes. */
    memory.limit = memory.used;
    uint32_t others = dft_call_tree_child(tree, main_node, WORK);
    CHECK(tree->has_others);
    CHECK(tree->nodes[others].function == DFT_TREE_OTHER_FUNCTIONS);
    CHECK(dft_call_tree_child(tree, others, STEP) == others);
    CHECK(dft_call_tree_child(tree, DFT_TREE_ROOT, MAIN) == main_node);
    dft_call_tree_free(tree);
    CHECK_INT((intmax_t)memory.used, 0);
}

int main(void)
{
    parents_may_come_first();
    children_may_come_first();
    unfinished_calls_hold_the_others();
    a_call_that_overlaps_is_counted_alone();
    the_tree_is_made_in_a_second_pass();
    a_tree_has_callers_and_parts();
    return unit_result();
}
