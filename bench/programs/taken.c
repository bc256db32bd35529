/*
 * Runs a command and writes into a file what the command and the processes that it waited for used:
 * wall seconds, CPU seconds, peak KiB. Exits with the status or signal of the command.
 *
 * This is not part of the Python script, because a process inherits the peak memory of its parent,
 * and the interpreter's is larger than what is measured.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CANNOT_EXEC 127

static double read_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double to_seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static int write_result(const char *path, double wall, const struct rusage *usage)
{
    FILE *file = fopen(path, "w");

    if (file == NULL)
        return -1;
    fprintf(file, "%.6f %.6f %ld\n", wall,
            to_seconds(usage->ru_utime) + to_seconds(usage->ru_stime), usage->ru_maxrss);
    return fclose(file);
}

int main(int argc, char **argv)
{
    struct rusage usage;
    int status;

    if (argc < 3) {
        fprintf(stderr, "usage: %s FILE COMMAND [ARG...]\n", argv[0]);
        return EXIT_FAILURE;
    }
    double start = read_seconds();
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(CANNOT_EXEC);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        perror(argv[0]);
        return EXIT_FAILURE;
    }
    if (write_result(argv[1], read_seconds() - start, &usage) != 0) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
