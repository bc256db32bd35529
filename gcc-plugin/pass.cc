/* The pass that puts hooks into functions.

   What a function BODY becomes:

     token = site.on ? __dftrace_enter (&site) : 0;
     try
       {
         BODY
       }
     finally
       {
         if (token)
           __dftrace_exit (&site, token);
       }

   The test of site.on is inline, so a program that is not traced executes a load and a
   branch that is not taken; hook.cc has the code.  The token stores the outcome of the
   test: enter and exit pair even when the switch changes in between.  The finally block
   covers returns, tail calls (which become ordinary calls) and exceptions.  The runtime
   detects a longjmp past it.

   The pass runs right before "*warn_unused_result", the first of the lowering passes:
   bodies are still GIMPLE sequences, nothing has been inlined yet, and every function
   that is emitted passes here at every optimization level.  At later points the compiler
   crashes or inlined functions are missed.

   llvm-pass/pass.cpp is the twin of this file; plugin-core/skip.h explains the reasons
   for which both skip functions.  */

#include "plugin.h"

#include "plugin-core/report.h"

static const char *
linkage_name (tree fndecl)
{
  const char *name = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (fndecl));
  return *name == '*' ? name + 1 : name;
}

static bool
has_attribute (tree fndecl, const char *name)
{
  return lookup_attribute (name, DECL_ATTRIBUTES (fndecl))
         || lookup_attribute (name, TYPE_ATTRIBUTES (TREE_TYPE (fndecl)));
}

/* Whether FNDECL is named by an ifunc attribute.  At -O0 the alias that the attribute
   made may be gone; the attribute is not.  */
static bool
is_ifunc_resolver (tree fndecl)
{
  static bool collected;
  static std::set<std::string> resolvers;
  if (!collected)
    {
      collected = true;
      symtab_node *node;
      FOR_EACH_SYMBOL (node)
      if (TREE_CODE (node->decl) == FUNCTION_DECL)
        if (tree ifunc = lookup_attribute ("ifunc", DECL_ATTRIBUTES (node->decl)))
          resolvers.insert (TREE_STRING_POINTER (TREE_VALUE (TREE_VALUE (ifunc))));
    }
  return resolvers.count (linkage_name (fndecl)) != 0;
}

/* Whether FNDECL has no counterpart in the source.  DECL_ARTIFICIAL alone does not tell:
   lambdas and coroutine bodies have it too.  Tests:
   tests/e2e/compiler-made-functions-are-skipped.cc, delete-is-one-destructor-call.cc.  */
static bool
is_compiler_made (tree fndecl)
{
  const char *name = linkage_name (fndecl);
  if (dft_skip_is_compiler_made (name))
    return true;
  /* Runs constructors or destructors, among them our registration.  A constructor
     function of the source is not artificial.  */
  if (DECL_ARTIFICIAL (fndecl)
      && (DECL_STATIC_CONSTRUCTOR (fndecl) || DECL_STATIC_DESTRUCTOR (fndecl)))
    return true;
  /* Initializes the variables of a translation unit.  */
  if (strstr (name, "__static_initialization_and_destruction_"))
    return true;
  /* At -Os GCC splits a constructor or destructor with virtual bases: this part has the
     body, and the parts that the program calls (C1, C2, D1, D2) only call it.  */
  if ((DECL_CXX_CONSTRUCTOR_P (fndecl) && strstr (name, "C4E"))
      || (DECL_CXX_DESTRUCTOR_P (fndecl) && strstr (name, "D4Ev")))
    return true;
  /* Part of a lambda's conversion to a function pointer; it calls the lambda.  */
  return DECL_ARTIFICIAL (fndecl) && DECL_NAME (fndecl)
         && strcmp (IDENTIFIER_POINTER (DECL_NAME (fndecl)), "_FUN") == 0;
}

/* Why a function that a rule matches cannot have hooks; plugin-core/skip.h has more about
   each reason.  tests/e2e/skipped-functions-say-why.c covers them all.  */
static enum dft_skip
reason_to_skip (tree fndecl)
{
  /* The source asks for it.  The flag DECL_NO_INSTRUMENT_FUNCTION_ENTRY_EXIT does not
     tell: GCC sets it on everything unless -finstrument-functions is given.  */
  if (has_attribute (fndecl, "no_instrument_function"))
    return DFT_SKIP_NO_INSTRUMENT;
  /* Neither prologue nor stack frame: a call would overwrite registers.  */
  if (has_attribute (fndecl, "naked"))
    return DFT_SKIP_NAKED;
  /* Must preserve every register, including those that the runtime changes.  */
  if (has_attribute (fndecl, "interrupt") || has_attribute (fndecl, "interrupt_handler"))
    return DFT_SKIP_INTERRUPT;
  /* A body for inlining only; the function itself is compiled in a library.  */
  if (DECL_EXTERNAL (fndecl)
      && (has_attribute (fndecl, "gnu_inline") || DECL_IN_SYSTEM_HEADER (fndecl)))
    return DFT_SKIP_EXTERN_INLINE;
  /* Runs before the sites and the hooks have their addresses.  */
  if (is_ifunc_resolver (fndecl))
    return DFT_SKIP_IFUNC_RESOLVER;
  return DFT_SKIP_NONE;
}

