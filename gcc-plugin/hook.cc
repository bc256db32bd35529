/* The code of the two hooks.

   On x86-64 each is one piece of inline assembly:

     enter:  xorl %eax, %eax            exit:  testq token, token
             cmpb $0, site.on                  jne 2f
             jne 2f                         1:
          1:
                            and, out of the way,
          2: leaq site, %r11                2: movq token, %r11
             call __dftrace_quick_enter        leaq site, %r10
             jmp 1b                            call __dftrace_quick_exit
                                               jmp 1b

   To the compiler this is one instruction without a branch that changes a few registers.
   So the optimizers see no additional blocks or calls, which would be most of the cost of
   instrumentation at compile time, and few registers are saved for a call that is rarely
   made.  The call goes through the GOT, which is bound before the program starts; the
   resolver of a PLT entry would change registers.  GCC does not see the call, so it must
   not keep variables below the stack pointer: see compat_avoid_red_zone.  The unwind
   information of the function does not cover the second part.  That of the hooks sends
   unwinders to label 1, which it finds by decoding the jump; hence the jump has a fixed
   encoding.

   On other targets, and in code models in which the GOT may be out of reach, both hooks
   are ordinary code:

     token = site.on ? __dftrace_enter (&site) : 0;
     if (token) __dftrace_exit (&site, token);  */

#include "plugin.h"

gimple_seq
lower_statement (tree statement)
{
  gimple_seq sequence = NULL;
  push_gimplify_context ();
  gimplify_and_add (statement, &sequence);
  pop_gimplify_context (NULL);
  return sequence;
}

static tree
as_truth (tree value)
{
  return build2 (NE_EXPR, boolean_type_node, value, build_zero_cst (TREE_TYPE (value)));
}

tree
unlikely (tree condition)
{
  return as_truth (build_call_expr (builtin_decl_explicit (BUILT_IN_EXPECT), 2,
                                    fold_convert (long_integer_type_node, condition),
                                    build_int_cst (long_integer_type_node, 0)));
}

static tree
operand (const char *constraint, tree value, tree next)
{
  tree text = build_string (strlen (constraint), constraint);
  return tree_cons (build_tree_list (NULL_TREE, text), value, next);
}

static tree
clobbers (std::initializer_list<const char *> names)
{
  tree list = NULL_TREE;
  for (const char *name : names)
    list = tree_cons (NULL_TREE, build_string (strlen (name), name), list);
  return list;
}

/* "asm inline": the inliner counts one instruction.  Otherwise it would estimate the size
   of the inline assembly by its line count, and would not inline small functions with
   hooks.

   Not "asm volatile": jump threading does not copy blocks with volatile assembly, and as
   a result GCC prints -Wmaybe-uninitialized where the program without hooks has no such
   warning. The operand site.on, a volatile reference, and the clobber "memory" prevent
   GCC from removing, reordering or merging the hooks.  GCC makes an asm without outputs
   volatile, hence the output of the exit hook.  */
static tree
assembly (const char *text, tree outputs, tree inputs, tree clobbered)
{
  tree statement = build5 (ASM_EXPR, void_type_node, build_string (strlen (text), text),
                           outputs, inputs, clobbered, NULL_TREE);
  ASM_INLINE_P (statement) = 1;
  return statement;
}

/* jmp 1b, with a 32-bit displacement.  */
#define JUMP_BACK "\t.byte\t0xe9\n\t.long\t1b - . - 4\n"

static tree
quick_enter (tree site, tree token)
{
  static const char text[]
      = "xor{l\t%k0, %k0|\t%k0, %k0}\n"
        "\tcmp{b\t$0, %1|\t%1, 0}\n"
        "\tjne\t2f\n"
        "1:\n"
        "\t.subsection\t1\n"
        "2:\tlea{q\t%1, %%r11|\tr11, %1}\n"
        "\t.weak\t__dftrace_quick_enter\n"
        "\tcall\t{*__dftrace_quick_enter@GOTPCREL(%%rip)"
        "|[QWORD PTR __dftrace_quick_enter@GOTPCREL[rip]]}\n" JUMP_BACK
        "\t.subsection\t0";
  return assembly (text, operand ("=&a", token, NULL_TREE),
                   operand ("m", site_switch (site), NULL_TREE),
                   clobbers ({ "rdx", "r10", "r11", "memory" }));
}

static tree
quick_exit (tree site, tree token)
{
  static const char text[]
      = "test{q\t%0, %0|\t%0, %0}\n"
        "\tjne\t2f\n"
        "1:\n"
        "\t.subsection\t1\n"
        "2:\tmov{q\t%0, %%r11|\tr11, %0}\n"
        "\tlea{q\t%1, %%r10|\tr10, %1}\n"
        "\t.weak\t__dftrace_quick_exit\n"
        "\tcall\t{*__dftrace_quick_exit@GOTPCREL(%%rip)"
        "|[QWORD PTR __dftrace_quick_exit@GOTPCREL[rip]]}\n" JUMP_BACK "\t.subsection\t0";
  return assembly (text, operand ("+r", token, NULL_TREE),
                   operand ("m", site_switch (site), NULL_TREE),
                   clobbers ({ "rax", "rcx", "rdx", "rsi", "r10", "r11", "memory" }));
}

/* The dynamic linker fills in the GOT entry of a weak symbol, also in an executable that
   is not position-independent.  */
tree
address_from_got (const char *symbol, tree pointer)
{
  std::string name = symbol;
  std::string text = "mov{q\t" + name + "@GOTPCREL(%%rip), %0|\t%0, QWORD PTR " + name
                     + "@GOTPCREL[rip]}\n\t.weak\t" + name;
  return assembly (text.c_str (), operand ("=r", pointer, NULL_TREE), NULL_TREE,
                   NULL_TREE);
}

static tree
portable_enter (tree site, tree token)
{
  tree on = unlikely (as_truth (site_switch (site)));
  tree entered = build3 (COND_EXPR, TREE_TYPE (token), on, call_enter (site),
                         build_zero_cst (TREE_TYPE (token)));
  return build2 (MODIFY_EXPR, void_type_node, token, entered);
}

static tree
portable_exit (tree site, tree token)
{
  return build3 (COND_EXPR, void_type_node, unlikely (as_truth (token)),
                 call_exit (site, token), NULL_TREE);
}

tree
make_token (void)
{
  return create_tmp_var (build_nonstandard_integer_type (64, 1), "dftrace_token");
}

gimple_seq
enter_hook (tree site, tree token)
{
  return lower_statement (compat_has_quick_hooks () ? quick_enter (site, token)
                                                    : portable_enter (site, token));
}

gimple_seq
exit_hook (tree site, tree token)
{
  return lower_statement (compat_has_quick_hooks () ? quick_exit (site, token)
                                                    : portable_exit (site, token));
}
