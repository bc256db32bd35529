/*
 * A training loop in miniature, as an example of <dftrace/dftrace.h>: a thread loads batches into a
 * queue, the main thread takes them and "computes" on a device. See README.md.
 *
 *   annotated [STEPS]
 */
#include <dftrace/dftrace.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 4096, EPOCHS = 2 };

struct batch {
    double items[BATCH];
    uint64_t flow; /* from its loading to its use */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct batch *waiting; /* NULL: the next one may come */
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL};

static long steps = 5;
static dftrace_track device;

static struct batch *load(long number)
{
    DFTRACE_SCOPE_IN("dataloader", "load", "batch", number, "items", BATCH);
    struct batch *batch = malloc(sizeof *batch);

    if (!batch)
        exit(1);
    for (int i = 0; i < BATCH; i++)
        batch->items[i] = (double)(number * BATCH + i);
    batch->flow = dftrace_flow_begin();
    dftrace_counter_add("loaded", (uint64_t)sizeof batch->items, "bytes");
    return batch;
}

static void put(struct batch *batch)
{
    DFTRACE_SCOPE("wait for room");
    pthread_mutex_lock(&queue.lock);
    while (queue.waiting)
        pthread_cond_wait(&queue.changed, &queue.lock);
    queue.waiting = batch;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
}

static struct batch *take(void)
{
    DFTRACE_SCOPE("wait for batch");
    pthread_mutex_lock(&queue.lock);
    while (!queue.waiting)
        pthread_cond_wait(&queue.changed, &queue.lock);
    struct batch *batch = queue.waiting;
    queue.waiting = NULL;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
    return batch;
}

static void *load_all(void *unused)
{
    (void)unused;
    dftrace_thread_name("loader");
    for (long i = 0; i < steps * EPOCHS; i++)
        put(load(i));
    return NULL;
}

static double compute(const struct batch *batch)
{
    double sum = 0;

    DFTRACE_SCOPE_AS(step, "compute");
    dftrace_flow_end(batch->flow);
    dftrace_begin_on(device, "kernel", "items", BATCH);
    for (int i = 0; i < BATCH; i++)
        sum += batch->items[i];
    dftrace_end_on(device);
    dftrace_add(step, "sum", sum);
    return sum;
}

int main(int argc, char **argv)
{
    pthread_t loader;
    double loss = 1;

    if (argc > 1)
        steps = strtol(argv[1], NULL, 10);
    if (steps <= 0) {
        fprintf(stderr, "usage: annotated [STEPS]\n");
        return 2;
    }
    dftrace_metadata("model", "none at all");
    device = dftrace_track_new_in(dftrace_track_new("device 0"), "queue");
    if (pthread_create(&loader, NULL, load_all, NULL) != 0)
        return 1;
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        dftrace_begin("epoch", "epoch", epoch);
        for (long step = 0; step < steps; step++) {
            struct batch *batch = take();
            loss = loss / 2 + 1 / (1 + compute(batch));
            free(batch);
            dftrace_counter("loss", loss);
        }
        dftrace_instant("checkpoint", "epoch", epoch, "state",
                        DFTRACE_MAP("loss", loss, "steps", steps));
        dftrace_end();
    }
    pthread_join(loader, NULL);
    printf("loss %.6f\n", loss);
    return 0;
}
