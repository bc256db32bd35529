/*
 * For programs that drop root privileges, as servers do. Root has created the spool, in a directory
 * where other users may not remove it. So the spool and the trace are given to the new user first.
 * Any thread.
 *
 * Not in static executables: libc's functions change all threads, which no system call does, and
 * there is no next definition to call.
 */
#ifndef DFT_STATIC
#include "runtime/base/address_space.h"
#include "runtime/base/guard.h"
#include "runtime/interpose/next.h"
#include "runtime/session/session.h"
#include "runtime/session/writer_thread.h"

#include <unistd.h>

#define AS_BEFORE ((uid_t)-1)

DFT_DEFINE_NEXT(setuid)
DFT_DEFINE_NEXT(setreuid)
DFT_DEFINE_NEXT(setresuid)

static void hand_over(uid_t user)
{
    struct dft_guard guard;

    if (user == 0 || user == AS_BEFORE || atomic_load(&dft_session.state) != DFT_SESSION_ON ||
        geteuid() != 0 || dft_address_space_kind() != DFT_ADDRESS_SPACE_OWN ||
        dft_session_is_hosted())
        return;
    dft_guard_enter(&guard);
    dft_writer_thread_give_spool(user);
    dft_guard_leave(&guard);
}

DFT_INTERPOSE int setuid(uid_t user)
{
    hand_over(user);
    return next_setuid()(user);
}

DFT_INTERPOSE int setreuid(uid_t real, uid_t effective)
{
    hand_over(effective);
    return next_setreuid()(real, effective);
}

DFT_INTERPOSE int setresuid(uid_t real, uid_t effective, uid_t saved)
{
    hand_over(effective);
    return next_setresuid()(real, effective, saved);
}
#endif
