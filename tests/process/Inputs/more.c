/* A library with one function, for forked children to load. */
volatile int more_calls;

void more(void);
__attribute__((noinline)) void more(void)
{
    more_calls++;
}
