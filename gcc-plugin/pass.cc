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

   The test of site.on is inline, so a program that is not traced pays a load and a
   branch; hook.cc has the code.  The token remembers its answer: enter and exit pair even
   when the switch is thrown in between.  The finally block covers return, tail calls
   (which become calls that return) and exceptions.  A longjmp past it is noticed by the
   runtime.

   It runs right before "*warn_unused_result", the first of the lowering passes: bodies
   are still GIMPLE sequences, inlining is far ahead, and every function that is emitted
   comes by, whatever the level of optimization.  Later places crash the compiler or miss
   inlined functions.  */

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

/* Functions that the dynamic linker runs while it is still relocating: neither the sites
   nor the hooks have their addresses then.  An alias may be gone at -O0, the attribute
   that made it not.  */
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

/* Code without a counterpart in the source.  DECL_ARTIFICIAL alone does not tell: lambdas
   and coroutine bodies have it too.  */
static bool
is_compiler_made (tree fndecl)
{
  const char *name = linkage_name (fndecl);
  /* They run constructors, ours among them; one in the source is not artificial.  */
  if (DECL_ARTIFICIAL (fndecl)
      && (DECL_STATIC_CONSTRUCTOR (fndecl) || DECL_STATIC_DESTRUCTOR (fndecl)))
    return true;
  /* At -Os a constructor or destructor with virtual bases is split: this part has the
     body, and those that the program calls (C1, C2, D1, D2) do nothing but call it.  */
  if ((DECL_CXX_CONSTRUCTOR_P (fndecl) && strstr (name, "C4E"))
      || (DECL_CXX_DESTRUCTOR_P (fndecl) && strstr (name, "D4Ev")))
    return true;
  return compat_starts_with (name, "_GLOBAL__")
         || strstr (name, "__static_initialization_and_destruction_")
         || compat_starts_with (name, "_ZTW") /* access to a thread_local variable */
         || compat_starts_with (name, "_ZTH")
         || strcmp (name, "__tls_init") == 0
         /* A deleting destructor calls the destructor, then operator delete.  */
         || (compat_starts_with (name, "_Z") && strlen (name) > 4
             && strcmp (name + strlen (name) - 4, "D0Ev") == 0)
         /* A lambda's conversion to a function pointer: its call is the lambda's own.  */
         || (DECL_ARTIFICIAL (fndecl) && DECL_NAME (fndecl)
             && strcmp (IDENTIFIER_POINTER (DECL_NAME (fndecl)), "_FUN") == 0);
}

/* Why a function that a rule matches cannot have hooks; NULL when it can.  */
static const char *
reason_to_skip (tree fndecl)
{
  /* The source asks for it.  The flag DECL_NO_INSTRUMENT_FUNCTION_ENTRY_EXIT does not
     tell: GCC sets it on everything unless -finstrument-functions is given.  */
  if (has_attribute (fndecl, "no_instrument_function"))
    return "attribute no_instrument_function";
  /* Has neither prologue nor stack frame: a call would destroy its registers.  */
  if (has_attribute (fndecl, "naked"))
    return "attribute naked";
  /* Must save every register that its callees use, and ours use what they like.  */
  if (has_attribute (fndecl, "interrupt") || has_attribute (fndecl, "interrupt_handler"))
    return "attribute interrupt";
  /* The body serves inlining only, the real one is compiled elsewhere.  Of a C99 inline
     function or an extern template of the program's own, both have hooks, and each call
     runs one of them.  A library's would count only what is inlined.  */
  if (DECL_EXTERNAL (fndecl)
      && (has_attribute (fndecl, "gnu_inline") || DECL_IN_SYSTEM_HEADER (fndecl)))
    return "extern inline: compiled elsewhere";
  if (is_ifunc_resolver (fndecl))
    return "ifunc resolver: runs before relocation";
  return NULL;
}

/* A C99 inline function without an external definition links as long as GCC inlines
   every call.  Hooks may prevent that: a recursion that ends in an exit hook is no loop.
   So the function gets a definition here, which is emitted only where it is called; it
   is weak, one of several in a program is kept, and an external definition wins.  */
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
  /* Two calls with the same arguments are two events, also of a pure or const function.
   */
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

/* One line of the report for FNDECL.  */
static void
report (tree fndecl, const struct dft_names *names, const struct dft_verdict *verdict,
        const char *reason, const char *without)
{
  if (!plugin.report_path)
    return;
  struct dft_report_entry entry = {};
  entry.names = names;
  entry.file = site_file (fndecl);
  entry.line = DECL_SOURCE_LINE (fndecl);
  entry.verdict = verdict;
  entry.reason = reason;
  entry.without = without;
  entry.allowlist = plugin.allowlist_path;
  if (char *line = dft_report_line (&entry))
    {
      plugin.report += line;
      free (line);
    }
}

static void
instrument (tree fndecl)
{
  struct dft_names names;
  struct dft_verdict verdict;
  enum dft_language language
      = compat_is_fortran () ? DFT_LANGUAGE_FORTRAN : DFT_LANGUAGE_C_FAMILY;

  if (!dft_names_make (linkage_name (fndecl), language, &names))
    fatal_error (UNKNOWN_LOCATION, "dftrace: out of memory");
  dft_allowlist_match (plugin.allowlist, &names, DECL_SOURCE_FILE (fndecl), getpwd (),
                       &verdict);
  const char *reason = verdict.traced ? reason_to_skip (fndecl) : NULL;
  struct call_values values;
  plugin.seen++;
  if (verdict.traced && !reason)
    {
      unsigned shape;
      plugin.instrumented++;
      values = describe_values (fndecl, &verdict);
      tree site = make_site (fndecl, &names, &verdict, &values, &shape);
      add_hooks (fndecl, site, &values, shape);
      if (compat_is_c () && DECL_EXTERNAL (fndecl) && DECL_DECLARED_INLINE_P (fndecl))
        define_inline_function (fndecl);
    }
  report (fndecl, &names, &verdict, reason, values.without.c_str ());
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
