/* Thread-local variables of the runtime, accessed without a call to the dynamic linker. */
#ifndef DFT_RUNTIME_BASE_TLS_H
#define DFT_RUNTIME_BASE_TLS_H

#define DFT_TLS __thread __attribute__((tls_model("initial-exec")))

#endif
