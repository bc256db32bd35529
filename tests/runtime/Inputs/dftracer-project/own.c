/* A program that reports an event of its own by dftrace's header. */
#include <dftrace/dftrace.h>

int main(void)
{
    dftrace_instant("own");
    return 0;
}
