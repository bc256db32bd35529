/* Where hooks stand in a function.

       plain function         generator, coroutine                    at the end
         [3.12: ENTER]          RETURN_GENERATOR; POP_TOP               Again: ENTER; RERAISE 1
         RESUME 0               [3.12: ENTER] RESUME 0 [3.11: ENTER]    Out:   LEAVE; RERAISE 1
         [3.11: ENTER]          ...
         ...                    LEAVE; YIELD_VALUE
         LEAVE; RETURN_VALUE    RESUME 1; ENTER

   Every instruction is inside or outside of the activation, on all ways to it. Inside, an exception that no handler of the
   function catches goes to Out. Outside, an exception that goes on in this function goes to an Again block first: it
   enters, then raises to the handler that the function has there. That is so for exceptions that are thrown into a
   generator at its YIELD_VALUE. RERAISE 1 restores the position, so tracebacks are the same.

   3.13's debugger takes the first instruction behind RESUME for the function's first line, hence ENTER before RESUME;
   3.11 looks for no handler when RESUME raises, hence ENTER behind it.

   Each hook has the location of the instruction beside it: otherwise trace functions would see additional lines. */
#include "python/rewrite/code.h"

/* What an instruction outside of the activation does with an exception. */
enum outside {
    ENDS_UNSEEN, /* not entered, or already left: nothing to close if the function does not catch it */
    RESUMES,     /* suspended: an activation of its own, even if the function does not catch it */
};

struct plan {
    struct dft_py_code *to;
    const struct dft_py_code *from;
    const struct dft_py_bytecode *table;
    struct dft_py_constants constants;
    struct dft_py_parameters parameters;
    int *start_of; /* by old index: where a jump to it goes */
    int *again_of; /* by handler: the handler that enters first; -1: none */
    int out;       /* handlers: the one that leaves */
    int first;     /* old index of the first RESUME */
};

static const struct dft_py_location nowhere = {-1, -1, -1, -1};

/* The handler for an instruction inside, where the function's own is `handler`. */
static int inside(const struct plan *plan, int handler)
{
    return handler >= 0 ? handler : plan->out;
}

static int outside(struct plan *plan, int handler, enum outside what)
{
    if (handler < 0 && what == ENDS_UNSEEN) {
        return -1;
    }
    handler = inside(plan, handler);
    if (plan->again_of[handler] < 0) {
        struct dft_py_handler again = {-1, plan->to->handlers[handler].depth, true};
        plan->again_of[handler] = dft_py_code_add_handler(plan->to, again);
    }
    return plan->again_of[handler];
}

static int add(struct plan *plan, uint8_t op, uint32_t arg, struct dft_py_location location,
               int handler)
{
    struct dft_py_instruction instruction = {.op = op,
                                             .role = DFT_PY_ADDED,
                                             .arg = arg,
                                             .target = -1,
                                             .handler = handler,
                                             .location = location};
    return dft_py_code_add(plan->to, instruction);
}

/* A hook: until it has run, exceptions go to `before`, then to `after`. Returns the index of its first instruction. */
static int add_hook(struct plan *plan, int constant, enum dft_py_role role,
                    struct dft_py_location location, int before, int after)
{
    int start = add(plan, plan->table->load_const, (uint32_t)constant, location, before);
    int ask = add(plan, plan->table->ask, 0, location, before);
    if (ask < 0) {
        return -1;
    }
    plan->to->instructions[ask].role = (uint8_t)role;
    if (!plan->table->ask_pops) {
        add(plan, plan->table->pop_top, 0, location, after);
    } else {
        plan->to->instructions[ask].target = ask + 1; /* both ways of the jump are one */
    }
    return start;
}

static int add_original(struct plan *plan, int old, int handler)
{
    struct dft_py_instruction instruction = plan->from->instructions[old];
    instruction.role = DFT_PY_ORIGINAL;
    instruction.handler = handler;
    return dft_py_code_add(plan->to, instruction);
}

/* Compares a values probe with a tuple of `count` that is on the stack above it. */
static void add_values(struct plan *plan, int count, struct dft_py_location location, int handler)
{
    add(plan, plan->table->build_tuple, (uint32_t)count, location, handler);
    add(plan, plan->table->compare_op, plan->table->equals, location, handler);
    add(plan, plan->table->pop_top, 0, location, handler);
}

