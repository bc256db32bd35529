// Inside libc, forkpty and login_tty give the descriptors 0 to 2 of a child a terminal: calls on them have
// the name of the terminal, and calls on the number that login_tty has closed that of its next file. Both
// children are recorded as forks. An argument that is no terminal changes nothing.
//
// RUN: %cc -w -O1 %s -o prog -lutil
// RUN: %dftrace run --io --no-report -o t -- ./prog > out.txt 2> err.txt
// RUN: if grep "^skipped" out.txt; then exit 0; fi; %{python} %S/Inputs/check-terminals out.txt t-*.gz

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

static void put(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        abort();
}

static void expect(int terminal, const char *text)
{
    char buffer[20] = "";
    size_t length = 0;
    while (length < strlen(text)) {
        ssize_t got = read(terminal, buffer + length, sizeof buffer - 1 - length);
        if (got <= 0)
            abort();
        length += (size_t)got;
    }
    if (strcmp(buffer, text) != 0)
        abort();
}

static void finish(pid_t child)
{
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
        abort();
}

int main(void)
{
    int master, slave, file;
    char name[100];

    put(1, "before\n");
    if (openpty(&master, &slave, name, NULL, NULL) != 0) {
        printf("skipped: no terminals: %s\n", strerror(errno));
        return 0;
    }
    put(slave, "parent"); /* has an entry in the table */
    expect(master, "parent");
    pid_t child = fork();
    if (child == 0) {
        if (login_tty(slave) != 0)
            abort();
        put(1, "login");
        if ((file = open("file", O_CREAT | O_WRONLY, 0600)) != slave)
            abort();
        put(file, "file");
        exit(0);
    }
    expect(master, "login");
    finish(child);

    int other;
    child = forkpty(&other, NULL, NULL, NULL);
    if (child == 0) {
        put(1, "forked");
        put(2, "again!");
        char byte;
        exit(read(0, &byte, 1) == 1 && byte == 'x' ? 0 : 1);
    }
    expect(other, "forkedagain!");
    put(other, "x\n");
    finish(child);
    if (login_tty(open("file", O_RDONLY)) != -1)
        abort();
    put(1, "after\n");
    return 0;
}
