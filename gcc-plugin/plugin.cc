/* The plugin for GCC: arguments, allowlist, dependency output, report.

   One object serves cc1, cc1plus, f951 and lto1 of one GCC version.  It is loaded by the
   loader or named directly by -fplugin=; either way its arguments are
   -fplugin-arg-dftrace-KEY[=VALUE].  */

#include "plugin.h"

#include "plugin-core/report.h"

extern "C" __attribute__ ((visibility ("default"))) int plugin_is_GPL_compatible;
int plugin_is_GPL_compatible;

struct plugin_state plugin;

static const char expected_arguments[]
    = "-fplugin-arg-dftrace-allowlist=FILE, -fplugin-arg-dftrace-report=FILE and "
      "-fplugin-arg-dftrace-verbose";

/* A plugin that does not fit its compiler loads, does nothing and says nothing: hence the
   strict comparison, and a message that shows every part of it.  */
static bool
check_version (struct plugin_gcc_version *version)
{
  if (plugin_default_version_check (version, &gcc_version))
    return true;
  error ("this dftrace plugin was built for GCC %s and cannot be used by GCC %s",
         gcc_version.basever, version->basever);
  const struct
  {
    const char *what, *built_for, *running;
  } fields[] = {
    { "version", gcc_version.basever, version->basever },
    { "date", gcc_version.datestamp, version->datestamp },
    { "phase", gcc_version.devphase, version->devphase },
    { "revision", gcc_version.revision, version->revision },
    { "configuration", gcc_version.configuration_arguments,
      version->configuration_arguments },
  };
  /* The configuration is long, and differs whenever anything does.  */
  bool shown = false;
  for (const auto &field : fields)
    if (strcmp (field.built_for, field.running) != 0
        && !(shown && field.built_for == gcc_version.configuration_arguments))
      {
        inform (UNKNOWN_LOCATION, "%s: built for %qs, running in %qs", field.what,
                field.built_for, field.running);
        shown = true;
      }
  inform (UNKNOWN_LOCATION,
          "install the plugin headers of this compiler (Debian: gcc-%ld-plugin-dev) and "
          "build "
          "dftrace again",
          strtol (version->basever, NULL, 10));
  return false;
}

static bool
needs_value (const struct plugin_argument *argument)
{
  if (argument->value && *argument->value)
    return true;
  error ("%<-fplugin-arg-%s-%s%> needs a value: %<-fplugin-arg-%s-%s=FILE%>", plugin.name,
         argument->key, plugin.name, argument->key);
  return false;
}

static bool
read_arguments (struct plugin_name_args *info)
{
  bool fine = true;
  for (int i = 0; i < info->argc; i++)
    {
      const struct plugin_argument *argument = &info->argv[i];
      if (strcmp (argument->key, "allowlist") == 0)
        {
          fine &= needs_value (argument);
          plugin.allowlist_path = argument->value;
        }
      else if (strcmp (argument->key, "allowlist-hash") == 0)
        plugin.announced_hash = argument->value;
      else if (strcmp (argument->key, "report") == 0)
        {
          fine &= needs_value (argument);
          plugin.report_path = argument->value;
        }
      else if (strcmp (argument->key, "verbose") == 0 && !argument->value)
        plugin.verbose = true;
      else
        {
          error ("unknown argument %<-fplugin-arg-%s-%s%>; there are %s", plugin.name,
                 argument->key, expected_arguments);
          fine = false;
        }
    }
  if (fine && !plugin.allowlist_path)
    {
      error ("the dftrace plugin needs %<-fplugin-arg-%s-allowlist=FILE%>, a file that "
             "names the "
             "functions to trace",
             plugin.name);
      fine = false;
    }
  return fine;
}

/* A location inside the allowlist, so that GCC shows the line and a caret below the
 * column.  */
static location_t
allowlist_location (const struct dft_allowlist_error *problem)
{
  if (problem->line == 0)
    return UNKNOWN_LOCATION;
  linemap_add (line_table, LC_ENTER, 0, xstrdup (plugin.allowlist_path), problem->line);
  linemap_line_start (line_table, problem->line, problem->column + 1);
  return linemap_position_for_column (line_table, problem->column);
}

