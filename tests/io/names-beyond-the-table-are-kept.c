// A program that uses more than 65,536 files keeps the name of every one, through each way to open and
// close a file, with the values that follow a long name. One message says that this costs more, and
// the program's memory stays bounded.
//
// RUN: %cc -w -O1 %s -o prog
// RUN: for count in 10 66000; do mkdir $count; (cd $count; %dftrace run --io --no-report -o t -- ../prog $count > out.txt 2> err.txt) || exit 1; done
// RUN: not grep -q "different names" 10/err.txt
// RUN: test $(grep -c "I/O on more than 65536 different names of files" 66000/err.txt) = 1
// RUN: %{python} %S/Inputs/same-names 10/t-prog-*.gz 66000/t-prog-*.gz 66000
// RUN: test $(cat 66000/out.txt) -lt 40000

#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void connections(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
    int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
    char byte;

    bind(server, (void *)&address, sizeof address);
    listen(server, 1);
    connect(client, (void *)&address, sizeof address);
    int connection = accept(server, NULL, NULL);
    write(client, "x", 1);
    read(connection, &byte, 1);
    close(connection);
    close(client);
    close(server);
}

static void streams(void)
{
    FILE *stream = fopen("stream", "w");
    fputs("xy", stream);
    fclose(stream);
    stream = fopen("stream", "w");
    stream = freopen("reopened", "w", stream);
    fputs("xy", stream);
    fclose(stream);
    stream = popen("exec 9> /dev/null", "r");
    pclose(stream);
    stream = fdopen(open("reopened", O_RDONLY), "r");
    fgetc(stream);
    fclose(stream);
    DIR *directory = opendir(".");
    readdir(directory);
    closedir(directory);
    fopen("none", "r");
}

static void descriptors(void)
{
    char byte;
    int fd = open("first", O_CREAT | O_RDWR, 0600), copy = dup(fd), ends[2];

    write(fd, "x", 1);
    pread(copy, &byte, 1, 0);
    close(fd);
    close(copy);
    open("none", O_RDONLY);
    pipe(ends);
    write(ends[1], "x", 1);
    close(ends[0]);
    close(ends[1]);
    rename("first", "second");
    symlink("target", "link");
    truncate("second", 5);
}

/* Two long names do not leave the result without room. */
static void long_names(void)
{
    static char one[401], two[401];

    memset(one, 'a', 200);
    mkdir(one, 0700);
    one[200] = '/';
    memset(one + 201, 'b', 199);
    memcpy(two, one, sizeof two);
    two[399] = 'c';
    int fd = creat(one, 0600);
    pwrite(fd, "xyz", 3, 12345678901);
    close(fd);
    rename(one, two);
}

int main(int argc, char **argv)
{
    struct rusage usage;
    char path[64];

    for (int i = 0; i < atoi(argv[1]); i++) {
        snprintf(path, sizeof path, "absent/%d", i);
        access(path, F_OK);
    }
    descriptors();
    streams();
    connections();
    long_names();
    getrusage(RUSAGE_SELF, &usage);
    printf("%8ld\n", usage.ru_maxrss);
    return 0;
}