/* A C99 inline function without an external definition links as long as GCC inlines every
   call.  Hooks may prevent that: a tail recursion that runs an exit hook cannot become a
   loop.  So this unit defines the function, in case it is called.  The definition is
   weak: the linker keeps one per program, and an external definition takes precedence.  */
static void
define_inline_function (tree fndecl)
{
  DECL_EXTERNAL (fndecl) = 0;
  TREE_STATIC (fndecl) = 1;
  DECL_COMDAT (fndecl) = 1;
  make_decl_one_only (fndecl, DECL_ASSEMBLER_NAME (fndecl));
}

static void
add_hooks (tree fndecl, tree site, const struct call_values *values, unsigned shape)
{
  /* Two calls with the same arguments are two events: none of them may be optimized away,
     even if the function is pure or const.  */
  DECL_PURE_P (fndecl) = 0;
  TREE_READONLY (fndecl) = 0;
  DECL_LOOPING_CONST_OR_PURE_P (fndecl) = 0;

  tree token = make_token ();
  gimple_seq enter = enter_hook (site, token);
  gimple_seq exit = exit_hook (site, token);
  gimple_seq body = gimple_body (fndecl);
  const struct call_hooks hooks = { site, token, shape };
  if (!values->arguments.empty ())
    gimple_seq_add_seq (&enter, record_arguments (&hooks, values));
  if (!values->result.empty ())
    record_result (&body, &hooks, values);
  gtry *covered = gimple_build_try (body, exit, GIMPLE_TRY_FINALLY);
  gimple_seq_add_stmt (&enter, covered);
  gimple_set_body (fndecl, gimple_build_bind (NULL, enter, NULL));
}

/* Adds a line for FNDECL to the report.  */
static void
report (tree fndecl, const struct dft_names *names, const struct dft_verdict *verdict,
        enum dft_skip skip, const struct call_values *values)
{
  if (!plugin.arguments.report)
    return;
  struct dft_report_entry entry = {};
  entry.names = names;
  entry.file = site_file (fndecl);
  entry.line = DECL_SOURCE_LINE (fndecl);
  entry.verdict = verdict;
  entry.skip = skip;
  entry.omitted = dft_name_list_text (&values->layout.omitted);
  entry.allowlist = plugin.arguments.allowlist;
  dft_report_add (&plugin.report, &entry);
}

static void
instrument (tree fndecl)
{
  struct dft_names names;
  struct dft_verdict verdict;
  enum dft_language language
      = compat_is_fortran () ? DFT_LANGUAGE_FORTRAN : DFT_LANGUAGE_C_FAMILY;

  if (!dft_names_make (linkage_name (fndecl), language, &names))
    dft_plugin_out_of_memory ();
  dft_allowlist_match (plugin.allowlist, &names, DECL_SOURCE_FILE (fndecl), getpwd (),
                       &verdict);
  enum dft_skip skip = verdict.traced ? reason_to_skip (fndecl) : DFT_SKIP_NONE;
  struct call_values values;
  plugin.seen++;
  if (verdict.traced && skip == DFT_SKIP_NONE)
    {
      unsigned shape;
      plugin.instrumented++;
      select_values (fndecl, &verdict, &values);
      tree site = make_site (fndecl, &names, &verdict, &values, &shape);
      add_hooks (fndecl, site, &values, shape);
      if (compat_is_c () && DECL_EXTERNAL (fndecl) && DECL_DECLARED_INLINE_P (fndecl))
        define_inline_function (fndecl);
    }
  report (fndecl, &names, &verdict, skip, &values);
  dft_names_free (&names);
}

namespace
{

const pass_data instrument_pass_data = {
  GIMPLE_PASS, "dftrace", OPTGROUP_NONE, TV_NONE, PROP_gimple_any, 0, 0, 0, 0,
};

class instrument_pass : public gimple_opt_pass
{
public:
  instrument_pass () : gimple_opt_pass (instrument_pass_data, g) {}

  unsigned int
  execute (function *fun) final override
  {
    make_note ();
    if (!is_compiler_made (fun->decl))
      instrument (fun->decl);
    return 0;
  }
};

} // namespace

void
register_instrument_pass (void)
{
  compat_register_pass_before (plugin.name, new instrument_pass (), "*warn_unused_result",
                               COMPAT_FIRST_INSTANCE);
}
