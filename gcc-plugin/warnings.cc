/* Two passes that keep GCC's warnings the same as without hooks.

   The first one is for -Wmaybe-uninitialized.

     if (add_overflows (a, b, &result))
       die ();
     use (result);

   When add_overflows is inlined, its two returns meet in one block:

     failed = PHI <1, 0>
     result = PHI <UNDEFINED, a + b>
     exit hook
     if (failed != 0) die (); else use (result);

   Without the hook the jump threading passes give each return its own path, so that no
   undefined value reaches the use.  With the hook they mostly do the same (hook.cc
   explains why), but not at -Og, nor with GCC 11 at -Os.  There GCC's uninit pass finds
   the undefined argument and, since die does not return, no condition that guards the
   use.

   So this pass, right before each instance of the uninit pass, looks for such blocks.
   From the edge that carries an undefined value it follows the branches that are decided
   by the constants on the same edge.  If these avoid every use, the value is replaced by
   another undefined value, of a variable that GCC does not warn about.  The generated
   code stays the same.  The pass follows more branches than jump threading would: jump
   threading does not cross the border of a loop, for example.  Blocks without a hook are
   not changed: they are the same as in a program without hooks.

   The second pass is for -Wreturn-type and for "noreturn function does return".  Where
   GCC does not copy the exit hook to each exit, all exits share one copy of it, and a
   variable records which exit was taken:

     finally_tmp = 0; goto finish;       a return
     finally_tmp = 1; goto finish;       the end of the body, which a function that ends
   in a switch full of returns never reaches finish: exit hook if (finally_tmp == 1)
   return; else return value;

   GCC removes the assignment that cannot run, but at -O0 not the branch that depends on
   it, and so it assumes that the end can be reached.  Before GCC looks for missing
   returns, this pass removes the branches whose value is never assigned.  */

#include "plugin.h"

#include "cfganal.h"
#include "ssa.h"
#include "tree-cfg.h"
#include "tree-dfa.h"

static bool
is_call_of_hook (gimple *statement)
{
  tree callee = is_gimple_call (statement) ? gimple_call_fndecl (statement) : NULL_TREE;
  return callee && DECL_NAME (callee)
         && compat_starts_with (IDENTIFIER_POINTER (DECL_NAME (callee)), "__dftrace_");
}

static bool
has_hook (basic_block block)
{
  for (gimple_stmt_iterator at = gsi_start_bb (block); !gsi_end_p (at); gsi_next (&at))
    if (gasm *assembly = dyn_cast<gasm *> (gsi_stmt (at)))
      {
        if (strstr (gimple_asm_string (assembly), "__dftrace_quick_"))
          return true;
      }
    else if (is_call_of_hook (gsi_stmt (at)))
      return true;
  return false;
}

/* The edge by which control leaves the block that it has entered by ENTRY; NULL if that
   is not known.  */
static edge
decided_exit (edge entry)
{
  basic_block block = entry->dest;
  if (single_succ_p (block))
    return single_succ_edge (block);
  gimple_stmt_iterator last = gsi_last_nondebug_bb (block);
  gcond *branch = gsi_end_p (last) ? NULL : dyn_cast<gcond *> (gsi_stmt (last));
  if (!branch || TREE_CODE (gimple_cond_lhs (branch)) != SSA_NAME)
    return NULL;
  gphi *flag = dyn_cast<gphi *> (SSA_NAME_DEF_STMT (gimple_cond_lhs (branch)));
  if (!flag || gimple_bb (flag) != block)
    return NULL;
  tree outcome
      = fold_binary (gimple_cond_code (branch), boolean_type_node,
                     PHI_ARG_DEF_FROM_EDGE (flag, entry), gimple_cond_rhs (branch));
  if (!outcome || TREE_CODE (outcome) != INTEGER_CST)
    return NULL;
  edge if_true, if_false;
  extract_true_false_edges_from_block (block, &if_true, &if_false);
  return integer_zerop (outcome) ? if_false : if_true;
}

/* The edges and blocks that control can reach from an edge.  */
struct reach
{
  std::set<edge> edges;
  std::set<basic_block> blocks;
};

/* Everything that can run after ENTRY, until control enters its block again: from then on
   the PHIs there have other values.  */
static struct reach
reach_from (edge entry)
{
  struct reach reach;
  edge at = entry;
  for (edge next; (next = decided_exit (at)) != NULL; at = next)
    {
      reach.edges.insert (at);
      if (!reach.blocks.insert (at->dest).second)
        break;
    }
  std::vector<edge> open = { at };
  std::set<basic_block> left;
  while (!open.empty ())
    {
      at = open.back ();
      open.pop_back ();
      reach.edges.insert (at);
      if ((at != entry && at->dest == entry->dest) || !left.insert (at->dest).second)
        continue;
      reach.blocks.insert (at->dest);
      edge next;
      edge_iterator iterator;
      FOR_EACH_EDGE (next, iterator, at->dest->succs)
      open.push_back (next);
    }
  return reach;
}

