/*
 * Identifies a compiler by its --version and -dumpversion.
 */
#include "tool/build/compiler.h"

#include "tool/base/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 32

/* The environment with LC_ALL=C; only the array is allocated. */
static char **make_environment(void)
{
    static char plain[] = "LC_ALL=C";
    size_t count = 0;
    size_t kept = 0;

    while (environ[count])
        count++;
    char **made = dft_tool_zeroed(count + 2, sizeof *made);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(environ[i], "LC_ALL=", 7) != 0)
            made[kept++] = environ[i];
    }
    made[kept] = plain;
    return made;
}

/* Starts it with stdout in a pipe and without stderr. Returns 0 or an errno. */
static int start_program(char **words, int *output, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    char **environment = make_environment();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        int error = errno;

        free(environment);
        return error;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(child, words[0], &actions, NULL, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    close(ends[1]);
    if (error != 0)
        close(ends[0]);
    *output = ends[0];
    return error;
}

/* Reads everything, so that the program does not get SIGPIPE; keeps what fits. */
static void read_output(int fd, char *out, size_t size)
{
    char block[512];
    size_t used = 0;

    for (;;) {
        ssize_t got = read(fd, block, sizeof block);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        size_t kept = (size_t)got < size - 1 - used ? (size_t)got : size - 1 - used;
        memcpy(out + used, block, kept);
        used += kept;
    }
    out[used] = '\0';
    close(fd);
}

/* Runs it with one more argument. False, after a message, if it fails. */
static bool run_compiler(const char *command, const char *argument, char *out, size_t size)
{
    char *copy = dft_tool_copy(command, strlen(command));
    char *own_argument = dft_tool_copy(argument, strlen(argument));
    char *words[WORDS_MAX + 2] = {NULL};
    size_t count = 0;
    char *rest = copy;
    char *word;
    int output = -1;
    int status = 0;
    pid_t child = -1;
    bool worked = false;

    while (count < WORDS_MAX && (word = strsep(&rest, " \t\n")) != NULL) {
        if (*word)
            words[count++] = word;
    }
    words[count] = own_argument;
    int error = count > 0 ? start_program(words, &output, &child) : ENOENT;
    if (error == 0) {
        read_output(output, out, size);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        worked = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    if (error != 0)
        dft_tool_error("the compiler '%s' cannot be run: %s", command, strerror(error));
    else if (!worked)
        dft_tool_error("the compiler '%s' fails when run as '%s %s'", command, command, argument);
    free(own_argument);
    free(copy);
    return worked;
}

bool dft_compiler_ask(const char *command, struct dft_compiler *compiler)
{
    char text[4096];

    if (!run_compiler(command, "--version", text, sizeof text))
        return false;
    compiler->is_clang = strstr(text, "clang version") != NULL;
    if (!compiler->is_clang && !strstr(text, "Free Software Foundation")) {
        text[strcspn(text, "\n")] = '\0';
        dft_tool_error("'%s' is neither GCC nor Clang: its --version says '%s'", command, text);
        return false;
    }
    if (!run_compiler(command, "-dumpversion", text, sizeof text))
        return false;
    char *end;
    unsigned long major = strtoul(text, &end, 10);
    if (end == text || major == 0 || major > 10000) {
        text[strcspn(text, "\n")] = '\0';
        dft_tool_error("'%s' is no compiler that dftrace knows: its -dumpversion says '%s'",
                       command, text);
        return false;
    }
    compiler->major = (unsigned)major;
    snprintf(compiler->name, sizeof compiler->name, "%s-%u", compiler->is_clang ? "clang" : "gcc",
             compiler->major);
    return true;
}
