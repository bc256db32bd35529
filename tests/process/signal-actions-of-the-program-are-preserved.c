// The signal actions that a program sets, queries and restores are what it gets, although the
// runtime installs its handlers in place of default actions. Tested for every function that sets
// actions, including one-shot handlers.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 %support %plugin %allow=allow.txt %s -o prog %lib
// RUN: %check-death ./prog ask signal bsd sysv sigset sigaction info one-shot one-shot-twice restore ignore \
// RUN:   inherited handler-dies altstack masks interrupt
// RUN: mkdir static && %cc -O2 -static %support %plugin %allow=allow.txt %s -o static/prog -L%libdir -l:libdftrace.a
// RUN: cd static && %check-death ./prog ask signal sysv sigset sigaction one-shot-twice restore ignore

#include "death.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

typedef void handler_function(int);
handler_function *bsd_signal(int number, handler_function *handler);
handler_function *sysv_signal(int number, handler_function *handler);
handler_function *sigset(int number, handler_function *handler);

static volatile int sink, calls;

static __attribute__((noinline)) void work(int x)
{
    sink = x;
}

static void handler(int number)
{
    struct sigaction present;

    sigaction(number, NULL, &present);
    calls++;
    dprintf(1, "handler of %d, is default now: %d\n", number, present.sa_handler == SIG_DFL);
}

static void info_handler(int number, siginfo_t *info, void *context)
{
    dprintf(1, "handler of %d, sent by us: %d, value %d, context: %d\n", number,
            info->si_pid == getpid(), info->si_value.sival_int, context != NULL);
}

static const char *name(handler_function *found)
{
    return found == SIG_DFL   ? "default"
           : found == SIG_IGN ? "ignore"
           : found == SIG_ERR ? "error"
           : found == handler ? "handler"
                              : "something else";
}

static void print_action(int number)
{
    struct sigaction present;

    memset(&present, 0, sizeof present);
    if (sigaction(number, NULL, &present) != 0)
        dprintf(1, "signal %d: errno %d\n", number, errno);
    else
        dprintf(1, "signal %d: %s, flags %x, mask %d\n", number, name(present.sa_handler),
                (unsigned)present.sa_flags & ~0x04000000u, sigismember(&present.sa_mask, SIGHUP));
}

static void use(handler_function *(*set)(int, handler_function *))
{
    dprintf(1, "%s\n", name(set(SIGUSR1, handler)));
    print_action(SIGUSR1);
    raise(SIGUSR1);
    print_action(SIGUSR1);
    dprintf(1, "%s\n", name(set(SIGUSR1, SIG_IGN)));
    raise(SIGUSR1);
    dprintf(1, "%s\n", name(set(SIGUSR1, SIG_DFL)));
    dprintf(1, "%s\n", name(set(SIGUSR1, SIG_DFL)));
    dprintf(1, "%s\n", name(set(SIGKILL, handler)));
    dprintf(1, "%s\n", name(set(1000, handler)));
    print_action(SIGUSR1);
}

static void set_action(int number, handler_function *set, int flags)
{
    struct sigaction action = {.sa_handler = set, .sa_flags = flags}, old;

    sigaddset(&action.sa_mask, SIGHUP);
    if (sigaction(number, &action, &old) != 0)
        dprintf(1, "errno %d\n", errno);
    else
        dprintf(1, "was %s\n", name(old.sa_handler));
    print_action(number);
}

