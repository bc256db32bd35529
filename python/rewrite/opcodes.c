/* The bytecode of each known version. The opcodes are those of the version's own opcode module; a version is recognised
   by the magic number of its .pyc files. What a table does not list is never written, and code that contains it is left
   alone. */
#include "python/rewrite/code.h"

#include <string.h>

/* Ranges of opcodes are GNU C. */
static const struct dft_py_bytecode
    tables
        [] =
            {
                {
                    .magic = 3495, /* 3.11 */
                    .units = {[1 ... 2] = 1,     [9 ... 12] = 1,    [15] = 1,
                              [25] = 5,          [30 ... 33] = 1,   [35 ... 37] = 1,
                              [49 ... 54] = 1,   [60] = 2,          [61] = 1,
                              [68 ... 71] = 1,   [74 ... 75] = 1,   [82 ... 91] = 1,
                              [92] = 2,          [93 ... 94] = 1,   [95] = 5,
                              [96 ... 105] = 1,  [106] = 5,         [107] = 3,
                              [108 ... 112] = 1, [114 ... 115] = 1, [116] = 6,
                              [117 ... 120] = 1, [122] = 2,         [123 ... 126] = 1,
                              [128 ... 140] = 1, [142] = 1,         [145 ... 149] = 1,
                              [151 ... 152] = 1, [155 ... 157] = 1, [160] = 11,
                              [162 ... 165] = 1, [166] = 2,         [171] = 5,
                              [172 ... 176] = 1},
                    .jumps = {[93] = DFT_PY_FORWARD,
                              [110 ... 112] = DFT_PY_FORWARD,
                              [114 ... 115] = DFT_PY_FORWARD,
                              [123] = DFT_PY_FORWARD,
                              [128 ... 129] = DFT_PY_FORWARD,
                              [134] = DFT_PY_BACKWARD,
                              [140] = DFT_PY_BACKWARD,
                              [173 ... 176] = DFT_PY_BACKWARD},
                    .always = {110, 134, 140},
                    .load_const = 100,
                    .load_fast = 124,
                    .load_deref = 137,
                    .build_tuple = 102,
                    .copy = 120,
                    .compare_op = 107,
                    .equals = 2,
                    .pop_top = 1,
                    .nop = 9,
                    .extended_arg = 144,
                    .resume = 151,
                    .return_value = 83,
                    .raise_varargs = 130,
                    .reraise = 119,
                    .yield_value = 86,
                    .send = 123,
                    .jump_forward = 110,
                    .jump_back_to_send = 134,
                    .ask = 114, /* POP_JUMP_FORWARD_IF_FALSE, to the next instruction */
                    .ask_pops = true,
                    .throw_reads_send = true,
                },
                {
                    .magic = 3531, /* 3.12 */
                    .units =
                        {[1 ... 2] = 1,     [4 ... 5] = 1,     [9] = 1,           [11 ... 12] = 1,
                         [15] = 1,          [25] = 2,          [26 ... 27] = 1,   [30 ... 33] = 1,
                         [35 ... 37] = 1,   [49 ... 55] = 1,   [60] = 2,          [61] = 1,
                         [68 ... 69] = 1,   [71] = 1,          [74 ... 75] = 1,   [83] = 1,
                         [85] = 1,          [87] = 1,          [89 ... 91] = 1,   [92 ... 93] = 2,
                         [94] = 1,          [95] = 5,          [96 ... 105] = 1,  [106] = 10,
                         [107] = 2,         [108 ... 110] = 1, [114 ... 115] = 1, [116] = 5,
                         [117 ... 121] = 1, [122 ... 123] = 2, [124 ... 140] = 1, [141] = 2,
                         [142 ... 143] = 1, [145 ... 147] = 1, [149 ... 152] = 1, [155 ... 157] = 1,
                         [162 ... 165] = 1, [171] = 4,         [172 ... 176] = 1},
                    .jumps = {[93] = DFT_PY_FORWARD,
                              [110] = DFT_PY_FORWARD,
                              [114 ... 115] = DFT_PY_FORWARD,
                              [123] = DFT_PY_FORWARD,
                              [128 ... 129] = DFT_PY_FORWARD,
                              [134] = DFT_PY_BACKWARD,
                              [140] = DFT_PY_BACKWARD},
                    .always = {110, 134, 140},
                    .load_const = 100,
                    .load_fast = 124,
                    .load_deref = 137,
                    .build_tuple = 102,
                    .copy = 120,
                    .compare_op = 107,
                    .equals = 40,
                    .pop_top = 1,
                    .nop = 9,
                    .extended_arg = 144,
                    .resume = 151,
                    .return_value = 83,
                    .return_const = 121,
                    .raise_varargs = 130,
                    .reraise = 119,
                    .yield_value = 150,
                    .send = 123,
                    .jump_forward = 110,
                    .jump_back_to_send = 134,
                    .ask = 12, /* UNARY_NOT: a jump would be an event for other tools */
                    .enter_first = true,
                },
                {
                    .magic = 3571, /* 3.13 */
                    .units = {[1 ... 2] = 1,     [4] = 1,           [5] = 2,
                              [6 ... 12] = 1,    [14 ... 16] = 1,   [18 ... 21] = 1,
                              [23 ... 38] = 1,   [39] = 2,          [40] = 4,
                              [41 ... 44] = 1,   [45] = 2,          [46 ... 52] = 1,
                              [53] = 4,          [54 ... 57] = 1,   [58 ... 59] = 2,
                              [60 ... 69] = 1,   [72] = 2,          [73 ... 76] = 1,
                              [77] = 2,          [78 ... 81] = 1,   [82] = 10,
                              [83 ... 90] = 1,   [91] = 5,          [92] = 1,
                              [93] = 2,          [94 ... 96] = 1,   [97 ... 100] = 2,
                              [101 ... 103] = 1, [104] = 2,         [105 ... 107] = 1,
                              [108] = 5,         [109 ... 116] = 1, [117] = 2,
                              [118] = 1,         [149] = 1},
                    .jumps = {[72] = DFT_PY_FORWARD,
                              [77 ... 78] = DFT_PY_BACKWARD,
                              [79] = DFT_PY_FORWARD,
                              [97 ... 100] = DFT_PY_FORWARD,
                              [104] = DFT_PY_FORWARD},
                    .always = {77, 78, 79},
                    .load_const = 83,
                    .load_fast = 85,
                    .load_deref = 84,
                    .build_tuple = 52,
                    .copy = 61,
                    .compare_op = 58,
                    .equals = 72,
                    .pop_top = 32,
                    .nop = 30,
                    .extended_arg = 71,
                    .resume = 149,
                    .return_value = 36,
                    .return_const = 103,
                    .raise_varargs = 101,
                    .reraise = 102,
                    .yield_value = 118,
                    .send = 104,
                    .jump_forward = 79,
                    .jump_back_to_send = 78,
                    .ask = 40, /* TO_BOOL */
                    .enter_first = true,
                },
};

const struct dft_py_bytecode *dft_py_bytecode_find(bool *too_early)
{
    *too_early = false;
    /* A free-threaded build has another layout of objects: nothing else may be looked at before this. */
    if (strstr(Py_GetVersion(), "free-threading")) {
        return NULL;
    }
    long magic = PyImport_GetMagicNumber();
    if (magic < 0) {
        PyErr_Clear();
        *too_early = true;
        return NULL;
    }
    magic &= 0xFFFF; /* the rest is a line ending */
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (tables[i].magic == magic) {
            return &tables[i];
        }
    }
    return NULL;
}
