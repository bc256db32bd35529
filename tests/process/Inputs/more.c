/* A library with one function of its own, for children of a fork to load. */
volatile int more_calls;

void more(void);
__attribute__((noinline)) void more(void)
{
    more_calls++;
}
