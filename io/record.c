/*
 * Recording of intercepted calls: see record.h. Any thread, any context. No lock of libc, no heap.
 */
#include "io/record.h"
#include "io/next.h"

#include <fcntl.h>
#include <string.h>

/* Numbers of the keys in the site table, from their first use on. They stay valid in children. */
static uint32_t key_numbers[DFT_IO_KEYS];

static __attribute__((noinline)) uint32_t intern_key(enum dft_io_key key)
{
    static const char *const names[] = {
#define DFT_IO_KEY(name) #name,
#include "io/keys.def"
#undef DFT_IO_KEY
    };
    uint32_t number = __dftrace_io_intern(names[key], strlen(names[key]), DFT_KEY_CATEGORY);

    if (number == DFT_IO_NO_SESSION)
        return 0;
    __atomic_store_n(&key_numbers[key], number, __ATOMIC_RELAXED);
    return number;
}

static inline uint32_t key_number(enum dft_io_key key)
{
    uint32_t number = __atomic_load_n(&key_numbers[key], __ATOMIC_RELAXED);

    return __builtin_expect(number != 0, 1) ? number : intern_key(key);
}

/* --- the end of a call ------------------------------------------------------------------------ */

#define TEXT_MAX 200        /* bytes of a text that is not the name of a file */
#define NAME_TEXT_MAX 480   /* bytes of a name that is a text: a call may have two */
#define LATER_BYTES_MAX 120 /* for the values after the last name */

static inline void put_bytes(struct dft_fields *fields, const void *bytes, size_t length)
{
    if (fields->room < length)
        return;
    memcpy(fields->at, bytes, length);
    fields->at += length;
    fields->room -= length;
}

/* Most numbers fit in four bytes. */
static inline void put_number(struct dft_fields *fields, enum dft_io_key key,
                              enum dft_field_type type, uint64_t bits)
{
    uint32_t number = key_number(key) << 8;

    if (__builtin_expect(type == DFT_FIELD_INT && (int64_t)bits == (int32_t)bits, 1)) {
        const uint32_t words[2] = {DFT_FIELD_SHORT | number, (uint32_t)bits};
        put_bytes(fields, words, sizeof words);
    } else {
        const uint32_t words[3] = {(uint32_t)type | number, (uint32_t)bits, (uint32_t)(bits >> 32)};
        put_bytes(fields, words, sizeof words);
    }
}

static __attribute__((noinline)) void put_text(struct dft_fields *fields, enum dft_io_key key,
                                               const char *text, size_t length)
{
    dft_fields_put_text(fields, (struct dft_field_key){.number = key_number(key)}, text, length);
}

static __attribute__((noinline)) void put_any_text(struct dft_fields *fields, enum dft_io_key key,
                                                   const char *text)
{
    char copy[TEXT_MAX + 1];
    size_t length = text ? __dftrace_io_read(text, copy, TEXT_MAX) : 0;

    if (length)
        put_text(fields, key, copy, strnlen(copy, length));
}

/* A file whose name has no number: the site table has no room for further names. */
static __attribute__((noinline)) void put_long_name(struct dft_fields *fields, enum dft_io_key key,
                                                    const struct dft_io_file *file)
{
    char name[DFT_IO_NAME_ROOM];
    const char *text = file->text && file->text[0]      ? file->text
                       : dft_io_name_of(file->fd, name) ? name
                                                        : NULL;

    if (!text || fields->room < LATER_BYTES_MAX)
        return;
    fields->room -= LATER_BYTES_MAX;
    put_text(fields, key, text, strnlen(text, NAME_TEXT_MAX));
    fields->room += LATER_BYTES_MAX;
}

static inline void put_file(struct dft_fields *fields, enum dft_io_key key,
                            const struct dft_io_file *file)
{
    const uint32_t words[2] = {DFT_FIELD_NAME | key_number(key) << 8, (uint32_t)file->entry};

    if (!(file->entry & DFT_IO_KNOWN))
        return;
    if (__builtin_expect(words[1] != 0, 1))
        put_bytes(fields, words, sizeof words);
    else
        put_long_name(fields, key, file);
}

static inline void put_values(struct dft_attachments *all, const struct dft_io_file *file,
                              const struct dft_io_value *values, size_t count, int error)
{
    struct dft_attachment head = {.kind = DFT_ATTACHMENT_FIELDS};
    struct dft_fields fields = {all->bytes + sizeof head, sizeof all->bytes - sizeof head};

    put_file(&fields, DFT_IO_KEY_file, file);
    if (file->fd != DFT_IO_NO_FD)
        put_number(&fields, DFT_IO_KEY_fd, DFT_FIELD_INT, (uint64_t)(int64_t)file->fd);
    for (size_t i = 0; i < count; i++) {
        const struct dft_io_value *value = &values[i];
        if (__builtin_expect(value->type == DFT_FIELD_INT || value->type == DFT_FIELD_POINTER, 1))
            put_number(&fields, value->key, value->type, value->as.bits);
        else if (value->type == DFT_FIELD_TEXT)
            put_any_text(&fields, value->key, value->as.text);
        else if (value->type == DFT_FIELD_NAME)
            put_file(&fields, value->key, value->as.file);
    }
    if (error)
        put_number(&fields, DFT_IO_KEY_errno, DFT_FIELD_INT, (uint64_t)(int64_t)error);
    head.length = (uint16_t)(fields.at - all->bytes - sizeof head);
    memcpy(all->bytes, &head, sizeof head);
    all->used = (uint32_t)(fields.at - all->bytes);
}

