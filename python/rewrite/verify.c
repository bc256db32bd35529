/* Two independent checks of a rewritten function, before it replaces anything:

   - the bytes, read again, are exactly the planned instructions with their jumps, handlers and locations;
   - on every way through them, exceptions included, an activation is entered once and left once. */
#include "python/rewrite/code.h"

#include <string.h>

enum state { UNKNOWN, OUTSIDE, INSIDE };

struct walk {
    const struct dft_py_code *code;
    const struct dft_py_bytecode *table;
    uint8_t *states; /* before each instruction */
    int *pending;    /* instructions whose successors are to be looked at */
    int pending_count;
    bool wrong;
};

static void reach(struct walk *walk, int index, enum state state)
{
    if (index < 0 || index >= walk->code->count ||
        (walk->states[index] != UNKNOWN && walk->states[index] != state)) {
        walk->wrong = true;
    } else if (walk->states[index] == UNKNOWN) {
        walk->states[index] = (uint8_t)state;
        walk->pending[walk->pending_count++] = index;
    }
}

/* Whether the instruction at `index` is of the block that leaves after an exception: the one that the function's last two
   instructions and their hook are. */
static bool is_last_block(const struct walk *walk, int index)
{
    return index >= walk->code->count - (walk->table->ask_pops ? 3 : 4);
}

static void follow_exception(struct walk *walk, int index, enum state before)
{
    int handler = walk->code->instructions[index].handler;
    if (handler >= 0) {
        reach(walk, walk->code->handlers[handler].target, before);
    } else if (before == INSIDE && !is_last_block(walk, index)) {
        walk->wrong = true; /* would end without a hook */
    }
}

static bool is_always_taken(const struct walk *walk, uint8_t op)
{
    return memchr(walk->table->always, op, sizeof walk->table->always) != NULL;
}

static void follow(struct walk *walk, int index)
{
    const struct dft_py_bytecode *table = walk->table;
    const struct dft_py_instruction *instruction = &walk->code->instructions[index];
    enum state before = walk->states[index], after = before;
    if (instruction->role == DFT_PY_ENTERS || instruction->role == DFT_PY_LEAVES) {
        after = instruction->role == DFT_PY_ENTERS ? INSIDE : OUTSIDE;
        walk->wrong |= before == after;
    }
    follow_exception(walk, index, before);
    bool returns = instruction->op == table->return_value ||
                   (table->return_const && instruction->op == table->return_const);
    if (returns || instruction->op == table->yield_value) {
        walk->wrong |= before != OUTSIDE;
    }
    if (instruction->target >= 0) {
        reach(walk, instruction->target, after);
    }
    if (!returns && instruction->op != table->reraise && instruction->op != table->raise_varargs &&
        !(instruction->target >= 0 && is_always_taken(walk, instruction->op))) {
        reach(walk, index + 1, after);
    }
}

/* The second SEND of 3.11 is reached by throw() only: its target is entered from outside. */
static void follow_unused_sends(struct walk *walk)
{
    for (int i = 0; i < walk->code->count; i++) {
        const struct dft_py_instruction *instruction = &walk->code->instructions[i];
        if (instruction->op == walk->table->send && instruction->role == DFT_PY_ADDED) {
            reach(walk, instruction->target, OUTSIDE);
            reach(walk, instruction->target - 1, OUTSIDE); /* where its exceptions come from */
            walk->wrong |= instruction->units != 1;        /* throw() reads one unit */
        }
    }
}

static bool pairs(const struct dft_py_code *code, const struct dft_py_bytecode *table)
{
    struct walk walk = {.code = code, .table = table};
    walk.states = PyMem_Calloc((size_t)code->count, sizeof *walk.states);
    walk.pending = PyMem_Malloc((size_t)code->count * sizeof *walk.pending);
    if (walk.states && walk.pending) {
        reach(&walk, 0, OUTSIDE);
        follow_unused_sends(&walk);
        while (walk.pending_count > 0 && !walk.wrong) {
            follow(&walk, walk.pending[--walk.pending_count]);
        }
    } else {
        walk.wrong = true;
    }
    PyMem_Free(walk.states);
    PyMem_Free(walk.pending);
    return !walk.wrong;
}

static bool same_handler(const struct dft_py_code *a, int number_a, const struct dft_py_code *b,
                         int number_b)
{
    if (number_a < 0 || number_b < 0) {
        return number_a == number_b;
    }
    const struct dft_py_handler *x = &a->handlers[number_a], *y = &b->handlers[number_b];
    return x->target == y->target && x->depth == y->depth && x->with_position == y->with_position;
}

static bool same(const struct dft_py_code *a, const struct dft_py_code *b)
{
    if (a->count != b->count || a->units != b->units) {
        return false;
    }
    for (int i = 0; i < a->count; i++) {
        const struct dft_py_instruction *x = &a->instructions[i], *y = &b->instructions[i];
        if (x->op != y->op || x->arg != y->arg || x->target != y->target || x->at != y->at ||
            x->units != y->units || memcmp(&x->location, &y->location, sizeof x->location) != 0 ||
            !same_handler(a, x->handler, b, y->handler)) {
            return false;
        }
    }
    return true;
}

bool dft_py_verify(const struct dft_py_code *plan, const struct dft_py_bytecode *table,
                   const struct dft_py_encoded *encoded)
{
    struct dft_py_texts texts = {
        .code = {encoded->code.bytes, encoded->code.size},
        .lines = {encoded->lines.bytes, encoded->lines.size},
        .exceptions = {encoded->exceptions.bytes, encoded->exceptions.size},
    };
    struct dft_py_code again;
    bool right = dft_py_decode(&again, table, texts, plan->first_line) && same(plan, &again);
    dft_py_code_free(&again);
    return right && pairs(plan, table);
}
