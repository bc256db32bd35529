/* What the files of the plugin share.  */

#ifndef DFTRACE_GCC_PLUGIN_H
#define DFTRACE_GCC_PLUGIN_H

#include "compat.h"

#include "allowlist/allowlist.h"
#include "dftrace/abi.h"

/* The plugin's arguments, and what was made of them.  */
struct plugin_state
{
  const char *name;           /* as GCC knows the plugin: part of its argument names */
  const char *allowlist_path; /* as it was given */
  const char *announced_hash; /* of the allowlist, part of the command; may be NULL */
  const char *report_path;    /* NULL: no report is asked for */
  bool verbose;
  struct dft_allowlist *allowlist;
  std::string report;    /* JSON lines of this translation unit */
  unsigned seen;         /* functions that the pass has looked at */
  unsigned instrumented; /* those that got hooks */
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

/* STATEMENT as GIMPLE, in the function at hand.  */
gimple_seq lower_statement (tree statement);

/* CONDITION on a cold path: the code for it moves out of the way.  */
tree unlikely (tree condition);

/* The statement that sets POINTER to the address of SYMBOL, or to null where there is
   none at run time; only with quick hooks.  */
tree address_from_got (const char *symbol, tree pointer);

/* locals.cc  */

/* The names of FNDECL's variables, in the order of their declarations, joined by commas.
 */
std::string local_names (tree fndecl);

/* types.cc  */

/* How a value of TYPE is recorded: a code of abi.h.  BY_REFERENCE: it has a constructor,
   and stands where a hidden pointer says.  */
std::string value_code (tree type, bool by_reference);

/* A class as the source names it, with its scopes, without template arguments.  */
std::string class_name (tree type);

/* A type as a demangler spells it, and those of a function's parameters: for functions
   whose linkage name does not tell.  */
std::string type_name (tree type);
std::string function_types (tree fndecl);

/* The fields of a std::string_view.  */
tree view_length (tree type);
tree view_pointer (tree type);

/* values.cc  */

struct call_value
{
  tree source;      /* the parameter */
  std::string code; /* of abi.h */
  unsigned offset;  /* in the array that is handed to the runtime */
  tree length;      /* of a text of Fortran's, else NULL */
};

/* What a call records; nothing of a function that is not in [args].  */
struct call_values
{
  std::string shape; /* DFTRACE_TEXT_VALUES */
  std::vector<struct call_value> arguments;
  std::string result;  /* its code; empty: none is recorded */
  std::string without; /* names that a rule leaves out, joined by commas */
  unsigned size = 0;   /* of the array */
};

/* What a function's hooks share.  */
struct call_hooks
{
  tree site;
  tree token;
  unsigned shape; /* where it stands in the site's text */
};

struct call_values describe_values (tree fndecl, const struct dft_verdict *verdict);
std::string parameter_name (tree fndecl, tree parm);
gimple_seq record_arguments (const struct call_hooks *hooks,
                             const struct call_values *values);

/* Before each return of BODY.  */
void record_result (gimple_seq *body, const struct call_hooks *hooks,
                    const struct call_values *values);

/* site.cc  */

/* A static site for FNDECL.  The first one of a translation unit brings the registration
   along.  SHAPE gets the place of the description of its values.  */
tree make_site (tree fndecl, const struct dft_names *names,
                const struct dft_verdict *verdict, const struct call_values *values,
                unsigned *shape);

/* The source file of FNDECL as it may appear in the output: -ffile-prefix-map applies. */
const char *site_file (tree fndecl);

/* The site's switch, and the two calls.  */
tree site_switch (tree site);
tree call_enter (tree site);
tree call_exit (tree site, tree token);

/* The call of a function that takes values, __dftrace_args or __dftrace_result.  */
void append_call_values (const char *name, tree site, tree token, unsigned shape,
                         tree array, tree *statements);

/* The note that says: this unit was compiled with the plugin.  Made with the first
   function, filled in when the last one is done.  */
void make_note (void);
void finish_note (void);

void register_site_roots (void);

#endif
