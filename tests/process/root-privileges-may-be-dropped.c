// A program that starts as root and continues as another user, as servers do, leaves no spool
// behind and a complete trace; also after chroot, and with another thread.
//
// REQUIRES: root, setpriv
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 -pthread %plugin %allow=allow.txt %s -o prog %lib
// RUN: mkdir jail spool && chmod 1777 spool && export DFTRACER_ENABLE=1 DFTRACER_SPOOL_DIR=$PWD/spool
// RUN: for way in setuid setreuid setresuid chroot child threads; do \
// RUN:   ./prog $way; %check-trace trace-prog-* --count work=1100; test -z "$(ls spool)"; rm trace-*; done
//
// If such a program is killed, only its new user can recover the trace; others are told so.
// RUN: place=$(mktemp -d -p /dev/shm) && trap 'rm -r $place' EXIT && chmod 755 $place && cp %dftrace $place
// RUN: mkdir -m 1777 $place/spool && export DFTRACER_SPOOL_DIR=$place/spool
// RUN: ! DFTRACER_LOG_FILE=$place/t ./prog killed
// RUN: %dftrace recover 2>&1 | grep 'spool/dftrace-[0-9].*: left by a program of user 65534, who can recover it'
// RUN: setpriv --reuid 65534 --regid 65534 --clear-groups $place/dftrace recover
// RUN: %check-trace $place/t-prog-* --count work=1100
// RUN: test -z "$(ls $place/spool)"

#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

static volatile int sink;

__attribute__((noinline)) static void work(int x)
{
    sink = x;
}

static volatile int others_user = -1;
static sem_t changed;

/* Must have the new user id when the process has it. */
static void *look(void *unused)
{
    sem_wait(&changed);
    others_user = (int)syscall(SYS_geteuid);
    return unused;
}

int main(int argc, char **argv)
{
    const char *way = argv[1];
    int result, status = 0;
    pid_t child = -1;

    (void)argc;
    for (int i = 0; i < 100; i++)
        work(i);
    if (strcmp(way, "child") == 0 && (child = fork()) != 0) {
        if (waitpid(child, &status, 0) != child)
            return 1;
        return WEXITSTATUS(status);
    }
    work(0);
    if (strcmp(way, "chroot") == 0 && (chroot("jail") != 0 || chdir("/") != 0))
        return 2;
    pthread_t other;
    if (strcmp(way, "threads") == 0 &&
        (sem_init(&changed, 0, 0) != 0 || pthread_create(&other, NULL, look, NULL) != 0))
        return 4;
    if (strcmp(way, "setreuid") == 0)
        result = setreuid(NOBODY, NOBODY);
    else if (strcmp(way, "setresuid") == 0)
        result = setresuid(NOBODY, NOBODY, NOBODY);
    else
        result = setuid(NOBODY);
    if (result != 0 || geteuid() != NOBODY || getuid() != NOBODY)
        return 3;
    if (strcmp(way, "threads") == 0 &&
        (sem_post(&changed) != 0 || pthread_join(other, NULL) != 0 || others_user != NOBODY))
        return 5;
    for (int i = 1; i < 1000; i++)
        work(i);
    if (strcmp(way, "killed") == 0)
        raise(SIGKILL);
    return 0;
}
