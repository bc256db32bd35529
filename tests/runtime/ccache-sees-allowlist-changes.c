// ccache returns an object only if it was compiled with the same allowlist: with the flags of
// `dftrace config`, or with the list in CCACHE_EXTRAFILES.
//
// REQUIRES: ccache
// RUN: export CCACHE_DIR=$PWD/cache CCACHE_TEMPDIR=$PWD/cache CCACHE_LOGFILE=$PWD/log.txt && mkdir cache
// RUN: unset CCACHE_DISABLE CCACHE_READONLY CCACHE_RECACHE CCACHE_CONFIGPATH CCACHE_DEPEND CCACHE_EXTRAFILES
// RUN: cp %s unit.c && printf 'ccache --print-stats | sed -n "s/^\(direct_cache_hit\|cache_miss\)\t/\\1=/p" | paste -sd " "\n' > stats
// RUN: printf 'readelf -pdftrace_texts unit.o | grep -o "[a-z]*_work" | sort -u | paste -sd " "\n' > traced
//
// RUN: echo 'ccache %cc -O2 $(%dftrace config --cflags --allowlist allow.txt) -c unit.c -o unit.o && sh stats && sh traced' > compile
// RUN: echo one_work > allow.txt && sh -e compile > said.txt && sh -e compile >> said.txt
// RUN: echo two_work > allow.txt && sh -e compile >> said.txt
// RUN: echo one_work > allow.txt && sh -e compile >> said.txt
// RUN: FileCheck %s < said.txt
// CHECK:      cache_miss=1 direct_cache_hit=0
// CHECK-NEXT: one_work
// CHECK-NEXT: cache_miss=1 direct_cache_hit=1
// CHECK-NEXT: one_work
// CHECK-NEXT: cache_miss=2 direct_cache_hit=1
// CHECK-NEXT: two_work
// CHECK-NEXT: cache_miss=2 direct_cache_hit=2
// CHECK-NEXT: one_work
//
// RUN: ccache --zero-stats > zero.txt && export CCACHE_EXTRAFILES=$PWD/allow.txt
// RUN: echo 'ccache %cc -O2 %plugin %allow=allow.txt -c unit.c -o unit.o && sh stats && sh traced' > compile
// RUN: sh -e compile > said.txt && sh -e compile >> said.txt && echo two_work > allow.txt && sh -e compile >> said.txt
// RUN: FileCheck %s --check-prefix=EXTRA < said.txt
// EXTRA:      cache_miss=1 direct_cache_hit=0
// EXTRA-NEXT: one_work
// EXTRA-NEXT: cache_miss=1 direct_cache_hit=1
// EXTRA-NEXT: one_work
// EXTRA-NEXT: cache_miss=2 direct_cache_hit=1
// EXTRA-NEXT: two_work
//
// With outdated flags the current list decides, and there is a note.
// RUN: flags=$(%dftrace config --cflags --allowlist allow.txt) && echo one_work > allow.txt \
// RUN: && %cc -O2 -Werror $flags -c unit.c -o unit.o 2> err.txt && sh traced | grep -x one_work
// RUN: FileCheck %s --check-prefix=NOTE < err.txt
// NOTE: note: dftrace: {{.*}}allow.txt has changed since {{.*}}dftrace config{{.*}} printed these

int one_work(int x)
{
    return x + 1;
}

int two_work(int x)
{
    return x + 2;
}
