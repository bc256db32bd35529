/*
 * What the helper of the runtime (helper.c) writes to its standard output: records of one byte,
 * their kind, and a text that ends with a NUL. The runtime reads them (runtime/base/config_file.c).
 */
#ifndef DFT_CONFIGURATION_ANSWER_H
#define DFT_CONFIGURATION_ANSWER_H

enum dft_answer {
    DFT_ANSWER_SETTING = 'S', /* "NAME=VALUE", without the prefix DFTRACER_ */
    DFT_ANSWER_RULES = 'R',   /* text of an allowlist */
    DFT_ANSWER_INFO = 'I',    /* a message, as the following two */
    DFT_ANSWER_WARNING = 'W', /* about the setting before it */
    DFT_ANSWER_ERROR = 'E',   /* the file is refused; there is no setting */
    DFT_ANSWER_END = 'Z',     /* the answer is complete; the text is empty */
};

#define DFT_ANSWER_SIZE_MAX ((size_t)16 << 20) /* more than any file can give */

#endif