static void add_arguments(struct plan *plan, struct dft_py_location location, int handler)
{
    if (plan->constants.values < 0) {
        return;
    }
    add(plan, plan->table->load_const, (uint32_t)plan->constants.values, location, handler);
    for (int i = 0; i < plan->parameters.count; i++) {
        uint8_t load =
            plan->parameters.is_cell[i] ? plan->table->load_deref : plan->table->load_fast;
        add(plan, load, (uint32_t)i, location, handler);
    }
    add_values(plan, plan->parameters.count, location, handler);
}

static void plan_first_resume(struct plan *plan, int old)
{
    const struct dft_py_instruction *resume = &plan->from->instructions[old];
    int handler = inside(plan, resume->handler);
    if (plan->table->enter_first) {
        add_hook(plan, plan->constants.enter, DFT_PY_ENTERS, resume->location, -1, handler);
        add_arguments(plan, resume->location, handler);
        add_original(plan, old, handler);
        return;
    }
    int before = outside(plan, resume->handler, ENDS_UNSEEN);
    add_original(plan, old, before);
    add_hook(plan, plan->constants.enter, DFT_PY_ENTERS, nowhere, before, handler);
    add_arguments(plan, nowhere, handler);
}

static void add_result(struct plan *plan, const struct dft_py_instruction *instruction)
{
    if (plan->constants.result < 0) {
        return;
    }
    int handler = inside(plan, instruction->handler);
    struct dft_py_location location = instruction->location;
    add(plan, plan->table->load_const, (uint32_t)plan->constants.result, location, handler);
    if (instruction->op == plan->table->return_value) {
        add(plan, plan->table->copy, 2, location, handler);
    } else {
        add(plan, plan->table->load_const, instruction->arg, location, handler);
    }
    add_values(plan, 1, location, handler);
}

static void plan_return(struct plan *plan, int old)
{
    const struct dft_py_instruction *instruction = &plan->from->instructions[old];
    int after = outside(plan, instruction->handler, ENDS_UNSEEN);
    add_result(plan, instruction);
    add_hook(plan, plan->constants.leave, DFT_PY_LEAVES, instruction->location,
             inside(plan, instruction->handler), after);
    add_original(plan, old, after);
}

/* Whether the yield at `old` is one of `yield from` or `await`: SEND; YIELD_VALUE; RESUME; JUMP back to SEND. */
static bool is_delegation(const struct plan *plan, int old)
{
    const struct dft_py_code *from = plan->from;
    return old > 0 && from->instructions[old - 1].op == plan->table->send;
}

/* 3.11's throw() reads the instruction before YIELD_VALUE, wants a SEND and jumps to its target. So there is a second SEND
   that nothing executes; its target is a landing of our own, which enters and goes on where the first SEND leads.
   Returns the index of the second SEND, or -1. */
static int add_unused_send(struct plan *plan, struct dft_py_location location, int handler)
{
    int jump = add(plan, plan->table->jump_forward, 0, location, handler);
    int send = add(plan, plan->table->send, 0, location, handler);
    if (send >= 0) {
        plan->to->instructions[jump].target = send + 1;
    }
    return send;
}

static bool add_landing(struct plan *plan, int old_send, int old_jump, int send)
{
    const struct dft_py_instruction *from = plan->from->instructions;
    if (old_jump >= plan->from->count || from[old_jump].op != plan->table->jump_back_to_send ||
        from[old_jump].target != old_send || from[old_send].target != old_jump + 1 || send < 0) {
        return false;
    }
    int after = inside(plan, from[old_jump].handler);
    int before = outside(plan, from[old_jump].handler, RESUMES);
    plan->start_of[old_jump] = add_original(plan, old_jump, after);
    /* An exception is taken to come from the unit before the target. */
    add(plan, plan->table->nop, 0, from[old_jump].location, before);
    int landing = add_hook(plan, plan->constants.resume, DFT_PY_ENTERS, from[old_jump].location,
                           before, after);
    plan->to->instructions[send].target = landing; /* only now: adding moves the instructions */
    return true;
}

/* YIELD_VALUE at `old` and its RESUME; `*next` becomes the old index behind them. */
static bool plan_yield(struct plan *plan, int old, int *next)
{
    const struct dft_py_instruction *yield = &plan->from->instructions[old];
    const struct dft_py_instruction *resume = yield + 1;
    if (old + 1 == plan->from->count || resume->op != plan->table->resume) {
        return false;
    }
    bool landing = plan->table->throw_reads_send && is_delegation(plan, old);
    int after = outside(plan, yield->handler, RESUMES), send = -1;
    add_hook(plan, plan->constants.leave, DFT_PY_LEAVES, yield->location,
             inside(plan, yield->handler), after);
    if (landing) {
        send = add_unused_send(plan, yield->location, after);
    }
    add_original(plan, old, after);
    int before = outside(plan, resume->handler, RESUMES);
    plan->start_of[old + 1] = add_original(plan, old + 1, before);
    add_hook(plan, plan->constants.resume, DFT_PY_ENTERS, resume->location, before,
             inside(plan, resume->handler));
    *next = old + (landing ? 3 : 2);
    return !plan->to->failed && (!landing || add_landing(plan, old - 1, old + 2, send));
}

