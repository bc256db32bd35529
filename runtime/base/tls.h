/* Thread-local variables of the runtime: reached without a call of the dynamic linker. */
#ifndef DFT_RUNTIME_BASE_TLS_H
#define DFT_RUNTIME_BASE_TLS_H

#define DFT_TLS __thread __attribute__((tls_model("initial-exec")))

#endif
