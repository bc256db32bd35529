/* The names of a function's variables, as the source has them.

   The front end's blocks still hold every variable of the source, also those that the
   optimizers will remove.  A block lists its own before those of the blocks inside it,
   and Fortran lists them in no order at all: where they are declared decides.  */

#include "plugin.h"

#include <algorithm>

/* A name that the source may have: the compiler's own have dots and the like.  */
static bool
is_source_name (const char *name)
{
  return *name && !strpbrk (name, ".<# ");
}

/* What a lambda has captured is a variable to GCC.  */
static bool
is_captured (tree decl)
{
  if (!DECL_HAS_VALUE_EXPR_P (decl))
    return false;
  tree base = DECL_VALUE_EXPR (decl);
  while (handled_component_p (base) || INDIRECT_REF_P (base)
         || TREE_CODE (base) == MEM_REF || CONVERT_EXPR_P (base))
    base = TREE_OPERAND (base, 0);
  return TREE_CODE (base) == PARM_DECL && DECL_ARTIFICIAL (base);
}

/* Whether DECL is a variable that stands in the source of FNDECL.  */
static bool
is_local (tree fndecl, tree decl)
{
  return VAR_P (decl) && DECL_NAME (decl) && !DECL_ARTIFICIAL (decl)
         && !DECL_EXTERNAL (decl)
         && is_source_name (IDENTIFIER_POINTER (DECL_NAME (decl)))
         && !is_captured (decl)
         /* A function inside another one is also given those of that one.  */
         && expansion_point_location (DECL_SOURCE_LOCATION (decl))
                >= expansion_point_location (DECL_SOURCE_LOCATION (fndecl));
}

static void
collect (tree fndecl, tree block, std::vector<tree> *locals)
{
  for (; block; block = BLOCK_CHAIN (block))
    {
      for (tree decl = BLOCK_VARS (block); decl; decl = DECL_CHAIN (decl))
        if (is_local (fndecl, decl))
          locals->push_back (decl);
      collect (fndecl, BLOCK_SUBBLOCKS (block), locals);
    }
}

static bool
is_declared_before (tree a, tree b)
{
  return expansion_point_location (DECL_SOURCE_LOCATION (a))
         < expansion_point_location (DECL_SOURCE_LOCATION (b));
}

std::string
local_names (tree fndecl)
{
  std::string names;
  std::vector<tree> locals;
  std::set<tree> seen;
  /* Constructors and destructors are copies of one that has the blocks.  */
  tree written = DECL_ABSTRACT_ORIGIN (fndecl) ? DECL_ABSTRACT_ORIGIN (fndecl) : fndecl;
  tree block = DECL_INITIAL (written);
  if (block && TREE_CODE (block) == BLOCK)
    collect (fndecl, block, &locals);
  std::stable_sort (locals.begin (), locals.end (), is_declared_before);
  for (tree decl : locals)
    if (seen.size () < DFTRACE_LOCALS_MOST && seen.insert (DECL_NAME (decl)).second)
      names += (names.empty () ? "" : ",")
               + std::string (IDENTIFIER_POINTER (DECL_NAME (decl)));
  return names;
}