static bool plan_body(struct plan *plan)
{
    const struct dft_py_bytecode *table = plan->table;
    const struct dft_py_code *from = plan->from;
    for (int old = 0; old < from->count && !plan->to->failed;) {
        const struct dft_py_instruction *instruction = &from->instructions[old];
        int now = old++;
        plan->start_of[now] = plan->to->count;
        if (now == plan->first) {
            plan_first_resume(plan, now);
        } else if (now < plan->first) {
            add_original(plan, now, outside(plan, instruction->handler, ENDS_UNSEEN));
        } else if (instruction->op == table->return_value ||
                   (table->return_const && instruction->op == table->return_const)) {
            plan_return(plan, now);
        } else if (instruction->op == table->yield_value) {
            if (!plan_yield(plan, now, &old)) {
                return false;
            }
        } else if (instruction->op == table->resume) {
            return false; /* none without a yield */
        } else {
            add_original(plan, now, inside(plan, instruction->handler));
        }
    }
    return !plan->to->failed;
}

/* The targets of the function's own jumps and handlers are old indexes until now. */
static void move_targets(struct plan *plan)
{
    for (int i = 0; i < plan->to->count; i++) {
        struct dft_py_instruction *instruction = &plan->to->instructions[i];
        if (instruction->role == DFT_PY_ORIGINAL && instruction->target >= 0) {
            instruction->target = plan->start_of[instruction->target];
        }
    }
    for (int i = 0; i < plan->from->handler_count; i++) {
        plan->to->handlers[i].target = plan->start_of[plan->to->handlers[i].target];
    }
}

static void add_blocks(struct plan *plan)
{
    for (int handler = 0; handler <= plan->out; handler++) {
        if (plan->again_of[handler] < 0) {
            continue;
        }
        int again = add_hook(plan, plan->constants.resume, DFT_PY_ENTERS, nowhere, -1, handler);
        plan->to->handlers[plan->again_of[handler]].target = again;
        add(plan, plan->table->reraise, 1, nowhere, handler);
    }
    int out = add_hook(plan, plan->constants.leave, DFT_PY_LEAVES, nowhere, -1, -1);
    plan->to->handlers[plan->out].target = out;
    add(plan, plan->table->reraise, 1, nowhere, -1);
}

static bool plan_all(struct plan *plan)
{
    for (int i = 0; i < plan->from->handler_count; i++) {
        dft_py_code_add_handler(plan->to, plan->from->handlers[i]);
    }
    struct dft_py_handler out = {-1, 0, true};
    plan->out = dft_py_code_add_handler(plan->to, out);
    if (plan->to->failed) {
        return false;
    }
    for (int i = 0; i <= plan->out; i++) {
        plan->again_of[i] = -1;
    }
    if (!plan_body(plan)) {
        return false;
    }
    move_targets(plan);
    add_blocks(plan);
    return !plan->to->failed;
}

static int find_first_resume(const struct dft_py_code *from, const struct dft_py_bytecode *table)
{
    for (int i = 0; i < from->count; i++) {
        if (from->instructions[i].op == table->resume) {
            return from->instructions[i].arg == 0 ? i : -1;
        }
        if (from->instructions[i].target >= 0) {
            return -1;
        }
    }
    return -1;
}

bool dft_py_plan(struct dft_py_code *to, const struct dft_py_code *from,
                 const struct dft_py_bytecode *table, struct dft_py_constants constants,
                 struct dft_py_parameters parameters)
{
    *to = (struct dft_py_code){.first_line = from->first_line};
    struct plan plan = {.to = to,
                        .from = from,
                        .table = table,
                        .constants = constants,
                        .parameters = parameters,
                        .first = find_first_resume(from, table)};
    if (plan.first < 0) {
        return false;
    }
    plan.start_of = PyMem_Malloc((size_t)from->count * sizeof *plan.start_of);
    plan.again_of = PyMem_Malloc(((size_t)from->handler_count + 1) * sizeof *plan.again_of);
    to->failed = !plan.start_of || !plan.again_of;
    bool planned = !to->failed && plan_all(&plan);
    PyMem_Free(plan.start_of);
    PyMem_Free(plan.again_of);
    return planned;
}