void dft_io_end(struct dftrace_site *site, uint64_t token, const struct dft_io_file *file,
                const struct dft_io_value *values, size_t count, int error)
{
    struct dft_attachments all;

    put_values(&all, file, values, count, error);
    __dftrace_io_exit(site, token, &all,
                      dft_io_amount_of((enum dft_io_event)(site - dft_io_sites), values, count));
}

void dft_io_note(struct dftrace_site *site, uint64_t start, const struct dft_io_file *file,
                 const struct dft_io_value *values, size_t count, int error)
{
    struct dft_attachments all;

    put_values(&all, file, values, count, error);
    __dftrace_io_note(site, start, &all);
}

void dft_io_keep_name(uint64_t token, struct dft_io_file *file, char text[DFT_IO_NAME_ROOM])
{
    if (token && file->entry == DFT_IO_KNOWN && !file->text && dft_io_name_of(file->fd, text))
        file->text = text;
}

void dft_io_end_open(struct dftrace_site *site, uint64_t token, struct dft_io_file *file, int fd,
                     const struct dft_io_value *values, size_t count, int error)
{
    bool is_own = dft_io_owns_descriptors();
    char name[DFT_IO_NAME_ROOM];
    uint64_t entry = 0;

    if (fd >= 0 && is_own && __dftrace_io_is_own())
        dft_io_descriptor_forget(fd);
    else if (fd >= 0 && is_own)
        entry = dft_io_descriptor_resolve(fd);
    if (!token)
        return;
    if (fd < 0 && file->text && file->entry)
        entry = dft_io_name_entry(file->text, false);
    if (entry & DFT_IO_EXCLUDED) {
        __dftrace_io_exit(site, token, NULL, (struct dft_io_amount){0});
        return;
    }
    if (entry)
        file->entry = entry;
    if (entry && fd >= 0)
        file->text = entry == DFT_IO_KNOWN && dft_io_name_of(fd, name) ? name : NULL;
    dft_io_end(site, token, file, values, count, error);
}

/* --- the beginning ---------------------------------------------------------------------------- */

uint64_t dft_io_begin_unknown(struct dftrace_site *site, int fd, struct dft_io_file *file)
{
    if (__dftrace_io_is_own() || !dft_io_owns_descriptors())
        return 0;
    uint64_t entry = dft_io_descriptor(fd);
    if (!(entry & DFT_IO_KNOWN))
        entry = dft_io_descriptor_resolve(fd);
    if (entry & DFT_IO_EXCLUDED)
        return 0;
    *file = (struct dft_io_file){.entry = entry, .fd = fd};
    return __dftrace_io_enter(site);
}

int dft_io_number_of(FILE *stream)
{
    int saved = errno;
    int fd = stream ? DFT_IO_NEXT(fileno)(stream) : -1;

    errno = saved;
    return fd;
}

uint64_t dft_io_begin_stream(struct dftrace_site *site, FILE *stream, struct dft_io_file *file)
{
    if (!site->on)
        return 0;
    int fd = dft_io_number_of(stream);
    if (fd >= 0)
        return dft_io_begin_fd(site, fd, file);
    uint64_t token = dft_io_begin_none(site, file);
    if (token && stream)
        *file = (struct dft_io_file){.entry = DFT_IO_KNOWN, .fd = DFT_IO_NO_FD, .text = "memory"};
    return token;
}

uint64_t dft_io_begin_directory(struct dftrace_site *site, DIR *stream, struct dft_io_file *file)
{
    int saved = errno;

    if (!site->on)
        return 0;
    int fd = stream ? DFT_IO_NEXT(dirfd)(stream) : -1;
    errno = saved;
    return dft_io_begin_fd(site, fd, file);
}

uint64_t dft_io_begin_none(struct dftrace_site *site, struct dft_io_file *file)
{
    if (!site->on || __dftrace_io_is_own() || (dft_io_is_suspicious && !dft_io_owns_descriptors()))
        return 0;
    *file = (struct dft_io_file){.fd = DFT_IO_NO_FD};
    return __dftrace_io_enter(site);
}

static void name_path(int directory, const char *path, struct dft_io_file *file,
                      char text[DFT_IO_NAME_ROOM])
{
    bool has_name = dft_io_name_make(directory, path, text);

    *file = (struct dft_io_file){
        .entry = has_name ? dft_io_name_entry(text, false) : 0, .fd = DFT_IO_NO_FD, .text = text};
}

uint64_t dft_io_begin_path(struct dftrace_site *site, int directory, const char *path,
                           struct dft_io_file *file, char text[DFT_IO_NAME_ROOM])
{
    if (!site->on || __dftrace_io_is_own() || !dft_io_owns_descriptors())
        return 0;
    name_path(directory, path, file, text);
    return file->entry & DFT_IO_EXCLUDED ? 0 : __dftrace_io_enter(site);
}

uint64_t dft_io_begin_paths(struct dftrace_site *site, int directory, const char *path,
                            struct dft_io_file *file, char text[DFT_IO_NAME_ROOM], int newdirectory,
                            const char *newpath, struct dft_io_file *second,
                            char more[DFT_IO_NAME_ROOM])
{
    if (!site->on || __dftrace_io_is_own() || !dft_io_owns_descriptors())
        return 0;
    name_path(directory, path, file, text);
    name_path(newdirectory, newpath, second, more);
    return file->entry & second->entry & DFT_IO_EXCLUDED ? 0 : __dftrace_io_enter(site);
}
