/*
 * The `dftrace` command: finds the subcommand and runs it, then makes sure that all of its output
 * has arrived.
 */
#include "tool/base/suggest.h"
#include "tool/base/tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct dft_command commands[] = {
    {"run", dft_cmd_run, "run a program and trace it"},
    {"recover", dft_cmd_recover, "complete the traces of programs that were killed"},
    {"report", dft_cmd_report, "show where the time went: functions, call tree, groups"},
    {"convert", dft_cmd_convert, "write a trace in another format"},
    {"ctl", dft_cmd_ctl, "switch recording on and off in a running program"},
    {"check", dft_cmd_check, "explain an allowlist, and how it applies to a function"},
    {"config", dft_cmd_config, "print the compiler and linker flags for a build"},
    {"options", dft_cmd_options, "list the environment variables that control traced programs"},
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static const char *command_candidate(const void *context, size_t index)
{
    (void)context;
    return index < COMMAND_COUNT ? commands[index].name : NULL;
}

static const struct dft_command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    const char *nearest = dft_suggest_nearest(name, command_candidate, NULL);
    if (nearest)
        dft_tool_error("unknown command '%s', did you mean '%s'? see dftrace --help", name,
                       nearest);
    else
        dft_tool_error("unknown command '%s'; see dftrace --help", name);
    return NULL;
}

static void print_help(FILE *out)
{
    fputs("usage: dftrace COMMAND [ARGUMENTS]\n\n"
          "Traces the functions of C, C++ and Fortran programs, call by call.\n\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    fputs("\ndftrace COMMAND --help describes a command; --version prints the version.\n", out);
}

static int run_help(int argc, char **argv)
{
    static char help_flag[] = "--help";

    if (argc < 2) {
        print_help(stdout);
        return DFT_EXIT_OK;
    }
    const struct dft_command *command = find_command(argv[1]);
    char *arguments[] = {argv[1], help_flag, NULL};

    return command ? command->run(2, arguments) : DFT_EXIT_USAGE;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return DFT_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("dftrace " DFTRACE_VERSION);
        return DFT_EXIT_OK;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return run_help(argc - 1, argv + 1);
    if (argv[1][0] == '-') {
        dft_tool_error("unknown option '%s'; see dftrace --help", argv[1]);
        return DFT_EXIT_USAGE;
    }
    const struct dft_command *command = find_command(argv[1]);

    return command ? command->run(argc - 1, argv + 1) : DFT_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    int status = run(argc, argv);

    /* `run` returns the program's exit status, and prints nothing to stdout. */
    if (argc > 1 && strcmp(argv[1], "run") == 0)
        return status;
    /* A full disk is noticed here at the latest; otherwise, half a report would look complete. */
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout) || fclose(stdout) != 0) {
        dft_tool_error("cannot write the output: %s",
                       errno ? strerror(errno) : "an earlier write failed");
        return DFT_EXIT_FAILED;
    }
    return status;
}
