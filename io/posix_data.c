/* Calls that move or place data, from their table. See table.h. */
#include "io/table.h"

#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io/posix_data.def"
