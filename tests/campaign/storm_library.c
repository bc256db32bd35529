/* An instrumented library that tests/campaign/storm.c opens and closes again. */
int from_library(int x);

__attribute__((noinline)) int from_library(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 1;
}
