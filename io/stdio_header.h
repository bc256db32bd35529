/*
 * <stdio.h>, without its redirection of the scanf family to the __isoc99_ and __isoc23_ forms: this
 * library defines both. The functions that are hidden from the header must be declared again.
 */
#ifndef DFT_IO_STDIO_HEADER_H
#define DFT_IO_STDIO_HEADER_H

#define fscanf hidden_fscanf
#define scanf hidden_scanf
#define vfscanf hidden_vfscanf
#include <stdio.h>
#undef fscanf
#undef scanf
#undef vfscanf

#endif
