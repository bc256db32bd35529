/* Fields: what is written is read again, cut texts end with whole characters, and damaged fields end the reading. */
#include "spool/fields.h"
#include "unit.h"

#define ROOM 64

static const struct dft_field_key none = {.number = DFT_FIELD_NO_KEY};

static void check_each_type(void)
{
    unsigned char bytes[256];
    struct dft_fields fields = {bytes, sizeof bytes};
    struct dft_field_key written = {.number = DFT_FIELD_INLINE_KEY, .length = 5, .text = "a key"};
    struct dft_field_key numbered = {.number = 77};
    struct dft_field_view view;
    const unsigned char *at = bytes;

    CHECK(dft_fields_put(&fields, numbered, DFT_FIELD_INT, (uint64_t)-5));
    CHECK(dft_fields_put(&fields, written, DFT_FIELD_TRUE, 0));
    CHECK(dft_fields_put_text(&fields, numbered, "text", 4));
    CHECK(dft_fields_put_text(&fields, numbered, "", 0));
    CHECK(dft_fields_put(&fields, numbered, DFT_FIELD_LIST, 0));
    CHECK(dft_fields_put(&fields, none, DFT_FIELD_DOUBLE, 7));
    CHECK(dft_fields_put(&fields, none, DFT_FIELD_END, 0));

    CHECK(dft_fields_next(&at, fields.at, &view) && view.type == DFT_FIELD_INT);
    CHECK(view.key.number == 77 && view.bits == (uint64_t)-5);
    CHECK(dft_fields_next(&at, fields.at, &view) && view.type == DFT_FIELD_TRUE);
    CHECK(view.key.length == 5 && memcmp(view.key.text, "a key", 5) == 0);
    CHECK(dft_fields_next(&at, fields.at, &view) && view.type == DFT_FIELD_TEXT);
    CHECK(view.length == 4 && memcmp(view.text, "text", 4) == 0 && !view.is_cut);
    CHECK(dft_fields_next(&at, fields.at, &view) && view.length == 0 && !view.is_cut);
    CHECK(dft_fields_next(&at, fields.at, &view) && view.type == DFT_FIELD_LIST);
    CHECK(dft_fields_next(&at, fields.at, &view) && view.bits == 7);
    CHECK(dft_fields_next(&at, fields.at, &view) && view.type == DFT_FIELD_END);
    CHECK(!dft_fields_next(&at, fields.at, &view));
}

/* Short numbers are seen as INT. A field that is cut off is refused. */
static void check_short(void)
{
    uint32_t words[4] = {DFT_FIELD_SHORT | 77 << 8, (uint32_t)-5, DFT_FIELD_NAME | 78 << 8, 12};
    const unsigned char *at = (const unsigned char *)words, *end = at + sizeof words;
    struct dft_field_view view;

    CHECK(dft_fields_next(&at, end, &view) && view.type == DFT_FIELD_INT);
    CHECK(view.key.number == 77 && view.bits == (uint64_t)-5);
    const unsigned char *name = at;
    CHECK(dft_fields_next(&at, end, &view) && view.type == DFT_FIELD_NAME);
    CHECK(view.key.number == 78 && view.bits == 12 && at == end);
    CHECK(!dft_fields_next(&name, end - 1, &view));
    unsigned char bytes[2 * sizeof *words];
    struct dft_fields fields = {bytes, sizeof bytes};
    CHECK(dft_fields_put_name(&fields, (struct dft_field_key){.number = 78}, 12));
    CHECK(fields.room == 0 && memcmp(bytes, words + 2, sizeof bytes) == 0);
    CHECK(!dft_fields_put_name(&fields, (struct dft_field_key){.number = 78}, 12));
}

/* A text of two-byte characters, for every room. */
static void check_cuts(void)
{
    char text[2 * ROOM];

    for (size_t i = 0; i < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa4", 2);
    for (size_t room = 0; room <= ROOM; room++) {
        unsigned char bytes[ROOM];
        struct dft_fields fields = {bytes, room};
        struct dft_field_view view;
        const unsigned char *at = bytes;

        if (!dft_fields_put_text(&fields, none, text, sizeof text)) {
            CHECK(room < 16 && fields.room == 0);
            continue;
        }
        CHECK(dft_fields_next(&at, fields.at, &view));
        CHECK(view.is_cut && view.length % 2 == 0 && view.length + 8 <= room);
        CHECK(view.length + 8 + 4 > room && memcmp(view.text, text, view.length) == 0);
    }
}

static void check_room(void)
{
    unsigned char bytes[12];
    struct dft_fields fields = {bytes, sizeof bytes};

    CHECK(dft_fields_put(&fields, none, DFT_FIELD_INT, 1));
    CHECK(!dft_fields_put(&fields, none, DFT_FIELD_NULL, 0));
    CHECK(fields.room == 0 && fields.at == bytes + sizeof bytes);
}

/* Every byte of a few fields takes every value: reading stays within them, and comes to an end. */
static void check_damage(void)
{
    unsigned char bytes[64], damaged[64];
    struct dft_fields fields = {bytes, sizeof bytes};
    struct dft_field_key key = {.number = DFT_FIELD_INLINE_KEY, .length = 3, .text = "key"};

    dft_fields_put(&fields, key, DFT_FIELD_INT, 1);
    dft_fields_put_text(&fields, key, "some text", 9);
    size_t length = (size_t)(fields.at - bytes);
    for (size_t i = 0; i < length; i++)
        for (int value = 0; value < 256; value++) {
            struct dft_field_view view;
            const unsigned char *at = damaged;
            unsigned count = 0;

            memcpy(damaged, bytes, length);
            damaged[i] = (unsigned char)value;
            while (count <= length && dft_fields_next(&at, damaged + length, &view)) {
                count++;
                if (view.type == DFT_FIELD_TEXT)
                    CHECK((const unsigned char *)view.text + view.length <= damaged + length);
            }
            CHECK(count <= length && at <= damaged + length);
        }
}

int main(void)
{
    check_each_type();
    check_short();
    check_cuts();
    check_room();
    check_damage();
    return unit_result();
}
