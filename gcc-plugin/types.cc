/* The types of arguments and results: how a value of a type is recorded, and the name of
   a type whose values are not recorded.

   The codes are those of abi.h.  The names follow rules that need nothing but the
   declaration, so that llvm-pass/types.cpp spells them in the same way: scopes and name,
   without template arguments.  */

#include "plugin.h"

static std::string
sized (char letter, HOST_WIDE_INT size)
{
  return letter + std::to_string (size);
}

static bool
is_char (tree type)
{
  return TYPE_MAIN_VARIANT (type) == char_type_node;
}

/* Whether the runtime may read memory of this type.  */
static bool
is_ordinary (tree type)
{
  return !TYPE_VOLATILE (type) && TYPE_ADDR_SPACE (type) == 0;
}

static std::string
float_code (tree type)
{
  const struct real_format *format = REAL_MODE_FORMAT (TYPE_MODE (type));
  if (format == &ieee_half_format)
    return sized (DFTRACE_VALUE_FLOAT, 2);
  if (format == &ieee_quad_format)
    return sized (DFTRACE_VALUE_QUAD, 16);
  if (TYPE_MODE (type) == TYPE_MODE (float_type_node))
    return sized (DFTRACE_VALUE_FLOAT, 4);
  if (TYPE_MODE (type) == TYPE_MODE (double_type_node))
    return sized (DFTRACE_VALUE_FLOAT, 8);
  if (TYPE_MODE (type) == TYPE_MODE (long_double_type_node)
      && TYPE_PRECISION (long_double_type_node) == 80 && int_size_in_bytes (type) == 16)
    return sized (DFTRACE_VALUE_FLOAT, 16);
  return "";
}

/* Empty if TYPE is not a scalar, or a scalar without a code.  */
static std::string
scalar_code (tree type)
{
  HOST_WIDE_INT size = int_size_in_bytes (type);
  switch (TREE_CODE (type))
    {
    case BOOLEAN_TYPE:
      return sized (DFTRACE_VALUE_BOOL, size);
    case ENUMERAL_TYPE:
    case INTEGER_TYPE:
      if (size < 1 || (size > 8 && TYPE_PRECISION (type) != 128))
        return "";
      if (is_char (type))
        return sized (DFTRACE_VALUE_CHAR, size);
      return sized (TYPE_UNSIGNED (type) ? DFTRACE_VALUE_UNSIGNED : DFTRACE_VALUE_SIGNED,
                    size);
    case REAL_TYPE:
      return float_code (type);
    case COMPLEX_TYPE:
      if (TREE_CODE (TREE_TYPE (type)) != REAL_TYPE
          || float_code (TREE_TYPE (type))[0] != DFTRACE_VALUE_FLOAT)
        return "";
      return sized (DFTRACE_VALUE_COMPLEX, size);
    case NULLPTR_TYPE:
      return sized (DFTRACE_VALUE_POINTER, size);
    case POINTER_TYPE:
      {
        bool text = is_char (TREE_TYPE (type)) && is_ordinary (TREE_TYPE (type));
        return sized (text ? DFTRACE_VALUE_TEXT : DFTRACE_VALUE_POINTER, size);
      }
    default:
      return "";
    }
}

static const char *
identifier (tree decl)
{
  tree name = decl && DECL_P (decl) ? DECL_NAME (decl) : decl;
  return name ? IDENTIFIER_POINTER (name) : "";
}

static tree
find_field (tree type, const char *name)
{
  for (tree field = TYPE_FIELDS (type); field; field = DECL_CHAIN (field))
    if (TREE_CODE (field) == FIELD_DECL && strcmp (identifier (field), name) == 0)
      return field;
  return NULL_TREE;
}

static bool
is_in_std (tree scope)
{
  return scope && TREE_CODE (scope) == NAMESPACE_DECL
         && strcmp (identifier (scope), "std") == 0;
}

/* Whether TYPE is the class NAME of the standard library, directly in std or in one of
   its namespaces.  */
static bool
is_standard (tree type, const char *name)
{
  tree decl = TYPE_NAME (TYPE_MAIN_VARIANT (type));
  if (TREE_CODE (type) != RECORD_TYPE || !decl || TREE_CODE (decl) != TYPE_DECL
      || strcmp (identifier (decl), name) != 0 || !COMPLETE_TYPE_P (type))
    return false;
  tree scope = DECL_CONTEXT (decl);
  return is_in_std (scope)
         || (scope && TREE_CODE (scope) == NAMESPACE_DECL
             && is_in_std (DECL_CONTEXT (scope)));
}

/* Whether TYPE is std::string in libstdc++'s layout: a pointer, then the length.  Where an
   allocator with state comes before the pointer, nothing is recorded.  */
