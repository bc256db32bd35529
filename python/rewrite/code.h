/* Between the parts of the rewriter: a function's bytecode as a list of instructions, and what differs between versions. */
#ifndef DFTRACE_PYTHON_REWRITE_CODE_H
#define DFTRACE_PYTHON_REWRITE_CODE_H

#include "python/python.h"

enum dft_py_jump { DFT_PY_NO_JUMP, DFT_PY_FORWARD, DFT_PY_BACKWARD };

/* The bytecode of one version of Python. Opcodes that the version does not have are 0, which is CACHE: it never appears
   as an instruction. */
struct dft_py_bytecode {
    long magic;         /* of .pyc files: it changes with every change of the bytecode */
    uint8_t units[256]; /* code units of an instruction, with its caches; 0: unknown */
    uint8_t jumps[256]; /* enum dft_py_jump */
    uint8_t always[8];  /* jumps that are always taken */
    uint8_t load_const, load_fast, load_deref, build_tuple, copy, compare_op, pop_top, nop;
    uint8_t extended_arg, resume, return_value, return_const, raise_varargs, reraise, yield_value;
    uint8_t send, jump_forward, jump_back_to_send;
    uint8_t equals;        /* argument of COMPARE_OP that means == */
    uint8_t ask;           /* the instruction that asks for a truth */
    bool ask_pops;         /* it leaves nothing on the stack */
    bool enter_first;      /* the hook stands before the first RESUME */
    bool throw_reads_send; /* throw() reads the jump of the instruction before YIELD_VALUE */
};

/* The table of the running interpreter; NULL if there is none. `*too_early`: while the interpreter starts, its version
   cannot be read. Sets no exception. */
const struct dft_py_bytecode *dft_py_bytecode_find(bool *too_early);

struct dft_py_location {
    int line;                         /* -1: no location */
    int end_line, column, end_column; /* column -1: unknown */
};

/* What happens to an exception: the stack is cut to `depth`, then the position of the instruction is pushed if
   `with_position`, then the exception. */
struct dft_py_handler {
    int target, depth;
    bool with_position;
};

/* What an instruction is to the hooks. */
enum dft_py_role {
    DFT_PY_ORIGINAL,
    DFT_PY_ADDED, /* does not change whether the activation is open */
    DFT_PY_ENTERS,
    DFT_PY_LEAVES,
};

struct dft_py_instruction {
    uint8_t op, role;
    uint32_t arg;
    int target;    /* of a jump: an index; -1: no jump */
    int handler;   /* an index; -1: no handler */
    int at, units; /* in code units, with EXTENDED_ARG and caches */
    struct dft_py_location location;
};

struct dft_py_code {
    struct dft_py_instruction *instructions;
    int count, capacity;
    struct dft_py_handler *handlers;
    int handler_count, handler_capacity;
    int units;
    int first_line;
    bool failed; /* no memory */
};

/* Bytes of a code object's attributes. */
struct dft_py_text {
    const uint8_t *bytes;
    Py_ssize_t size;
};

struct dft_py_texts {
    struct dft_py_text code, lines, exceptions;
};

/* Bytes that grow. */
struct dft_py_buffer {
    uint8_t *bytes;
    Py_ssize_t size, capacity;
    bool failed;
};

/* All return the new index, or -1 (then `failed` is set). */
int dft_py_code_add(struct dft_py_code *code, struct dft_py_instruction instruction);
int dft_py_code_add_handler(struct dft_py_code *code, struct dft_py_handler handler);
void dft_py_code_free(struct dft_py_code *code);

/* False: the bytes have a shape that is not understood, or `code->failed`. The caller frees `code` in both cases. */
bool dft_py_decode(struct dft_py_code *code, const struct dft_py_bytecode *table,
                   struct dft_py_texts texts, int first_line);
bool dft_py_decode_lines(struct dft_py_code *code, struct dft_py_text lines);
bool dft_py_decode_exceptions(struct dft_py_code *code, struct dft_py_text exceptions,
                              const int *index_at);

struct dft_py_encoded {
    struct dft_py_buffer code, lines, exceptions;
};

/* Sets `at` and `units` of all instructions, and arguments of jumps. False: no memory, or a jump in the wrong direction. */
bool dft_py_encode(struct dft_py_code *code, const struct dft_py_bytecode *table,
                   struct dft_py_encoded *encoded);
void dft_py_encode_lines(const struct dft_py_code *code, struct dft_py_buffer *lines);
void dft_py_buffer_add(struct dft_py_buffer *buffer, unsigned byte);
void dft_py_encoded_free(struct dft_py_encoded *encoded);

/* Indexes of the constants that the hooks use; -1: none. */
struct dft_py_constants {
    int enter, resume, leave, values, result;
};

/* The parameters of a function, as the bytecode numbers them. `is_cell` has an element for each. */
struct dft_py_parameters {
    int count;
    const bool *is_cell;
};

/* Writes `from` with hooks into `to`. False: a shape that is not understood, or `to->failed`. */
bool dft_py_plan(struct dft_py_code *to, const struct dft_py_code *from,
                 const struct dft_py_bytecode *table, struct dft_py_constants constants,
                 struct dft_py_parameters parameters);

/* Whether the bytes are exactly the planned instructions, and the hooks pair on all ways through them. */
bool dft_py_verify(const struct dft_py_code *plan, const struct dft_py_bytecode *table,
                   const struct dft_py_encoded *encoded);

struct dft_py_probes;

/* rewrite.c without the check of dft_py_rewrite_supports, for that check. */
PyObject *dft_py_rewrite_with(const struct dft_py_bytecode *table, PyObject *code,
                              const struct dft_py_probes *probes);

bool dft_py_sample_passes(const struct dft_py_bytecode *table);

#endif
