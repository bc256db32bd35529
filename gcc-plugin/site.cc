/* Sites, declarations of the hooks, registration and note: the data that abi.h describes,
   built as trees.

   A site is a static variable of the translation unit, in the section dftrace_sites.  GCC
   cannot put it into the COMDAT group of its function ("section type conflict", and with
   LTO some sites would be lost), so each unit has its own site for an inline function,
   and the runtime merges equal ones.  Only its function refers to a site: when the
   function is removed (--gc-sections, LTO), the site may be removed as well.

   One constructor per unit passes the sites of the whole module to the runtime, before
   any constructor of the user runs.  All symbols of the runtime are weak: without the
   runtime the constructor does nothing.  */

#include "plugin.h"

#include "dftrace/absent.h"
#include "plugin-core/note.h"
#include "plugin-core/site_text.h"

/* Everything that must survive garbage collection.  */
static tree site_type;
static tree on_field;
static tree enter_decl;
static tree exit_decl;
static tree note_decl;

static const struct ggc_root_tab roots[]
    = { { &site_type, 1, sizeof (tree), &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
        { &on_field, 1, sizeof (tree), &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
        { &enter_decl, 1, sizeof (tree), &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
        { &exit_decl, 1, sizeof (tree), &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
        { &note_decl, 1, sizeof (tree), &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
        LAST_GGC_ROOT_TAB };

void
register_site_roots (void)
{
  register_callback (plugin.name, PLUGIN_REGISTER_GGC_ROOTS, NULL,
                     const_cast<struct ggc_root_tab *> (roots));
}

static tree
unsigned_type (unsigned bits)
{
  return build_nonstandard_integer_type (bits, 1);
}

static tree
const_char_type (void)
{
  return build_qualified_type (char_type_node, TYPE_QUAL_CONST);
}

static tree
add_field (tree record, tree last, const char *name, tree type)
{
  tree field = build_decl (BUILTINS_LOCATION, FIELD_DECL, get_identifier (name), type);
  DECL_CONTEXT (field) = record;
  DECL_CHAIN (field) = last;
  return field;
}

/* struct dftrace_site.  */
static void
make_site_type (void)
{
  tree text = build_pointer_type (const_char_type ());
  site_type = make_node (RECORD_TYPE);
  on_field = add_field (site_type, NULL_TREE, "on",
                        build_qualified_type (unsigned_type (8), TYPE_QUAL_VOLATILE));
  /* The runtime changes it at any time.  */
  TREE_THIS_VOLATILE (on_field) = 1;
  TREE_SIDE_EFFECTS (on_field) = 1;
  tree last = add_field (site_type, on_field, "known", unsigned_type (8));
  last = add_field (site_type, last, "flags", unsigned_type (16));
  last = add_field (site_type, last, "line", unsigned_type (32));
  last = add_field (site_type, last, "id", unsigned_type (32));
  last = add_field (site_type, last, "padding", unsigned_type (32));
  last = add_field (site_type, last, "text", text);
  SET_TYPE_ALIGN (site_type, alignof (struct dftrace_site) * BITS_PER_UNIT);
  TYPE_USER_ALIGN (site_type) = 1;
  finish_builtin_struct (site_type, "dftrace_site", last, NULL_TREE);
  gcc_assert (tree_to_uhwi (TYPE_SIZE_UNIT (site_type)) == sizeof (struct dftrace_site));
}

/* A function of the runtime.  Weak, so that a program links and runs without it.  */
static tree
declare_hook (const char *name, tree type)
{
  tree decl = build_decl (BUILTINS_LOCATION, FUNCTION_DECL, get_identifier (name), type);
  DECL_EXTERNAL (decl) = 1;
  TREE_PUBLIC (decl) = 1;
  TREE_NOTHROW (decl) = 1;
  DECL_ARTIFICIAL (decl) = 1;
  DECL_VISIBILITY (decl) = VISIBILITY_DEFAULT;
  DECL_VISIBILITY_SPECIFIED (decl) = 1; /* -fvisibility does not apply */
  declare_weak (decl);
  return decl;
}

static void
declare_hooks (void)
{
  tree site_pointer = build_pointer_type (site_type);
  tree token = unsigned_type (64);
  enter_decl = declare_hook ("__dftrace_enter",
                             build_function_type_list (token, site_pointer, NULL_TREE));
  exit_decl = declare_hook (
      "__dftrace_exit",
      build_function_type_list (void_type_node, site_pointer, token, NULL_TREE));
}

/* A symbol that the linker defines at one end of the section.  Hidden, because each
   module has its own.  */
static tree
declare_section_end (const char *name)
{
  tree decl = build_decl (BUILTINS_LOCATION, VAR_DECL, get_identifier (name), site_type);
  DECL_EXTERNAL (decl) = 1;
  TREE_PUBLIC (decl) = 1;
  TREE_ADDRESSABLE (decl) = 1;
  DECL_ARTIFICIAL (decl) = 1;
  DECL_VISIBILITY (decl) = VISIBILITY_HIDDEN;
  DECL_VISIBILITY_SPECIFIED (decl) = 1;
  declare_weak (decl);
  return decl;
}

static void
add_assembly (const std::string &text)
{
  symtab->finalize_toplevel_asm (build_string (text.size (), text.data ()));
}

/* Adds the reference to the runtime (DFTRACE_RUNTIME_REFERENCE in abi.h) and the code
   that runs when the runtime is missing (absent.h).  */
static void
name_runtime (void)
{
  if (flag_pic && !flag_pie)
    add_assembly (DFTRACE_RUNTIME_WEAK);
  add_assembly (DFTRACE_RUNTIME_REFERENCE);
  if (compat_has_quick_hooks ())
    add_assembly (compat_wrap_att_syntax (DFTRACE_ABSENT_X86_64));
}

/* if (&__dftrace_register)
     __dftrace_register (ABI, &__start_dftrace_sites, &__stop_dftrace_sites);  */
static void
make_registration (void)
{
  tree site_pointer = build_pointer_type (site_type);
  tree type = build_function_type_list (void_type_node, unsigned_type (32), site_pointer,
                                        site_pointer, NULL_TREE);
  tree begin = declare_section_end ("__start_" DFTRACE_SITE_SECTION);
  tree end = declare_section_end ("__stop_" DFTRACE_SITE_SECTION);
  tree hook = build_fold_addr_expr (declare_hook ("__dftrace_register", type));
  tree body = NULL_TREE;
  if (compat_has_quick_hooks ())
    {
      hook = create_tmp_var_raw (TREE_TYPE (hook), "dftrace_register");
      append_to_statement_list (address_from_got ("__dftrace_register", hook), &body);
    }
  tree call
      = build_call_expr_loc (UNKNOWN_LOCATION, build_fold_indirect_ref (hook), 3,
                             build_int_cst (unsigned_type (32), DFTRACE_ABI),
                             build_fold_addr_expr (begin), build_fold_addr_expr (end));
  tree there
      = build2 (NE_EXPR, boolean_type_node, hook, build_int_cst (TREE_TYPE (hook), 0));
  append_to_statement_list (build3 (COND_EXPR, void_type_node, there, call, NULL_TREE),
                            &body);

  struct function *saved = cfun;
  tree saved_decl = current_function_decl;
  cgraph_build_static_cdtor ('I', body, DFTRACE_REGISTER_PRIORITY);
  set_cfun (saved);
  current_function_decl = saved_decl;
}

/* A static variable of the translation unit, without debug information.  */
static tree
make_static (const char *name, tree type)
{
  tree decl = build_decl (BUILTINS_LOCATION, VAR_DECL, create_tmp_var_name (name), type);
  TREE_STATIC (decl) = 1;
  TREE_USED (decl) = 1;
  TREE_ADDRESSABLE (decl) = 1;
  DECL_ARTIFICIAL (decl) = 1;
  DECL_IGNORED_P (decl) = 1;
  /* Otherwise GCC aligns larger objects more strictly than their type requires, and there
     would be gaps between sites.  */
  SET_DECL_ALIGN (decl, TYPE_ALIGN (type));
  DECL_USER_ALIGN (decl) = 1;
  return decl;
}

static tree
make_initial (tree array, const struct dft_string *bytes)
{
  tree initial = build_string (bytes->length, dft_string_text (bytes));
  TREE_TYPE (initial) = TREE_TYPE (array);
  return initial;
}

const char *
site_file (tree fndecl)
{
  const char *file = DECL_SOURCE_FILE (fndecl);
  return file ? dft_site_file (remap_macro_filename (file)) : "";
}

/* The parameters of the source; those without a name are empty.  */
static void
add_parameter_names (tree fndecl, struct dft_name_list *names)
{
  for (tree parm = DECL_ARGUMENTS (fndecl); parm; parm = DECL_CHAIN (parm))
    if (!DECL_ARTIFICIAL (parm))
      {
        std::string name = parameter_name (fndecl, parm);
        dft_name_list_add (names, name.data (), name.size ());
      }
}

static tree
make_text (tree fndecl, const struct dft_names *names, const struct dft_verdict *verdict,
           const struct call_values *values, unsigned *shape)
{
  struct dft_name_list parameters = {}, locals = {};
  struct dft_string text = {};
  add_parameter_names (fndecl, &parameters);
  add_local_names (fndecl, &locals);
  std::string types = function_types (fndecl);
  const struct dft_site_parts parts = { names,
                                        verdict,
                                        site_file (fndecl),
                                        dft_name_list_text (&parameters),
                                        dft_string_text (&values->layout.shape),
                                        types.c_str (),
                                        dft_name_list_text (&locals) };
  *shape = dft_site_text_make (&parts, &text);
  tree decl = make_static ("dftrace_text",
                           build_array_type_nelts (const_char_type (), text.length));
  TREE_READONLY (decl) = 1;
  DECL_INITIAL (decl) = make_initial (decl, &text);
  set_decl_section_name (decl, DFTRACE_TEXT_SECTION);
  varpool_node::finalize_decl (decl);
  dft_name_list_free (&parameters);
  dft_name_list_free (&locals);
  dft_string_free (&text);
  return build_fold_addr_expr (decl);
}

tree
make_site (tree fndecl, const struct dft_names *names, const struct dft_verdict *verdict,
           const struct call_values *values, unsigned *shape)
{
  if (!site_type)
    {
      make_site_type ();
      declare_hooks ();
      make_registration ();
      name_runtime ();
    }

  vec<constructor_elt, va_gc> *fields = NULL;
  for (tree field = TYPE_FIELDS (site_type); field; field = DECL_CHAIN (field))
    {
      const char *name = IDENTIFIER_POINTER (DECL_NAME (field));
      tree value;
      if (strcmp (name, "flags") == 0)
        value = build_int_cst (TREE_TYPE (field), verdict->flags);
      else if (strcmp (name, "line") == 0)
        value = build_int_cst (TREE_TYPE (field), DECL_SOURCE_LINE (fndecl));
      else if (strcmp (name, "text") == 0)
        value = fold_convert (TREE_TYPE (field),
                              make_text (fndecl, names, verdict, values, shape));
      else
        value = build_zero_cst (TREE_TYPE (field));
      CONSTRUCTOR_APPEND_ELT (fields, field, value);
    }
  tree initial = build_constructor (site_type, fields);
  TREE_CONSTANT (initial) = 1;
  TREE_STATIC (initial) = 1;

  tree site = make_static ("dftrace_site", site_type);
  DECL_INITIAL (site) = initial;
  set_decl_section_name (site, DFTRACE_SITE_SECTION);
  varpool_node::finalize_decl (site);
  return site;
}

tree
site_switch (tree site)
{
  tree on = build3 (COMPONENT_REF, TREE_TYPE (on_field), site, on_field, NULL_TREE);
  TREE_THIS_VOLATILE (on) = 1;
  TREE_SIDE_EFFECTS (on) = 1;
  return on;
}

tree
call_enter (tree site)
{
  return build_call_expr (enter_decl, 1, build_fold_addr_expr (site));
}

tree
call_exit (tree site, tree token)
{
  return build_call_expr (exit_decl, 2, build_fold_addr_expr (site), token);
}

/* Through the GOT for inline-assembly hooks: in an executable that is not
   position-independent the linker would otherwise resolve a weak function that is missing
   to null.  */
void
append_call_values (const char *name, const struct call_hooks *hooks, tree array,
                    tree *statements)
{
  tree type = build_function_type_list (void_type_node, build_pointer_type (site_type),
                                        unsigned_type (64), unsigned_type (32),
                                        ptr_type_node, NULL_TREE);
  tree hook = declare_hook (name, type);
  if (compat_has_quick_hooks ())
    {
      tree pointer = create_tmp_var (build_pointer_type (type), "dftrace_hook");
      append_to_statement_list (address_from_got (name, pointer), statements);
      hook = build_fold_indirect_ref (pointer);
    }
  tree call = build_call_expr_loc (
      UNKNOWN_LOCATION, hook, 4, build_fold_addr_expr (hooks->site), hooks->token,
      build_int_cst (unsigned_type (32), hooks->shape), build_fold_addr_expr (array));
  TREE_NOTHROW (call) = 1;
  append_to_statement_list (call, statements);
}

/* The bytes of the note, as far as they are known now.  */
static void
make_note_bytes (struct dft_string *bytes)
{
  const struct dft_note note = { plugin.allowlist, plugin.arguments.allowlist,
                                 plugin.instrumented, BYTES_BIG_ENDIAN != 0 };
  dft_note_make (&note, bytes);
}

void
make_note (void)
{
  if (note_decl)
    return;
  struct dft_string bytes = {};
  make_note_bytes (&bytes);
  note_decl = make_static ("dftrace_note",
                           build_array_type_nelts (const_char_type (), bytes.length));
  TREE_READONLY (note_decl) = 1;
  DECL_PRESERVE_P (note_decl) = 1; /* nothing refers to it */
  SET_DECL_ALIGN (note_decl, 4 * BITS_PER_UNIT);
  DECL_INITIAL (note_decl) = make_initial (note_decl, &bytes);
  set_decl_section_name (note_decl, DFTRACE_NOTE_SECTION);
  varpool_node::finalize_decl (note_decl);
  dft_string_free (&bytes);
}

void
finish_note (void)
{
  if (!note_decl)
    return;
  struct dft_string bytes = {};
  make_note_bytes (&bytes);
  DECL_INITIAL (note_decl) = make_initial (note_decl, &bytes);
  dft_string_free (&bytes);
}
