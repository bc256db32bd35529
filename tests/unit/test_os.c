/* os/: clocks compared with libc's, /proc/PID/stat, descriptors, futexes and threads of our own. */
#include "os/descriptor.h"
#include "os/futex.h"
#include "os/own_thread.h"
#include "os/page.h"
#include "os/process.h"
#include "os/processors.h"
#include "os/small_file.h"
#include "os/time.h"
#include "refused.h"

#include <signal.h>
#include <unistd.h>

static uint64_t by_libc(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return dft_time_to_ns(now);
}

static void clocks_agree_with_libc(void)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME,
                                       CLOCK_THREAD_CPUTIME_ID};

    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        uint64_t before = by_libc(clocks[i]);
        uint64_t quick = dft_time_now(clocks[i]), asked = dft_time_ask(clocks[i]);
        uint64_t after = by_libc(clocks[i]);
        CHECK(before > 0 && before <= quick && quick <= asked && asked <= after);
    }
}

static void an_unknown_clock_reads_zero(void)
{
    CHECK_INT(dft_time_now(1234), 0);
    CHECK_INT(dft_time_ask(1234), 0);
}

static void sleep_lasts(void)
{
    uint64_t before = by_libc(CLOCK_MONOTONIC);

    dft_time_sleep(2000000);
    CHECK(by_libc(CLOCK_MONOTONIC) - before >= 2000000);
}

static void names_of_processes_may_contain_anything(void)
{
    const char *text = "12 (a) Z (b c) S 1 12 12 0 -1 0 5 0 6 0 7 8 0 0 20 0 3 0 99 0\n";

    CHECK(dft_process_field(text, DFT_PROCESS_STATE)[0] == 'S');
    CHECK_INT(atoi(dft_process_field(text, DFT_PROCESS_MINOR_FAULTS)), 5);
    CHECK_INT(atoi(dft_process_field(text, DFT_PROCESS_MAJOR_FAULTS)), 6);
    CHECK_INT(atoi(dft_process_field(text, DFT_PROCESS_SYSTEM_TICKS)), 8);
    CHECK_INT(atoi(dft_process_field(text, DFT_PROCESS_THREADS)), 3);
    CHECK_INT(atoi(dft_process_field(text, DFT_PROCESS_BORN)), 99);
    CHECK(!dft_process_field(text, DFT_PROCESS_EXIT_STATUS));
    CHECK(!dft_process_field("12 no parenthesis", DFT_PROCESS_STATE));
}

static void processes_are_alive_or_dead(void)
{
    struct dft_process_status status;
    pid_t child = fork();

    if (child == 0)
        _exit(3);
    waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT);
    CHECK(dft_process_read_status(child, &status));
    CHECK(status.state == 'Z' && dft_process_is_dead(child));
    waitpid(child, NULL, 0);
    CHECK(dft_process_is_dead(child) && !dft_process_read_status(child, &status));
    CHECK(!dft_process_is_dead(getpid()));
    CHECK(dft_process_read_status(getpid(), &status) && status.threads == 1 && status.born > 0);
}

static void small_files_are_read_as_far_as_they_fit(void)
{
    char text[16];

    errno = 0;
    CHECK_INT(dft_small_file_read("/proc/self/status", text, sizeof text), 15);
    CHECK_INT(strncmp(text, "Name:\t", 6), 0);
    CHECK_INT(strlen(text), 15);
    CHECK_INT(dft_small_file_read("/no/such/file", text, sizeof text), -ENOENT);
    CHECK(text[0] == '\0' && errno == 0);
}

static void replaced_descriptors_are_recognised(void)
{
    struct dft_descriptor_identity identity = {0};
    int low = dft_descriptor_open(AT_FDCWD, "/proc/self/status");
    int high = dft_descriptor_copy_high(low);

    CHECK(high >= DFT_DESCRIPTOR_HIGH && dft_descriptor_identify(high, &identity));
    CHECK(dft_descriptor_is(high, &identity));
    int other = dft_descriptor_open(AT_FDCWD, "/dev/null");
    CHECK_INT(dup2(other, high), high);
    CHECK(!dft_descriptor_is(high, &identity));
    dft_descriptor_close(high);
    CHECK(!dft_descriptor_is(high, &identity));
    dft_descriptor_close(low);
    dft_descriptor_close(other);
}

static _Atomic uint32_t word;

static void *wake_main_thread(void *blocked)
{
    sigset_t mask;

    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    *(bool *)blocked = sigismember(&mask, SIGTERM) && sigismember(&mask, SIGSEGV);
    atomic_store(&word, 1);
    dft_futex_wake(&word, DFT_FUTEX_PRIVATE);
    return NULL;
}

static void own_threads_block_signals_and_wake_others(void)
{
    pthread_t thread;
    bool blocked = false;
    uint64_t before = dft_time_now(CLOCK_MONOTONIC);

    dft_futex_wait(&word, 0, 2000000, DFT_FUTEX_SHARED);
    CHECK(dft_time_now(CLOCK_MONOTONIC) - before >= 2000000);
    CHECK_INT(dft_own_thread_start(&thread, wake_main_thread, &blocked), 0);
    while (!atomic_load(&word))
        dft_futex_wait(&word, 0, DFT_FUTEX_FOREVER, DFT_FUTEX_PRIVATE);
    pthread_join(thread, NULL);
    CHECK(blocked);
}

static void processors_are_listed(void)
{
    struct dft_processors processors;
    unsigned count = 0;
    long online = sysconf(_SC_NPROCESSORS_CONF);

    CHECK(dft_processors_read(&processors));
    for (int i = 0; i < DFT_PROCESSORS_MAX; i++)
        count += dft_processors_have(&processors, i);
    CHECK_INT(dft_processors_count(&processors), count);
    CHECK(count > 0 && count <= (unsigned long)online);
    CHECK(!dft_processors_have(&processors, DFT_PROCESSORS_MAX));
}

/* A kernel for 8,192 processors refuses sets that are smaller. */
static void there_may_be_many_processors(void)
{
    if (CHECK(refuse_call(SYS_sched_getaffinity, 1, 0, 8192 / 8 - 1)))
        processors_are_listed();
}

int main(void)
{
    clocks_agree_with_libc();
    an_unknown_clock_reads_zero();
    sleep_lasts();
    names_of_processes_may_contain_anything();
    processes_are_alive_or_dead();
    small_files_are_read_as_far_as_they_fit();
    replaced_descriptors_are_recognised();
    own_threads_block_signals_and_wake_others();
    processors_are_listed();
    run_in_child(there_may_be_many_processors);
    CHECK_INT(dft_kernel_pid(), getpid());
    CHECK_INT(dft_kernel_tid(), getpid());
    CHECK_INT(dft_page_size(), sysconf(_SC_PAGESIZE));
    CHECK_INT(dft_page_round_up(1), dft_page_size());
    CHECK_INT(dft_page_round_up(dft_page_size()), dft_page_size());
    return unit_result();
}
