/* Hashes the bytes of an allowlist: FNV-1a with 64 bits. No heap, no state. */
#include "internal.h"

uint64_t dft_list_hash(const char *text, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}

struct dft_allowlist_hash dft_list_hash_text(uint64_t hash)
{
    struct dft_allowlist_hash printed = {""};

    for (int i = 0; i < 16; i++)
        printed.text[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    return printed;
}

struct dft_allowlist_hash dft_allowlist_hash(const struct dft_allowlist *list)
{
    return dft_list_hash_text(list->hash);
}
