/* Uses files in data, reached in several ways, and files that are not in it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void put(int fd)
{
    write(fd, "x", 1);
    close(fd);
}

int main(void)
{
    struct stat status;
    int ends[2];

    put(open("link/a", O_CREAT | O_WRONLY, 0600));
    put(open("into/b", O_CREAT | O_WRONLY, 0600));
    put(open("data/out/c", O_CREAT | O_WRONLY, 0600));
    int fd = open("other", O_DIRECTORY);
    put(openat(fd, "../data/sub/d", O_CREAT | O_WRONLY, 0600));
    close(fd);
    stat("link/../data/a", &status);
    FILE *stream = fopen("other/../data/a", "w");
    fputs("x", stream);
    fclose(stream);
    unlink("into/b");
    pipe(ends);
    write(ends[1], "x", 1);
    close(ends[1]);
    return 0;
}