/* Whether control that enters by ENTRY can reach a use of NAME.  */
static bool
may_be_used (tree name, edge entry)
{
  struct reach reach = reach_from (entry);
  imm_use_iterator iterator;
  use_operand_p use;
  FOR_EACH_IMM_USE_FAST (use, iterator, name)
  {
    gimple *user = USE_STMT (use);
    if (is_gimple_debug (user))
      continue;
    /* A PHI uses its argument on the edge.  */
    gphi *phi = dyn_cast<gphi *> (user);
    if (phi ? reach.edges.count (gimple_phi_arg_edge (phi, PHI_ARG_INDEX_FROM_USE (use)))
            : reach.blocks.count (gimple_bb (user)))
      return true;
  }
  return false;
}

static bool
is_undefined (tree value)
{
  return TREE_CODE (value) == SSA_NAME && SSA_NAME_IS_DEFAULT_DEF (value)
         && SSA_NAME_VAR (value) && VAR_P (SSA_NAME_VAR (value));
}

/* An undefined value of the type of VALUE that GCC does not warn about.  */
static tree
quiet_value (tree value)
{
  tree variable = create_tmp_reg (TREE_TYPE (value), "dftrace_undefined");
  compat_suppress_uninitialized (variable);
  return get_or_create_ssa_default_def (cfun, variable);
}

static void
replace_undefined_arguments (gphi *phi)
{
  for (unsigned i = 0; i < gimple_phi_num_args (phi); i++)
    {
      tree argument = gimple_phi_arg_def (phi, i);
      if (is_undefined (argument)
          && !may_be_used (gimple_phi_result (phi), gimple_phi_arg_edge (phi, i)))
        SET_PHI_ARG_DEF (phi, i, quiet_value (argument));
    }
}

/* Whether BLOCK contains a hook or follows one: a portable hook is a conditional call in
   a block of its own.  */
static bool
follows_hook (basic_block block)
{
  if (has_hook (block))
    return true;
  edge entry;
  edge_iterator iterator;
  FOR_EACH_EDGE (entry, iterator, block->preds)
  if (has_hook (entry->src))
    return true;
  return false;
}

/* Whether VALUE is the variable in which GCC records how a finally block was entered.  */
static bool
is_finally_variable (tree value)
{
  return VAR_P (value) && DECL_ARTIFICIAL (value) && DECL_NAME (value)
         && compat_starts_with (IDENTIFIER_POINTER (DECL_NAME (value)), "finally_tmp");
}

/* Whether the function still assigns NUMBER to VARIABLE.  */
static bool
is_assigned (tree variable, tree number)
{
  basic_block block;
  FOR_EACH_BB_FN (block, cfun)
  for (gimple_stmt_iterator at = gsi_start_bb (block); !gsi_end_p (at); gsi_next (&at))
    if (gimple_get_lhs (gsi_stmt (at)) == variable
        && (!gimple_assign_single_p (gsi_stmt (at))
            || tree_int_cst_equal (gimple_assign_rhs1 (gsi_stmt (at)), number)))
      return true;
  return false;
}

/* Decides the branch at the end of BLOCK if only one of its edges can be taken.  GCC has
   turned a switch with two cases into a condition, and few functions have more: the end
   of the body, and the return.  */
static bool
decide_finally_branch (basic_block block)
{
  gimple_stmt_iterator last = gsi_last_nondebug_bb (block);
  gcond *branch = gsi_end_p (last) ? NULL : dyn_cast<gcond *> (gsi_stmt (last));
  if (!branch || gimple_cond_code (branch) != EQ_EXPR
      || !is_finally_variable (gimple_cond_lhs (branch)) || !follows_hook (block)
      || is_assigned (gimple_cond_lhs (branch), gimple_cond_rhs (branch)))
    return false;
  gimple_cond_make_false (branch);
  update_stmt (branch);
  return true;
}

namespace
{

const pass_data finally_pass_data = {
  GIMPLE_PASS, "dftrace_finally", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0,
};

class finally_pass : public gimple_opt_pass
{
public:
  finally_pass () : gimple_opt_pass (finally_pass_data, g) {}

  unsigned int
  execute (function *fun) final override
  {
    bool decided = false;
    basic_block block;
    FOR_EACH_BB_FN (block, fun)
    decided |= decide_finally_branch (block);
    return decided ? TODO_cleanup_cfg : 0;
  }
};

const pass_data quiet_pass_data = {
  GIMPLE_PASS, "dftrace_uninit", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, 0,
};

class quiet_pass : public gimple_opt_pass
{
public:
  quiet_pass () : gimple_opt_pass (quiet_pass_data, g) {}

  opt_pass *
  clone () final override
  {
    return new quiet_pass ();
  }

  bool
  gate (function *) final override
  {
    return warn_maybe_uninitialized;
  }

  unsigned int
  execute (function *fun) final override
  {
    basic_block block;
    FOR_EACH_BB_FN (block, fun)
    if (has_hook (block))
      for (gphi_iterator at = gsi_start_phis (block); !gsi_end_p (at); gsi_next (&at))
        replace_undefined_arguments (at.phi ());
    return 0;
  }
};

} // namespace

void
register_warning_passes (void)
{
  compat_register_pass_before (plugin.name, new finally_pass (), "*warn_function_return",
                               COMPAT_FIRST_INSTANCE);
  compat_register_pass_before (plugin.name, new quiet_pass (), "uninit",
                               COMPAT_EVERY_INSTANCE);
}
