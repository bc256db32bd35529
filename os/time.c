/*
 * Finds the kernel's clock reader in the vDSO, the code that the kernel maps into every process.
 * This reader is as fast as libc's clock_gettime, which uses it as well, but no library can replace
 * it. Without a vDSO (valgrind, some emulators) every reading is a system call.
 *
 * Any thread, any context. The first caller searches for the reader; threads that race find the
 * same one.
 */
#include "os/time.h"

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#if defined(__x86_64__)
#define READER_NAME "__vdso_clock_gettime"
#else
#define READER_NAME "__kernel_clock_gettime"
#endif

typedef int clock_reader(clockid_t clock, struct timespec *now);

/* The vDSO's tables that are needed to find a symbol. */
struct vdso {
    uintptr_t bias; /* difference between an address in memory and in the file */
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *hash, *gnu_hash; /* either may be NULL */
};

static const ElfW(Dyn) * find_dynamic(struct vdso *vdso, const ElfW(Ehdr) * header)
{
    uintptr_t base = (uintptr_t)header;
    const ElfW(Phdr) *segment = (const ElfW(Phdr) *)(base + header->e_phoff);
    const ElfW(Dyn) *dynamic = NULL;

    vdso->bias = base;
    for (unsigned i = 0; i < header->e_phnum; i++, segment++)
        if (segment->p_type == PT_LOAD)
            vdso->bias = base + segment->p_offset - segment->p_vaddr;
        else if (segment->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(base + segment->p_offset);
    return dynamic;
}

static bool read_vdso(struct vdso *vdso, const ElfW(Ehdr) * header)
{
    const ElfW(Dyn) *entry = find_dynamic(vdso, header);

    for (; entry && entry->d_tag != DT_NULL; entry++) {
        const void *at = (const void *)(vdso->bias + entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB)
            vdso->symbols = at;
        else if (entry->d_tag == DT_STRTAB)
            vdso->names = at;
        else if (entry->d_tag == DT_HASH)
            vdso->hash = at;
        else if (entry->d_tag == DT_GNU_HASH)
            vdso->gnu_hash = at;
    }
    return vdso->symbols && vdso->names && (vdso->hash || vdso->gnu_hash);
}

/* Only the hash tables show how many symbols there are. */
static uint32_t count_symbols(const struct vdso *vdso)
{
    if (vdso->hash)
        return vdso->hash[1];
    uint32_t bucket_count = vdso->gnu_hash[0], first = vdso->gnu_hash[1], last = 0;
    const uint32_t *buckets =
        vdso->gnu_hash + 4 + vdso->gnu_hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chains = buckets + bucket_count;
    for (uint32_t i = 0; i < bucket_count; i++)
        if (buckets[i] > last)
            last = buckets[i];
    if (last < first)
        return first;
    while (!(chains[last - first] & 1)) /* bit 0 marks the end of the last chain */
        last++;
    return last + 1;
}

static clock_reader *find_reader(void)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);
    struct vdso vdso = {0};

    if (!header || !read_vdso(&vdso, header))
        return NULL;
    uint32_t count = count_symbols(&vdso);
    for (uint32_t i = 0; i < count; i++) {
        const ElfW(Sym) *symbol = &vdso.symbols[i];
        if (symbol->st_shndx != SHN_UNDEF && strcmp(vdso.names + symbol->st_name, READER_NAME) == 0)
            return (clock_reader *)(vdso.bias + symbol->st_value);
    }
    return NULL;
}

static int ask_kernel(clockid_t clock, struct timespec *now)
{
    return (int)dft_kernel(SYS_clock_gettime, clock, (long)now, 0, 0);
}

uint64_t dft_time_now(clockid_t clock)
{
    static _Atomic(clock_reader *) found;
    clock_reader *reader = atomic_load_explicit(&found, memory_order_relaxed);
    struct timespec now;

    if (!reader) {
        reader = find_reader();
        if (!reader)
            reader = ask_kernel;
        atomic_store_explicit(&found, reader, memory_order_relaxed);
    }
    return reader(clock, &now) == 0 ? dft_time_to_ns(now) : 0;
}