static void test(const char *way)
{
    if (strcmp(way, "ask") == 0)
        for (int number = 0; number < 66; number++)
            print_action(number);
    else if (strcmp(way, "signal") == 0)
        use(signal);
    else if (strcmp(way, "bsd") == 0)
        use(bsd_signal);
    else if (strcmp(way, "sysv") == 0)
        use(sysv_signal);
    else if (strcmp(way, "sigset") == 0) {
        use(sigset);
        dprintf(1, "%s\n", sigset(SIGUSR2, (handler_function *)2) == SIG_DFL ? "was default" : "?");
        raise(SIGUSR2); /* it is blocked */
        dprintf(1, "%s\n", sigset(SIGUSR2, handler) == (handler_function *)2 ? "was held" : "?");
        dprintf(1, "%s\n", name(sigset(SIGUSR2, SIG_DFL)));
    } else if (strcmp(way, "sigaction") == 0) {
        set_action(SIGTERM, handler, SA_RESTART);
        raise(SIGTERM);
        set_action(SIGTERM, SIG_DFL, SA_RESTART | SA_NODEFER);
        set_action(SIGTERM, SIG_IGN, 0);
        set_action(SIGTERM, SIG_DFL, 0);
        set_action(SIGKILL, handler, 0);
    } else if (strcmp(way, "info") == 0) {
        struct sigaction action = {.sa_sigaction = info_handler, .sa_flags = SA_SIGINFO};
        sigaction(SIGUSR1, &action, NULL);
        sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 5});
        action.sa_flags |= (int)SA_RESETHAND;
        sigaction(SIGUSR1, &action, NULL);
        sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 6});
    } else if (strncmp(way, "one-shot", 8) == 0) {
        set_action(SIGTERM, handler, (int)SA_RESETHAND);
        raise(SIGTERM);
        print_action(SIGTERM);
        if (strcmp(way, "one-shot-twice") == 0)
            raise(SIGTERM);
    } else if (strcmp(way, "restore") == 0) {
        struct sigaction action = {.sa_handler = handler}, old;
        sigaction(SIGTERM, &action, &old);
        raise(SIGTERM);
        sigaction(SIGTERM, &old, &old); /* the same memory for old and new action */
        dprintf(1, "was %s\n", name(old.sa_handler));
        raise(SIGTERM);
    } else if (strcmp(way, "ignore") == 0) {
        signal(SIGPIPE, SIG_IGN);
        print_action(SIGPIPE);
        raise(SIGPIPE);
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    } else if (strcmp(way, "inherited") == 0) {
        /* Nothing of the runtime is left in a forked child or in a new program. */
        pid_t child = fork();
        int status = 0;
        if (child == 0) {
            print_action(SIGTERM);
            raise(SIGTERM);
        }
        waitpid(child, &status, 0);
        dprintf(1, "child: %d\n", status);
        fflush(stdout);
        if (system("grep -E 'Sig(Ign|Blk|Cgt)' /proc/self/status") != 0)
            _exit(9);
    } else if (strcmp(way, "handler-dies") == 0) {
        signal(SIGTERM, handler);
        raise(SIGTERM);
        signal(SIGTERM, SIG_DFL);
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        sigprocmask(SIG_BLOCK, &set, NULL);
        raise(SIGTERM);
        dprintf(1, "blocked\n");
        sigprocmask(SIG_UNBLOCK, &set, NULL);
    } else if (strcmp(way, "altstack") == 0) {
        static char memory[65536];
        stack_t own = {.ss_sp = memory, .ss_size = sizeof memory}, none = {.ss_flags = SS_DISABLE};
        stack_t found;
        sigaltstack(NULL, &found);
        dprintf(1, "%d %d %zu\n", found.ss_flags, found.ss_sp == NULL, found.ss_size);
        sigaltstack(&own, &found);
        dprintf(1, "%d\n", found.ss_flags);
        sigaltstack(&none, &found);
        dprintf(1, "%d %d\n", found.ss_flags, found.ss_sp == memory);
        sigaltstack(NULL, &found);
        dprintf(1, "%d %d\n", found.ss_flags, found.ss_sp == NULL);
        own.ss_size = 1;
        dprintf(1, "%d\n", sigaltstack(&own, NULL));
    } else if (strcmp(way, "masks") == 0) {
        sigset_t set;
        sigprocmask(SIG_BLOCK, NULL, &set);
        for (int number = 1; number < 65; number++)
            dprintf(1, "%d", sigismember(&set, number));
    } else if (strcmp(way, "interrupt") == 0) {
        siginterrupt(SIGTERM, 1);
        signal(SIGTERM, handler);
        print_action(SIGTERM);
        siginterrupt(SIGUSR1, 0);
        raise(SIGUSR1);
    }
}

int main(int argc, char **argv)
{
    struct tally *count = tally("work");

    (void)argc;
    for (int i = 0; i < 100; i++) {
        work(i);
        count->completed++;
    }
    tally("main")->unfinished = 1;
    test(argv[1]);
    tally("main")->unfinished = 0;
    tally("main")->completed = 1;
    return calls;
}
