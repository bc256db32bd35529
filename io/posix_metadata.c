/* Calls about files, from their table. See table.h. */
#include "io/table.h"

#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include "io/posix_metadata.def"
