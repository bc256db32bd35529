// A child that the system call itself has made, while other threads of the parent held the locks of tracks, uses the same tracks: it does not hang,
// and its events are in its own trace only. The threads share the tracks, so this test does not check that their regions nest.
//
// RUN: %cc -O2 -pthread -I%include %s -o prog %lib
// RUN: timeout -s KILL 100 %dftrace run -o out -- ./prog > counts.txt
// RUN: %check-trace --overlap-ok out-prog-$(sed -n 1p counts.txt).pfw.gz
// RUN: zcat out-prog-$(sed -n 1p counts.txt).pfw.gz > parent.txt && grep -c '"name":"busy","cat"' parent.txt | grep -x "$(sed -n 2p counts.txt)" && not grep '"name":"child"' parent.txt
// RUN: rm out-prog-$(sed -n 1p counts.txt).pfw.gz
// RUN: ls | grep -c out-prog- | grep -x 60 && for trace in out-prog-*; do zcat $trace > child.txt; grep -c '"name":"child","cat"' child.txt | grep -x 8 && not grep '"name":"busy"' child.txt || exit 1; done

#define _GNU_SOURCE
#include <dftrace/dftrace.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
#define CHILDREN 60
#define HUNG_AFTER_S 20

static dftrace_track tracks[2];
static _Atomic long regions;
static _Atomic int started, has_ended;
static volatile pid_t child = -1;

static void *use_tracks(void *unused)
{
    for (long i = 0; !has_ended && i < 1000000; i++) {
        dftrace_begin_on(tracks[i % 2], "busy", "i", i);
        dftrace_end_on(tracks[i % 2]);
        regions++;
        if (i == 0)
            started++;
    }
    return unused;
}

/* In the parent: the child may hang with its signals blocked. */
static void kill_child(int signal)
{
    (void)signal;
    if (child > 0)
        kill(child, SIGKILL);
}

static void be_child(void)
{
    for (int i = 0; i < 8; i++) {
        dftrace_begin_on(tracks[i % 2], "child", "i", i);
        dftrace_end_on(tracks[i % 2]);
    }
    _exit(0);
}

int main(void)
{
    pthread_t threads[THREADS];
    int status, failed = 0;

    struct sigaction action = {.sa_handler = kill_child, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    tracks[0] = dftrace_track_new("first");
    tracks[1] = dftrace_track_new("second");
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, use_tracks, NULL);
    while (started < THREADS)
        usleep(100);
    for (int i = 0; i < CHILDREN && !failed; i++) {
        pid_t made = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (made == 0)
            be_child();
        child = made;
        alarm(HUNG_AFTER_S);
        if (waitpid(made, &status, 0) != made || status != 0)
            failed = fprintf(stderr, "child %d: wait status %#x\n", i, (unsigned)status);
    }
    has_ended = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n%ld\n", (int)getpid(), (long)regions);
    return failed != 0;
}