/* The hash is in the command only for compiler caches, which compare commands.  A build
   that was configured before the list changed still compiles by the list as it is.  */
static void
check_hash (void)
{
  if (plugin.announced_hash
      && strcmp (plugin.announced_hash, dft_allowlist_hash (plugin.allowlist).text) != 0)
    inform (UNKNOWN_LOCATION,
            "dftrace: %s has changed since %<dftrace config%> printed these flags; "
            "without new ones a compiler cache may return objects made by the old list",
            plugin.allowlist_path);
}

static void
load_allowlist (void)
{
  struct dft_allowlist_error problem;
  plugin.allowlist = dft_allowlist_load (plugin.allowlist_path, &problem);
  if (plugin.allowlist)
    return check_hash ();
  if (problem.line)
    fatal_error (allowlist_location (&problem), "%s", problem.message);
  fatal_error (UNKNOWN_LOCATION, "allowlist %qs: %s", plugin.allowlist_path,
               problem.message);
}

/* Make and ninja rebuild an object when the allowlist that shaped it changes.  */
static void
add_dependency (void)
{
  if (!&parse_in || !parse_in)
    return;
  if (class mkdeps *deps = cpp_get_deps (parse_in))
    deps_add_dep (deps, plugin.allowlist_path);
}

/* The Fortran compiler keeps its preprocessor to itself, but its dependency file is there
   when the plugin is finished: the allowlist is added as another rule for the same
   targets.  */
static void
append_fortran_dependency (void)
{
  const char *path = NULL;
  for (unsigned i = 0; i < save_decoded_options_count; i++)
    {
      const char *text = save_decoded_options[i].orig_option_with_args_text;
      const char *argument = save_decoded_options[i].arg;
      if (text && argument && *argument
          && (compat_starts_with (text, "-MD") || compat_starts_with (text, "-MMD")
              || compat_starts_with (text, "-MF")))
        path = argument;
    }
  FILE *file = path ? fopen (path, "r+") : NULL;
  if (!file)
    return;
  std::string targets;
  for (int c; (c = getc (file)) != EOF;)
    {
      if (c == ':')
        break;
      targets += (char)c;
    }
  if (!targets.empty () && fseek (file, 0, SEEK_END) == 0)
    {
      std::string escaped;
      for (const char *at = plugin.allowlist_path; *at; at++)
        {
          if (*at == ' ' || *at == '#')
            escaped += '\\';
          escaped += *at == '$' ? "$$" : std::string (1, *at);
        }
      fprintf (file, "\n%s: %s\n", targets.c_str (), escaped.c_str ());
    }
  fclose (file);
}

static void
all_functions_done (void *, void *)
{
  finish_note ();
}

static void
finish_unit (void *, void *)
{
  add_dependency ();
  if (plugin.report_path && !plugin.report.empty ())
    {
      int problem = dft_report_append (plugin.report_path, plugin.report.data (),
                                       plugin.report.size ());
      if (problem)
        error ("cannot write the report %qs: %s", plugin.report_path,
               xstrerror (-problem));
    }
  if (plugin.verbose)
    inform (UNKNOWN_LOCATION, "dftrace: %u of %u functions instrumented by %s",
            plugin.instrumented, plugin.seen, plugin.allowlist_path);
}

static void
finish (void *, void *)
{
  if (compat_is_fortran ())
    append_fortran_dependency ();
}

extern "C" __attribute__ ((visibility ("default"))) int
plugin_init (struct plugin_name_args *info, struct plugin_gcc_version *version)
{
  /* At link time the bodies carry their hooks already.  */
  if (in_lto_p)
    return 0;
  plugin.name = info->base_name;
  if (!check_version (version) || !read_arguments (info))
    exit (FATAL_EXIT_CODE);
  load_allowlist ();
  if (flag_preprocess_only)
    {
      add_dependency ();
      return 0;
    }
  compat_avoid_red_zone ();
  register_site_roots ();
  register_instrument_pass ();
  register_warning_passes ();
  register_callback (plugin.name, PLUGIN_ALL_IPA_PASSES_START, all_functions_done, NULL);
  register_callback (plugin.name, PLUGIN_FINISH_UNIT, finish_unit, NULL);
  register_callback (plugin.name, PLUGIN_FINISH, finish, NULL);
  return 0;
}
