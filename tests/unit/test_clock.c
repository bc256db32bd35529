/* The writer's clock: exact on its anchors, monotone everywhere, stable once asked. */
#include "unit.h"
#include "writer/tick_clock.h"

#define TICKS_PER_NS 3 /* a 3 GHz counter */

static struct dft_anchor at(uint64_t ticks, uint64_t ns)
{
    return (struct dft_anchor){.ticks = ticks, .monotonic_ns = ns};
}

static void monotonic_clock_is_the_identity(void)
{
    struct dft_clock clock;
    struct dft_anchor first = at(1000, 1000), later = at(99, 5000);

    dft_clock_init(&clock, DFT_CLOCK_MONOTONIC, &first);
    dft_clock_add(&clock, &later);
    CHECK_INT(dft_clock_convert(&clock, 123456789), 123456789);
    dft_clock_release(&clock);
}

static void steady_counter_is_exact(void)
{
    struct dft_clock clock;
    struct dft_anchor first = at(7000000, 5000000000);

    dft_clock_init(&clock, DFT_CLOCK_COUNTER, &first);
    for (uint64_t second = 1; second <= 3600; second++) {
        uint64_t ns = 5000000000 + second * 1000000000;
        struct dft_anchor anchor = at(7000000 + second * 1000000000 * TICKS_PER_NS, ns);
        dft_clock_add(&clock, &anchor);
        intmax_t error = (intmax_t)dft_clock_convert(&clock, anchor.ticks) - (intmax_t)ns;
        if (!CHECK(error >= -2 && error <= 2))
            break;
    }
    /* A call that began before the session, as a forked child has it. */
    uint64_t before = dft_clock_convert(&clock, 7000000 - 3000);
    CHECK(before >= 5000000000 - 1001 && before <= 5000000000 - 999);
    dft_clock_release(&clock);
}

/* The kernel slews its clock by up to 500 ppm: the line must follow, and never step back. */
static void slewed_clock_is_followed(void)
{
    struct dft_clock clock;
    struct dft_anchor first = at(0, 1000000000);
    uint64_t ns = first.monotonic_ns, ticks = 0, last = 0;
    bool monotone = true;

    dft_clock_init(&clock, DFT_CLOCK_COUNTER, &first);
    for (int step = 1; step <= 20000; step++) { /* 100 ms each: 33 minutes */
        int ppm = step / 1000 % 2 ? 500 : -500;
        ticks += 100000000u * TICKS_PER_NS;
        ns += 100000000u + ppm * 100;
        struct dft_anchor anchor = at(ticks, ns);
        dft_clock_add(&clock, &anchor);
        for (uint64_t back = 50; back > 0; back--) {
            uint64_t now = dft_clock_convert(&clock, ticks - back * 1000);
            monotone = monotone && now >= last;
            last = now;
        }
        /* 50 us of error arise in 100 ms at most before an anchor can tell; then it is made up. */
        intmax_t error = (intmax_t)dft_clock_convert(&clock, ticks) - (intmax_t)ns;
        if (step % 1000 > 200 && !CHECK(error > -1000 && error < 1000))
            break;
    }
    CHECK(monotone);
    dft_clock_release(&clock);
}

/*
 * A day on a counter whose rate wanders by a hundredth of a ppm each minute, read with the noise
 * that readings have: always within a microsecond, and memory does not grow with time.
 */
static void a_day_is_kept_within_a_microsecond(void)
{
    struct dft_clock clock;
    struct dft_anchor first = at(0, 1000000000);
    double ns = 1e9, rate = 1.0 / TICKS_PER_NS;
    uint64_t ticks = 0, last = 0, noise = 1;
    intmax_t worst = 0;
    bool monotone = true;

    dft_clock_init(&clock, DFT_CLOCK_COUNTER, &first);
    for (int step = 1; step <= 864000; step++) {
        noise = noise * 6364136223846793005u + 1442695040888963407u;
        if (step % 600 == 0)
            rate *= 1 + ((int)(noise >> 60) - 7.5) * 1e-8 / 7.5;
        ticks += 100000000u * TICKS_PER_NS;
        ns += 1e8 * TICKS_PER_NS * rate;
        struct dft_anchor anchor = at(ticks, (uint64_t)ns + (noise >> 40) % 40);
        dft_clock_add(&clock, &anchor);
        uint64_t now = dft_clock_convert(&clock, ticks);
        intmax_t error = (intmax_t)now - (intmax_t)ns;
        monotone = monotone && now >= last;
        last = now;
        if (step > 20 && (error < 0 ? -error : error) > worst)
            worst = error < 0 ? -error : error;
    }
    CHECK(monotone);
    CHECK(worst < 1000);
    CHECK(clock.segments.used < 200000);
    dft_clock_release(&clock);
}

/* A counter that never settles costs exactness, not memory. */
static void a_wild_counter_does_not_fill_the_memory(void)
{
    struct dft_clock clock;
    struct dft_anchor first = at(0, 1000000000);
    uint64_t ticks = 0, ns = first.monotonic_ns, last = 0, noise = 1;
    bool monotone = true;

    dft_clock_init(&clock, DFT_CLOCK_COUNTER, &first);
    for (int step = 1; step <= 1000000; step++) {
        noise = noise * 6364136223846793005u + 1442695040888963407u;
        ticks += 100000000u * TICKS_PER_NS;
        ns += 100000000u - 500000 + (noise >> 40) % 1000000;
        struct dft_anchor anchor = at(ticks, ns);
        dft_clock_add(&clock, &anchor);
        uint64_t now = dft_clock_convert(&clock, ticks);
        monotone = monotone && now >= last;
        last = now;
    }
    CHECK(monotone);
    CHECK(clock.segments.used < 2u << 20);
    dft_clock_release(&clock);
}

static void what_was_converted_stays(void)
{
    struct dft_clock clock;
    struct dft_anchor first = at(0, 0), second = at(3000000, 1000000), off = at(6000000, 2100000);

    dft_clock_init(&clock, DFT_CLOCK_COUNTER, &first);
    dft_clock_add(&clock, &second);
    uint64_t before = dft_clock_convert(&clock, 5000000);
    dft_clock_add(&clock, &off);
    dft_clock_convert(&clock, 9000000);
    CHECK_INT(dft_clock_convert(&clock, 5000000), before);
    CHECK(dft_clock_convert(&clock, 5000001) >= before);
    dft_clock_release(&clock);
}

int main(void)
{
    monotonic_clock_is_the_identity();
    steady_counter_is_exact();
    slewed_clock_is_followed();
    a_day_is_kept_within_a_microsecond();
    a_wild_counter_does_not_fill_the_memory();
    what_was_converted_stays();
    return unit_result();
}