static bool
is_string (tree type)
{
  if (!is_standard (type, "basic_string"))
    return false;
  tree holder = find_field (type, "_M_dataplus");
  tree length = find_field (type, "_M_string_length");
  tree pointer = holder && TREE_CODE (TREE_TYPE (holder)) == RECORD_TYPE
                     ? find_field (TREE_TYPE (holder), "_M_p")
                     : NULL_TREE;
  return length && pointer && POINTER_TYPE_P (TREE_TYPE (pointer))
         && is_char (TREE_TYPE (TREE_TYPE (pointer))) && int_byte_position (holder) == 0
         && int_byte_position (pointer) == 0
         && int_byte_position (length) == int_size_in_bytes (ptr_type_node);
}

tree
view_length (tree type)
{
  return find_field (type, "_M_len");
}

tree
view_pointer (tree type)
{
  return find_field (type, "_M_str");
}

/* Whether TYPE is std::string_view in libstdc++'s layout: the length, then a pointer.  */
static bool
is_view (tree type)
{
  if (!is_standard (type, "basic_string_view"))
    return false;
  tree length = view_length (type), pointer = view_pointer (type);
  return length && pointer && POINTER_TYPE_P (TREE_TYPE (pointer))
         && is_char (TREE_TYPE (TREE_TYPE (pointer))) && int_byte_position (length) == 0
         && int_byte_position (pointer) == int_size_in_bytes (ptr_type_node);
}

static std::string class_name (tree type);

/* The scopes that have a name, from the outside in, each followed by "::".  */
static std::string
scope_names (tree scope)
{
  if (!scope)
    return "";
  if (TREE_CODE (scope) == NAMESPACE_DECL && strcmp (identifier (scope), "::") != 0)
    return scope_names (DECL_CONTEXT (scope))
           + (DECL_NAME (scope) ? identifier (scope) : "(anonymous namespace)") + "::";
  if (RECORD_OR_UNION_TYPE_P (scope))
    return class_name (scope) + "::";
  return "";
}

/* A class as the source names it: with its scopes, without template arguments.  */
static std::string
class_name (tree type)
{
  tree decl = TYPE_NAME (TYPE_MAIN_VARIANT (type));
  /* In C, a structure without a tag has the name of its first typedef.  */
  if (!decl)
    for (decl = TYPE_NAME (type); decl && TREE_CODE (decl) == TYPE_DECL
                                  && DECL_ORIGINAL_TYPE (decl)
                                  && TYPE_NAME (DECL_ORIGINAL_TYPE (decl));)
      decl = TYPE_NAME (DECL_ORIGINAL_TYPE (decl));
  std::string key = TREE_CODE (type) == UNION_TYPE ? "union" : "struct";
  const char *name = identifier (decl);
  if (find_field (type, "__pfn"))
    return "member pointer";
  if (compat_starts_with (name, "<lambda") || compat_starts_with (name, "._anon_lambda"))
    return "lambda";
  /* GCC's own name, where the source has none.  */
  if (!*name || *name == '.' || *name == '<' || compat_starts_with (name, "__lambda"))
    return *name && strstr (name, "lambda") ? "lambda" : key;
  if (TREE_CODE (decl) == IDENTIFIER_NODE) /* a tag of C */
    return key + " " + name;
  return scope_names (DECL_CONTEXT (decl)) + name;
}

/* What a trace shows instead of a value that is not recorded.  */
static std::string
type_word (tree type)
{
  switch (TREE_CODE (type))
    {
    case RECORD_TYPE:
    case UNION_TYPE:
      return class_name (type);
    case INTEGER_TYPE:
    case ENUMERAL_TYPE:
      return TYPE_UNSIGNED (type) ? "unsigned __int128" : "__int128";
    case REAL_TYPE:
      if (DECIMAL_FLOAT_TYPE_P (type))
        return "_Decimal" + std::to_string (8 * int_size_in_bytes (type));
      return int_size_in_bytes (type) == 2 ? "_Float16" : "__float128";
    case COMPLEX_TYPE:
      return "_Complex";
    case VECTOR_TYPE:
      return "vector";
    case ARRAY_TYPE:
      return "array";
    case OFFSET_TYPE:
    case METHOD_TYPE:
      return "member pointer";
    default:
      return "value";
    }
}

