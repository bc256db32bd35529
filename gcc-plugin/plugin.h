/* What the files of the GCC plugin share.

   llvm-pass/plugin.h is its twin: the same files, in the same order.  */

#ifndef DFTRACE_GCC_PLUGIN_H
#define DFTRACE_GCC_PLUGIN_H

#include "compat.h"

#include "allowlist/allowlist.h"
#include "dftrace/abi.h"
#include "plugin-core/arguments.h"
#include "plugin-core/skip.h"
#include "plugin-core/string.h"
#include "plugin-core/values.h"

/* The state of the plugin in this compilation.  */
struct plugin_state
{
  const char *name; /* as GCC knows the plugin: part of its argument names */
  struct dft_plugin_arguments arguments;
  struct dft_allowlist *allowlist;
  struct dft_string report; /* JSON lines of this translation unit */
  unsigned seen;            /* functions that the pass has looked at */
  unsigned instrumented;    /* those that got hooks */
};

extern struct plugin_state plugin;

/* pass.cc  */

void register_instrument_pass (void);

/* warnings.cc  */

void register_warning_passes (void);

/* hook.cc  */

/* The local variable that holds a call's token, and the code that sets and uses it.  */
tree make_token (void);
gimple_seq enter_hook (tree site, tree token);
gimple_seq exit_hook (tree site, tree token);

/* STATEMENT as GIMPLE, in the current function.  */
gimple_seq lower_statement (tree statement);

/* CONDITION, marked as unlikely: the code that depends on it moves out of the way.  */
tree unlikely (tree condition);

/* The statement that sets POINTER to the address of SYMBOL, or to null if nothing defines
   it at run time.  Only for inline-assembly hooks.  */
tree address_from_got (const char *symbol, tree pointer);

/* locals.cc  */

/* The names of FNDECL's variables, in the order of their declarations.  */
void add_local_names (tree fndecl, struct dft_name_list *names);

/* types.cc  */

/* How a value of TYPE is recorded: a code of abi.h.  BY_REFERENCE: the function gets a
   hidden pointer to the value, because its class has a constructor.  */
std::string value_code (tree type, bool by_reference);

/* The types of FNDECL's parameters as a demangler spells them, for functions whose
   linkage name does not contain them.  */
std::string function_types (tree fndecl);

/* The fields of a std::string_view.  */
tree view_length (tree type);
tree view_pointer (tree type);

/* values.cc  */

/* An argument that is recorded.  */
struct call_value
{
  tree source;      /* the parameter */
  std::string code; /* of abi.h */
  unsigned offset;  /* in the array that is passed to the runtime */
  tree length;      /* of a Fortran character argument, else NULL */
};

/* What a call records; nothing for a function that is not in [args].  */
struct call_values
{
  struct dft_values layout = {};
  std::vector<struct call_value> arguments;
  std::string result; /* its code; empty: none is recorded */

  call_values () = default;
  call_values (const struct call_values &) = delete;
  ~call_values () { dft_values_free (&layout); }
};

/* What the hooks of a function share.  */
struct call_hooks
{
  tree site;
  tree token;
  unsigned shape; /* where the site's text describes the values */
};

/* The name of a parameter as in the source; empty where it has none.  */
std::string parameter_name (tree fndecl, tree parm);

void select_values (tree fndecl, const struct dft_verdict *verdict,
                    struct call_values *values);

/* Records the arguments; to be put behind the enter hook.  */
gimple_seq record_arguments (const struct call_hooks *hooks,
                             const struct call_values *values);

/* Records the result before each return of BODY.  */
void record_result (gimple_seq *body, const struct call_hooks *hooks,
                    const struct call_values *values);

/* site.cc  */

/* A static site for FNDECL.  The first one of a translation unit also adds the
   registration. SHAPE is set to where the site's text describes the values.  */
tree make_site (tree fndecl, const struct dft_names *names,
                const struct dft_verdict *verdict, const struct call_values *values,
                unsigned *shape);

/* The source file of FNDECL as it may appear in the output: -ffile-prefix-map applies. */
const char *site_file (tree fndecl);

/* The site's switch, and the calls of the two hooks.  */
tree site_switch (tree site);
tree call_enter (tree site);
tree call_exit (tree site, tree token);

/* Appends the call of a hook that takes values, __dftrace_args or __dftrace_result.  */
void append_call_values (const char *name, const struct call_hooks *hooks, tree array,
                         tree *statements);

/* The note that says that this unit was compiled with the plugin.  Made with the first
   function, completed after the last one.  */
void make_note (void);
void finish_note (void);

void register_site_roots (void);

#endif
