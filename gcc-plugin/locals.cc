/* The names of a function's variables.

   The front end's blocks still contain every variable of the source, including those that
   the optimizers will remove.  A block lists its own variables before those of the blocks
   inside it, and Fortran lists them in no particular order: so they are sorted by the
   location of their declarations.  */

#include "plugin.h"

#include <algorithm>

/* Whether the source can have this name: the names of the compiler's own variables
   contain dots and similar characters.  */
static bool
is_source_name (const char *name)
{
  return *name && !strpbrk (name, ".<# ");
}

/* Whether DECL is the capture of a lambda, which GCC represents as a variable.  */
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

/* Whether DECL is a variable that the source declares in FNDECL.  */
static bool
is_local (tree fndecl, tree decl)
{
  return VAR_P (decl) && DECL_NAME (decl) && !DECL_ARTIFICIAL (decl)
         && !DECL_EXTERNAL (decl)
         && is_source_name (IDENTIFIER_POINTER (DECL_NAME (decl)))
         && !is_captured (decl)
         /* A nested function's blocks also list the variables of the function around it.
          */
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

void
add_local_names (tree fndecl, struct dft_name_list *names)
{
  std::vector<tree> locals;
  /* Constructors and destructors are clones of one function that has the blocks.  */
  tree written = DECL_ABSTRACT_ORIGIN (fndecl) ? DECL_ABSTRACT_ORIGIN (fndecl) : fndecl;
  tree block = DECL_INITIAL (written);
  if (block && TREE_CODE (block) == BLOCK)
    collect (fndecl, block, &locals);
  std::stable_sort (locals.begin (), locals.end (), is_declared_before);
  for (tree decl : locals)
    if (names->count < DFTRACE_LOCALS_MAX)
      dft_name_list_add_once (names, IDENTIFIER_POINTER (DECL_NAME (decl)),
                              IDENTIFIER_LENGTH (DECL_NAME (decl)));
}
