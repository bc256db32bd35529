// What DFTracer's readers make of our lines is what the program did: calls and bytes of each file, by
// class. Classes go by names, so 64-bit and fortified entry points have plain names; bytes are `ret`,
// also of fread and fwrite with large items, of calls that fail, and of those that move less than was
// asked for. Hashes are defined before their use, and mean the same file in each process.
//
// RUN: %cc -w -O0 %s -o plain
// RUN: %cc -w -O1 -D_FILE_OFFSET_BITS=64 %s -o large
// RUN: %cc -w -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 %s -o fortified
// RUN: echo main > allow.txt && %cc -w -O1 %plugin %allow=allow.txt %s %lib -o instrumented
// RUN: for one in plain large fortified instrumented; do mkdir $one.d; \
// RUN:   %dftrace run --io --no-report -e FORMAT=dftracer -o $one -- ./$one $one.d > $one.txt || exit 1; \
// RUN:   test $(ls $one-*.gz | wc -l) = 2 && %{python} %S/../support/read-dftracer-io $one.txt $one-*.gz || exit 1; \
// RUN: done
// So it is with lines that were converted from the other formats.
// RUN: for format in json perfetto; do mkdir $format.d && %dftrace run --io --no-report -e FORMAT=$format -o $format -- ./large $format.d > $format.txt || exit 1; \
// RUN:   number=0; for trace in $format-*; do number=$((number + 1)); %dftrace convert $trace converted-$format-$number.dftracer.pfw.gz || exit 1; done; \
// RUN:   test $number = 2 && %{python} %S/../support/read-dftracer-io $format.txt converted-$format-*.gz || exit 1; \
// RUN: done

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READ, WRITE, SYNC, METADATA, OTHER, CLASSES };
enum { DATA, STREAM, SECOND, FILES };

/* Shared with the child, whose calls count as well. */
static struct {
    long calls, bytes;
} * counts; /* [file * CLASSES + class] */
static char buffer[10000];

static long count(int file, int class, long result)
{
    counts[file * CLASSES + class].calls++;
    if ((class == READ || class == WRITE) && result > 0)
        counts[file * CLASSES + class].bytes += result;
    return result;
}

static void use_descriptors(const char *data)
{
    struct iovec parts[2] = {{buffer, 1000}, {buffer + 1000, 234}};
    volatile size_t size = 4096; /* so that fortified forms check it */
    struct stat status;
    long fd = count(DATA, METADATA, open(data, O_CREAT | O_RDWR, 0600));

    count(DATA, WRITE, write(fd, buffer, size));
    count(DATA, WRITE, pwrite(fd, buffer, 100, 5000000000));
    count(DATA, WRITE, writev(fd, parts, 2));
    count(DATA, WRITE, pwritev(fd, parts, 2, 6000));
    count(DATA, WRITE, pwritev2(fd, parts, 2, 7000, 0));
    count(DATA, METADATA, lseek(fd, 0, SEEK_SET));
    count(DATA, READ, read(fd, buffer, size));
    count(DATA, READ, pread(fd, buffer, size, 5000000000 - 50)); /* less than was asked for */
    count(DATA, READ, pread(fd, buffer, size, -1));              /* fails */
    count(DATA, READ, readv(fd, parts, 2));
    count(DATA, READ, preadv(fd, parts, 2, 1));
    count(DATA, READ, preadv2(fd, parts, 2, 1, 0));
    count(DATA, SYNC, fsync(fd));
    count(DATA, SYNC, fdatasync(fd));
    count(DATA, METADATA, fstat(fd, &status));
    count(DATA, METADATA, stat(data, &status));
    count(DATA, METADATA, fstatat(AT_FDCWD, data, &status, 0));
    count(DATA, METADATA, access(data, R_OK));
    count(DATA, METADATA, fcntl(fd, F_GETFL));
    count(DATA, METADATA, ftruncate(fd, 9000));
    count(DATA, OTHER, fchmod(fd, 0600));
    count(DATA, OTHER, (long)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0));
    count(DATA, METADATA, close(fd));
}

static void use_streams(const char *name)
{
    volatile size_t items = 500;
    FILE *stream = fopen(name, "w+");

    count(STREAM, METADATA, stream != NULL);
    count(STREAM, WRITE, 7 * fwrite(buffer, 7, items, stream));
    count(STREAM, METADATA, fseek(stream, 0, SEEK_SET));
    count(STREAM, METADATA, fseeko(stream, 7, SEEK_SET));
    count(STREAM, METADATA, ftell(stream));
    count(STREAM, METADATA, ftello(stream));
    /* Half an item at the end is no item, and not in the bytes of whole ones. */
    count(STREAM, READ, 1000 * fread(buffer, 1000, items > 8 ? 8 : 0, stream));
    count(STREAM, OTHER, feof(stream));
    count(STREAM, METADATA, fclose(stream));
}

static void use_names(const char *data, const char *second)
{
    count(DATA, METADATA, rename(data, second));
    count(SECOND, METADATA, rename(second, data));
    count(DATA, METADATA, link(data, second));
    count(SECOND, METADATA, unlink(second));
    count(SECOND, METADATA, open(second, O_RDONLY)); /* fails */
}

int main(int argc, char **argv)
{
    static const char *const classes[] = {"read", "write", "sync", "metadata", "other"};
    char directory[400], paths[FILES][512];

    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (chdir(argv[1]) != 0 || !getcwd(directory, sizeof directory))
        return 1;
    for (int i = 0; i < FILES; i++)
        snprintf(paths[i], sizeof paths[i], "%s/file %d", directory, i);
    use_descriptors(paths[DATA]);
    use_streams("file 1");
    use_names(paths[DATA], "./file 2");
    if (fork() == 0) {
        long fd = count(DATA, METADATA, open("file 0", O_RDONLY));
        count(DATA, READ, read(fd, buffer, 17));
        count(DATA, METADATA, close(fd));
        _exit(0);
    }
    wait(NULL);
    for (int i = 0; i < FILES * CLASSES; i++)
        if (counts[i].calls)
            dprintf(1, "%s %ld %ld %s\n", classes[i % CLASSES], counts[i].calls, counts[i].bytes,
                    paths[i / CLASSES]);
    return 0;
}
