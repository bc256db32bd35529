/* The compiler's headers, and every difference between the GCC versions we build for.

   Nothing else in this folder asks for a version.  Verified with GCC 11 and 12.  */

#ifndef DFTRACE_GCC_COMPAT_H
#define DFTRACE_GCC_COMPAT_H

#include <set>
#include <string>

#include "gcc-plugin.h"
#include "plugin-version.h"

#include "tree.h"
#include "gimple.h"
#include "tree-pass.h"
#include "context.h"
#include "cgraph.h"
#include "gimplify.h"
#include "gimple-iterator.h"
#include "stringpool.h"
#include "attribs.h"
#include "diagnostic.h"
#include "langhooks.h"
#include "opts.h"
#include "options.h"
#include "output.h"
#include "varasm.h"
#include "stor-layout.h"
#include "fold-const.h"
#include "tree-iterator.h"
#include "file-prefix-map.h"
#include "cpplib.h"
#include "toplev.h"

#if GCCPLUGIN_VERSION_MAJOR < 11
#error "dftrace supports GCC 11 and later"
#endif

/* mkdeps.h is not among the plugin headers.  The Fortran compiler has no parse_in, so
   what belongs to the C family is referred to weakly.  */
class mkdeps;
extern void deps_add_dep (class mkdeps *, const char *);
extern cpp_reader *parse_in __attribute__ ((weak));

static inline bool
compat_starts_with (const char *text, const char *prefix)
{
  return strncmp (text, prefix, strlen (prefix)) == 0;
}

static inline bool
compat_is_fortran (void)
{
  return compat_starts_with (lang_hooks.name, "GNU Fortran");
}

/* The first instance of REFERENCE, and PASS right before it.  */
static inline void
compat_register_pass_before (const char *plugin, opt_pass *pass, const char *reference)
{
  struct register_pass_info info;
  info.pass = pass;
  info.reference_pass_name = reference;
  info.ref_pass_instance_number = 1;
  info.pos_op = PASS_POS_INSERT_BEFORE;
  register_callback (plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
}

#endif
