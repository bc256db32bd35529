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

/* hook.cc  */

/* The local variable that holds a call's token, and the code that sets and uses it.  */
tree make_token (void);
gimple_seq enter_hook (tree site, tree token);
gimple_seq exit_hook (tree site, tree token);

/* The statement that sets POINTER to the address of SYMBOL, or to null where there is
   none at run time; only with quick hooks.  */
tree address_from_got (const char *symbol, tree pointer);

/* site.cc  */

/* A static site for FNDECL.  The first one of a translation unit brings the registration
 * along.  */
tree make_site (tree fndecl, const struct dft_names *names,
                const struct dft_verdict *verdict);

/* The source file of FNDECL as it may appear in the output: -ffile-prefix-map applies. */
const char *site_file (tree fndecl);

/* The site's switch, and the two calls.  */
tree site_switch (tree site);
tree call_enter (tree site);
tree call_exit (tree site, tree token);

/* The note that says: this unit was compiled with the plugin.  Made with the first
   function, filled in when the last one is done.  */
void make_note (void);
void finish_note (void);

void register_site_roots (void);

#endif
