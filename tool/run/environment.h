/* Environment variables: those of this process, and those for another program. */
#ifndef DFT_TOOL_RUN_ENVIRONMENT_H
#define DFT_TOOL_RUN_ENVIRONMENT_H

/* A variable of this process; NULL if it is not set. */
const char *dft_environment_get(const char *name);

struct dft_environment {
    char **entries; /* "NAME=VALUE", terminated by NULL, as execve takes it */
    unsigned count;
};

/* A copy of this process's environment. */
void dft_environment_copy(struct dft_environment *environment);
/* As dft_environment_get. */
const char *dft_environment_find(const struct dft_environment *environment, const char *name);
void dft_environment_set(struct dft_environment *environment, const char *name, const char *value);
void dft_environment_remove(struct dft_environment *environment, const char *name);
void dft_environment_free(struct dft_environment *environment);

#endif
