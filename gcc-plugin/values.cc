/* What a call of a function in [args] records of its arguments and its result.

   Behind the enter hook, and before each return:

     if (token)                           if (token)
       {                                    {
         values[0] = FIRST PARAMETER;         values[0] = RESULT;
         values[1] = ...                      __dftrace_result (&site, token,
         __dftrace_args (&site, token,                          shape, values);
                         shape, values);    }
       }

   The parameters are read before the body can change them.  This code does not read
   through pointers: the runtime does, because it can handle addresses that are not
   mapped.  Functions in other sections get none of this.  */

#include "plugin.h"

#include "gimple-walk.h"

/* Whether PARM is the object that a member function or a lambda is called on.  */
static bool
is_object (tree fndecl, tree parm)
{
  return TREE_CODE (TREE_TYPE (fndecl)) == METHOD_TYPE && parm == DECL_ARGUMENTS (fndecl);
}

/* GCC calls the elements of a parameter pack name#0, name#1 and so on.  */
std::string
parameter_name (tree fndecl, tree parm)
{
  if (is_object (fndecl, parm))
    return "this";
  if (!DECL_NAME (parm))
    return "";
  const char *name = IDENTIFIER_POINTER (DECL_NAME (parm));
  return std::string (name, strcspn (name, "#"));
}

/* The length of a Fortran character argument: the declared one, or a hidden parameter
   behind the parameters of the source.  NULL if PARM is something else.  */
static tree
text_length (tree fndecl, tree parm)
{
  tree text
      = POINTER_TYPE_P (TREE_TYPE (parm)) ? TREE_TYPE (TREE_TYPE (parm)) : NULL_TREE;
  if (!compat_is_fortran () || !text || TREE_CODE (text) != ARRAY_TYPE
      || !TYPE_STRING_FLAG (text) || int_size_in_bytes (TREE_TYPE (text)) != 1
      || int_size_in_bytes (ptr_type_node) != 8)
    return NULL_TREE;
  tree declared = TYPE_DOMAIN (text) ? TYPE_MAX_VALUE (TYPE_DOMAIN (text)) : NULL_TREE;
  if (declared && TREE_CODE (declared) == INTEGER_CST)
    return declared;
  std::string name = "_" + parameter_name (fndecl, parm);
  for (tree other = DECL_CHAIN (parm); other; other = DECL_CHAIN (other))
    if (DECL_ARTIFICIAL (other) && INTEGRAL_TYPE_P (TREE_TYPE (other))
        && parameter_name (fndecl, other) == name)
      return other;
  return NULL_TREE;
}

static void
select_result (tree fndecl, const struct dft_verdict *verdict, struct call_values *values)
{
  tree result = DECL_RESULT (fndecl);
  tree type = TREE_TYPE (TREE_TYPE (fndecl));
  if (!result || VOID_TYPE_P (type)
      || dft_values_omit (&values->layout, plugin.allowlist, verdict, DFT_VALUES_RESULT))
    return;
  values->result = value_code (type, DECL_BY_REFERENCE (result));
  dft_values_add_result (&values->layout, values->result.c_str ());
}

void
select_values (tree fndecl, const struct dft_verdict *verdict, struct call_values *values)
{
  if (!(verdict->flags & DFTRACE_SITE_ARGS))
    return;
  select_result (fndecl, verdict, values);
  for (tree parm = DECL_ARGUMENTS (fndecl); parm; parm = DECL_CHAIN (parm))
    {
      if (DECL_ARTIFICIAL (parm) && !is_object (fndecl, parm))
        continue;
      std::string name = parameter_name (fndecl, parm);
      if (dft_values_omit (&values->layout, plugin.allowlist, verdict, name.c_str ())
          || dft_values_is_full (&values->layout))
        continue;
      tree type = TREE_TYPE (parm);
      bool by_reference = DECL_BY_REFERENCE (parm);
      struct call_value value;
      value.source = parm;
      value.length = text_length (fndecl, parm);
      if (value.length)
        value.code = std::string (1, DFTRACE_VALUE_VIEW) + "16";
      else
        value.code = value_code (by_reference ? TREE_TYPE (type) : type, by_reference);
      value.offset
          = dft_values_add_argument (&values->layout, name.c_str (), value.code.c_str ());
      values->arguments.push_back (value);
    }
}

