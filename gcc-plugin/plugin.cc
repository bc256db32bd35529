/* The plugin for GCC: arguments, allowlist, dependency output, report.

   One object serves cc1, cc1plus, f951 and lto1 of one GCC version.  It is loaded by the
   loader (loader/) or named directly by -fplugin=; either way its arguments are
   -fplugin-arg-dftrace-KEY[=VALUE].  */

#include "plugin.h"

#include "plugin-core/messages.h"
#include "plugin-core/report.h"

extern "C" __attribute__ ((visibility ("default"))) int plugin_is_GPL_compatible;
int plugin_is_GPL_compatible;

struct plugin_state plugin;

void
dft_plugin_out_of_memory (void)
{
  fatal_error (UNKNOWN_LOCATION, DFT_PLUGIN_NO_MEMORY);
}

/* GCC loads a plugin that was built for another GCC, and the plugin then does nothing,
   without a message.  Hence the strict comparison, and a message that shows every
   difference.  */
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
  /* The configuration is long, and differs whenever another field does.  */
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
          "build dftrace again",
          strtol (version->basever, NULL, 10));
  return false;
}

static bool
read_arguments (struct plugin_name_args *info)
{
  struct dft_plugin_message message;
  bool fine = true;
  for (int i = 0; i < info->argc; i++)
    if (!dft_plugin_argument_read (&plugin.arguments, plugin.name, info->argv[i].key,
                                   info->argv[i].value, &message))
      {
        error ("%s", message.text);
        fine = false;
      }
  if (fine && !dft_plugin_arguments_check (&plugin.arguments, plugin.name, &message))
    {
      error ("%s", message.text);
      fine = false;
    }
  return fine;
}

/* A location inside the allowlist: GCC shows the line with a caret below the column.  */
static location_t
allowlist_location (const struct dft_allowlist_error *problem)
{
  if (problem->line == 0)
    return UNKNOWN_LOCATION;
  linemap_add (line_table, LC_ENTER, 0, xstrdup (plugin.arguments.allowlist),
               problem->line);
  linemap_line_start (line_table, problem->line, problem->column + 1);
  return linemap_position_for_column (line_table, problem->column);
}

/* The hash is part of the command only for compiler caches, which compare commands.  If
   the list has changed since the build was configured, the list as it is now still
   decides.  */
static void
check_hash (void)
{
  const char *announced = plugin.arguments.allowlist_hash;
  if (announced && strcmp (announced, dft_allowlist_hash (plugin.allowlist).text) != 0)
    inform (UNKNOWN_LOCATION, "%s",
            dft_plugin_message_changed_allowlist (plugin.arguments.allowlist).text);
}

static void
load_allowlist (void)
{
  struct dft_allowlist_error problem;
  plugin.allowlist = dft_allowlist_load (plugin.arguments.allowlist, &problem);
  if (!plugin.allowlist)
    fatal_error (
        allowlist_location (&problem), "%s",
        dft_plugin_message_bad_allowlist (plugin.arguments.allowlist, &problem).text);
  check_hash ();
}

/* Adds the allowlist to the dependencies of the object: make and ninja rebuild the object
   when the list changes.  */
static void
add_dependency (void)
{
  if (!&parse_in || !parse_in)
    return;
  if (class mkdeps *deps = cpp_get_deps (parse_in))
    deps_add_dep (deps, plugin.arguments.allowlist);
}

/* A plugin cannot reach the preprocessor of the Fortran compiler, but the dependency file
   is complete when the plugin finishes: this appends a rule with the same targets.  */
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
      for (const char *at = plugin.arguments.allowlist; *at; at++)
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
write_report (void)
{
  const char *path = plugin.arguments.report;
  int problem
      = path && plugin.report.length ? dft_report_write (path, &plugin.report) : 0;
  if (problem)
    error ("%s", dft_plugin_message_no_report (path, -problem).text);
  dft_string_free (&plugin.report);
  if (plugin.arguments.verbose)
    inform (UNKNOWN_LOCATION, "%s",
            dft_plugin_message_summary (plugin.instrumented, plugin.seen,
                                        plugin.arguments.allowlist)
                .text);
}

static void
finish_unit (void *, void *)
{
  add_dependency ();
  write_report ();
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
  /* At link time the bodies already have their hooks.  */
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
