/* The library's own beginning and end, and the modules that register with it. */
#ifndef DFT_LIFECYCLE_H
#define DFT_LIFECYCLE_H

/* How many instrumented functions have registered. */
unsigned dft_lifecycle_functions(void);

/* In a forked child: another thread of the parent may have held the lock. */
void dft_lifecycle_in_child(void);

/* Tracing was on and no instrumented function has registered: says which of the reasons it was. */
void dft_lifecycle_say_why_nothing(void);

#endif
