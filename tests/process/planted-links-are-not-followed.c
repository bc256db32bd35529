// Links and files that somebody has created under the name of the trace or the spool are not
// touched: another name is used. If a trace is replaced by a link while the program runs, writing
// goes on in the original file. All files belong to the user alone, whatever the umask is.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 %s -o plain
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: %cc -shared -fPIC -DPLANT %s -o plant.so
// RUN: mkdir spool && export DFTRACER_ENABLE=1 DFTRACER_SPOOL_DIR=$PWD/spool
//
// RUN: %unharmed ./plain 'ln -s $PWD/target trace-prog-$$.pfw.gz; exec ./prog'
// RUN: test ! -e target && rm $(find . -name 'trace-*' -type l)
// RUN: %check-trace trace-prog-*-2.pfw.gz --count main=1 --count work=20000 && rm trace-*
//
// RUN: %unharmed ./plain 'LD_PRELOAD=$PWD/plant.so ./prog'
// RUN: ls -l spool && test $(find spool -type l | wc -l) = 1 && test ! -e spool/target && rm spool/*
// RUN: %check-trace trace-prog-*.pfw.gz --count main=1 --count work=20000 && rm trace-*
//
// RUN: echo precious > target
// RUN: %unharmed ./plain './prog replace'
// RUN: grep -x precious target && rm trace-*
// RUN: %check-trace moved.gz --count main=1 --count work=20000
//
// RUN: for mask in 0 077 0777; do \
// RUN:   %unharmed ./plain "umask $mask; ./prog closefrom" && stat -c %%a trace-* && test $(stat -c %%a trace-*) = 600 && \
// RUN:   %check-trace trace-prog-*.pfw.gz --count main=1 --count work=20000 && rm trace-* || exit 1; done
// RUN: umask 0 && %unharmed './plain' './prog modes'
// RUN: umask 0777 && DFTRACER_LOG_FILE=u %unharmed './plain' './prog modes'

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef PLANT

/* Creates a link where the first spool is about to be created, since its name cannot be guessed. */
int open(const char *path, int flags, ...)
{
    static int planted;
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    va_list more;

    va_start(more, flags);
    int mode = flags & O_CREAT ? va_arg(more, int) : 0;
    va_end(more);
    if (strstr(path, "/dftrace-") && (flags & O_CREAT) && !planted) {
        planted = 1;
        if (symlink("target", path) != 0)
            abort();
    }
    return next(path, flags, mode);
}

#else

static volatile long sink;

__attribute__((noinline)) static void work(long x)
{
    sink = x;
}

/* The trace so far, by its name. */
static void find_trace(char *name, size_t size)
{
    DIR *directory = opendir(".");
    struct dirent *entry;

    while ((entry = readdir(directory)))
        if (strncmp(entry->d_name, "trace-prog-", 11) == 0)
            snprintf(name, size, "%s", entry->d_name);
    closedir(directory);
}

static void replace_trace(void)
{
    char name[256] = "";

    find_trace(name, sizeof name);
    closefrom(3);
    if (rename(name, "moved.gz") != 0 || symlink("target", name) != 0)
        abort();
}

/* Everything in the spool's directory is the user's alone. */
static void check_modes(void)
{
    DIR *directory = opendir(getenv("DFTRACER_SPOOL_DIR"));
    struct dirent *entry;
    struct stat status;
    int seen = 0;

    while ((entry = readdir(directory))) {
        if (strncmp(entry->d_name, "dftrace-", 8) != 0)
            continue;
        seen++;
        if (fstatat(dirfd(directory), entry->d_name, &status, 0) != 0 ||
            (status.st_mode & 07777) != 0600)
            abort();
    }
    closedir(directory);
    if (!seen)
        abort();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    alarm(120);
    if (strcmp(what, "replace") == 0)
        replace_trace();
    if (strcmp(what, "closefrom") == 0)
        closefrom(3);
    if (strcmp(what, "modes") == 0)
        check_modes();
    for (int i = 0; i < 20000; i++)
        work(i);
    printf("%ld\n", sink);
    return 7;
}

#endif
