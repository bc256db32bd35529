/* GCC's headers, and every difference between the GCC versions that the plugin supports.

   No other file of this folder depends on the version.  Tested with GCC 11 and 12.  */

#ifndef DFTRACE_GCC_COMPAT_H
#define DFTRACE_GCC_COMPAT_H

#include <set>
#include <string>
#include <vector>

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
#include "real.h"
#include "tree-iterator.h"
#include "file-prefix-map.h"
#include "cpplib.h"
#include "toplev.h"

#if GCCPLUGIN_VERSION_MAJOR < 11
#error "dftrace supports GCC 11 and later"
#endif

/* GCC does not install mkdeps.h.  parse_in is weak: the Fortran compiler has none.  */
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

static inline bool
compat_is_c (void)
{
  return compat_starts_with (lang_hooks.name, "GNU C")
         && !compat_starts_with (lang_hooks.name, "GNU C++");
}

#if GCCPLUGIN_VERSION_MAJOR >= 12
/* Weak, because GCC 11 lacks it: if GCC 11 loads this plugin, the plugin must start in
   order to report that it was built for another version.  */
extern void suppress_warning (tree, opt_code, bool) __attribute__ ((weak));
#endif

/* Suppresses -Wuninitialized and -Wmaybe-uninitialized for VARIABLE.  */
static inline void
compat_suppress_uninitialized (tree variable)
{
#if GCCPLUGIN_VERSION_MAJOR >= 12
  suppress_warning (variable, OPT_Wuninitialized);
#else
  TREE_NO_WARNING (variable) = 1;
#endif
}

/* Whether the hooks may be inline assembly.  */
static inline bool
compat_has_quick_hooks (void)
{
#ifdef MASK_NO_RED_ZONE /* an x86 compiler */
  return TARGET_64BIT && !TARGET_X32 && ix86_cmodel != CM_LARGE
         && ix86_cmodel != CM_LARGE_PIC;
#else
  return false;
#endif
}

/* TEXT, which is in AT&T syntax, for the assembly syntax of the unit.  */
static inline std::string
compat_wrap_att_syntax (const std::string &text)
{
#ifdef MASK_NO_RED_ZONE
  if (ix86_asm_dialect == ASM_INTEL)
    return "\t.att_syntax prefix\n" + text + "\t.intel_syntax noprefix\n";
#endif
  return text;
}

/* Makes room for a return address below the stack pointer in every function of the unit:
   a function with hooks may be inlined into any of them, and GCC inlines only between
   functions with the same setting.  To be called before GCC processes its options.  */
static inline void
compat_avoid_red_zone (void)
{
#ifdef MASK_NO_RED_ZONE
  target_flags |= MASK_NO_RED_ZONE;
#endif
}

/* Which of several instances of a pass, in GCC's numbering.  */
enum compat_instance
{
  COMPAT_EVERY_INSTANCE = 0,
  COMPAT_FIRST_INSTANCE = 1
};

/* Inserts PASS right before the pass REFERENCE.  */
static inline void
compat_register_pass_before (const char *plugin, opt_pass *pass, const char *reference,
                             enum compat_instance instance)
{
  struct register_pass_info info;
  info.pass = pass;
  info.reference_pass_name = reference;
  info.ref_pass_instance_number = instance;
  info.pos_op = PASS_POS_INSERT_BEFORE;
  register_callback (plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
}

#endif
