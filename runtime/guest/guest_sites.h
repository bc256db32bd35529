/* Sites of guest functions; see dftrace/guest.h. */
#ifndef DFT_RUNTIME_GUEST_GUEST_SITES_H
#define DFT_RUNTIME_GUEST_GUEST_SITES_H

/* Called when the run's allowlist has changed, without a lock. */
void dft_guest_sites_relisted(void);

#endif