static void
store (tree array, unsigned offset, tree value, tree *statements)
{
  tree type = TYPE_MAIN_VARIANT (TREE_TYPE (value));
  if (TYPE_ALIGN (type) > 64) /* the alignment of the array */
    type = build_aligned_type (type, 64);
  tree place = build2 (MEM_REF, type, build_fold_addr_expr (array),
                       build_int_cst (build_pointer_type (char_type_node), offset));
  append_to_statement_list (build2 (MODIFY_EXPR, void_type_node, place, value),
                            statements);
}

/* Puts the value of SOURCE, a parameter or a result, into the array.  */
static void
store_value (tree array, unsigned offset, const std::string &code, tree source,
             tree *statements)
{
  if (code[0] == DFTRACE_VALUE_TYPE)
    return;
  if (code[0] == DFTRACE_VALUE_VIEW)
    {
      tree fields[]
          = { view_length (TREE_TYPE (source)), view_pointer (TREE_TYPE (source)) };
      for (unsigned i = 0; i < 2; i++)
        store (
            array, offset + 8 * i,
            build3 (COMPONENT_REF, TREE_TYPE (fields[i]), source, fields[i], NULL_TREE),
            statements);
      return;
    }
  if (POINTER_TYPE_P (TREE_TYPE (source)))
    source = fold_convert (ptr_type_node, source);
  store (array, offset, source, statements);
}

static void
store_text (tree array, const struct call_value *value, tree *statements)
{
  tree word = build_nonstandard_integer_type (64, 1);
  store (array, value->offset, fold_convert (word, value->length), statements);
  store (array, value->offset + 8, fold_convert (ptr_type_node, value->source),
         statements);
}

static tree
make_array (const struct call_values *values)
{
  unsigned words = MAX (values->layout.size, 8) / 8;
  tree type = build_array_type_nelts (build_nonstandard_integer_type (64, 1), words);
  tree array = create_tmp_var (type, "dftrace_values");
  TREE_ADDRESSABLE (array) = 1;
  return array;
}

/* if (token) { STATEMENTS; hook (&site, token, shape, array); }  */
static gimple_seq
when_traced (const struct call_hooks *hooks, const char *hook, tree array,
             tree statements)
{
  append_call_values (hook, hooks, array, &statements);
  tree traced = build2 (NE_EXPR, boolean_type_node, hooks->token,
                        build_zero_cst (TREE_TYPE (hooks->token)));
  gimple_seq sequence = lower_statement (
      build3 (COND_EXPR, void_type_node, unlikely (traced), statements, NULL_TREE));
  /* GCC warns about an uninitialized value where the source uses it; not here as well. */
  for (gimple_stmt_iterator at = gsi_start (sequence); !gsi_end_p (at); gsi_next (&at))
    gimple_set_no_warning (gsi_stmt (at), true);
  return sequence;
}

gimple_seq
record_arguments (const struct call_hooks *hooks, const struct call_values *values)
{
  tree statements = NULL_TREE;
  tree array = make_array (values);
  for (const struct call_value &value : values->arguments)
    if (value.length)
      store_text (array, &value, &statements);
    else
      store_value (array, value.offset, value.code, value.source, &statements);
  return when_traced (hooks, "__dftrace_args", array, statements);
}

/* The state of the walk over a body.  */
struct result_walk
{
  const struct call_hooks *hooks;
  const struct call_values *values;
  tree array;
};

static tree
record_at_return (gimple_stmt_iterator *at, bool *, struct walk_stmt_info *info)
{
  const struct result_walk *walk = static_cast<struct result_walk *> (info->info);
  greturn *statement = dyn_cast<greturn *> (gsi_stmt (*at));
  tree result = statement ? gimple_return_retval (statement) : NULL_TREE;
  if (!result)
    return NULL_TREE;
  tree statements = NULL_TREE;
  store_value (walk->array, 0, walk->values->result, result, &statements);
  gimple_seq sequence
      = when_traced (walk->hooks, "__dftrace_result", walk->array, statements);
  gsi_insert_seq_before (at, sequence, GSI_SAME_STMT);
  return NULL_TREE;
}

void
record_result (gimple_seq *body, const struct call_hooks *hooks,
               const struct call_values *values)
{
  struct walk_stmt_info info = {};
  struct result_walk walk = { hooks, values, make_array (values) };
  info.info = &walk;
  walk_gimple_seq_mod (body, record_at_return, NULL, &info);
}