/* An arithmetic type as the demangler names it.  */
static const char *
number_name (tree type)
{
  const struct
  {
    tree type;
    const char *name;
  } numbers[] = {
    { char_type_node, "char" },
    { signed_char_type_node, "signed char" },
    { unsigned_char_type_node, "unsigned char" },
    { short_integer_type_node, "short" },
    { short_unsigned_type_node, "unsigned short" },
    { integer_type_node, "int" },
    { unsigned_type_node, "unsigned int" },
    { long_integer_type_node, "long" },
    { long_unsigned_type_node, "unsigned long" },
    { long_long_integer_type_node, "long long" },
    { long_long_unsigned_type_node, "unsigned long long" },
    { float_type_node, "float" },
    { double_type_node, "double" },
    { long_double_type_node, "long double" },
  };
  for (auto &number : numbers)
    if (TYPE_MAIN_VARIANT (type) == number.type)
      return number.name;
  tree decl = TYPE_NAME (TYPE_MAIN_VARIANT (type));
  return TREE_CODE (type) == INTEGER_TYPE && int_size_in_bytes (type) <= 8
             ? identifier (decl)
             : "";
}

static std::string
enum_name (tree type)
{
  tree decl = TYPE_NAME (TYPE_MAIN_VARIANT (type));
  const char *name = identifier (decl);
  if (!*name || *name == '.' || *name == '<')
    return "enum";
  if (TREE_CODE (decl) == IDENTIFIER_NODE) /* a tag of C */
    return std::string ("enum ") + name;
  return scope_names (DECL_CONTEXT (decl)) + name;
}

static std::string type_name (tree type);
static std::string parameter_types (tree type);

static std::string
unqualified_name (tree type)
{
  switch (TREE_CODE (type))
    {
    case VOID_TYPE:
      return "void";
    case BOOLEAN_TYPE:
      return "bool";
    case NULLPTR_TYPE:
      return "decltype(nullptr)";
    case INTEGER_TYPE:
    case REAL_TYPE:
      if (*number_name (type))
        return number_name (type);
      return type_word (type);
    case ENUMERAL_TYPE:
      return enum_name (type);
    case COMPLEX_TYPE:
      return type_name (TREE_TYPE (type)) + " _Complex";
    case POINTER_TYPE:
    case REFERENCE_TYPE:
      {
        tree to = TREE_TYPE (type);
        const char *sign = TREE_CODE (type) == POINTER_TYPE ? "*" : "&";
        if (TREE_CODE (to) == FUNCTION_TYPE)
          return type_name (TREE_TYPE (to)) + " (" + sign + ")" + parameter_types (to);
        if (TREE_CODE (to) == ARRAY_TYPE)
          return type_name (TREE_TYPE (to)) + " (" + sign + ") []";
        return type_name (to) + sign;
      }
    default:
      return type_word (type);
    }
}

/* A type as a demangler spells it.  */
static std::string
type_name (tree type)
{
  std::string name = unqualified_name (type);
  if (TYPE_READONLY (type))
    name += " const";
  if (TYPE_VOLATILE (type))
    name += " volatile";
  return name;
}

/* The parameter types of a function type, as a list in parentheses.  */
static std::string
parameter_types (tree type)
{
  std::string names;
  tree argument = TYPE_ARG_TYPES (type);
  for (; argument && argument != void_list_node; argument = TREE_CHAIN (argument))
    names += (names.empty () ? "" : ", ") + unqualified_name (TREE_VALUE (argument));
  if (!argument && TYPE_ARG_TYPES (type))
    names += names.empty () ? "..." : ", ...";
  return "(" + names + ")";
}

std::string
function_types (tree fndecl)
{
  if (compat_is_fortran () || TREE_CODE (TREE_TYPE (fndecl)) == METHOD_TYPE)
    return "";
  return parameter_types (TREE_TYPE (fndecl));
}

std::string
value_code (tree type, bool by_reference)
{
  const HOST_WIDE_INT pointer = int_size_in_bytes (ptr_type_node);
  if (is_string (type) && by_reference)
    return sized (DFTRACE_VALUE_STRING, pointer);
  /* How Fortran passes most arguments.  */
  if (by_reference && !scalar_code (type).empty () && !TYPE_VOLATILE (type))
    return DFTRACE_VALUE_REFERENCE + scalar_code (type);
  if (is_view (type) && !by_reference && pointer == 8)
    return sized (DFTRACE_VALUE_VIEW, 2 * pointer);
  if (TREE_CODE (type) == REFERENCE_TYPE)
    {
      tree object = TREE_TYPE (type);
      std::string code = scalar_code (object);
      if (is_string (object))
        return sized (DFTRACE_VALUE_STRING, pointer);
      if (is_view (object) && pointer == 8)
        code = sized (DFTRACE_VALUE_VIEW, 2 * pointer);
      if (!code.empty () && is_ordinary (object))
        return std::string (1, DFTRACE_VALUE_REFERENCE) + code;
      return sized (DFTRACE_VALUE_POINTER, pointer);
    }
  std::string code = scalar_code (type);
  return !code.empty () ? code : std::string (1, DFTRACE_VALUE_TYPE) + type_word (type);
}
