// The start of a trace has the rank of the process in a parallel program, from any launcher, and on
// request the cores that it may use. A rank that is not a number is ignored.
//
// RUN: echo main > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1
// RUN: OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=16 SLURM_PROCID=7 DFTRACER_LOG_FILE=ompi ./prog
// RUN: zcat ompi-*.gz | grep '"name":"start".*,"rank":3,"ranks":16'
// RUN: PMI_RANK=0 PMI_SIZE=2 DFTRACER_LOG_FILE=pmi ./prog
// RUN: zcat pmi-*.gz | grep '"name":"start".*,"rank":0,"ranks":2'
// RUN: SLURM_PROCID=5 DFTRACER_LOG_FILE=slurm ./prog
// RUN: zcat slurm-*.gz | grep '"name":"start".*,"rank":5[,}]' | not grep ranks
// RUN: PMI_RANK=first DFTRACER_LOG_FILE=none ./prog
// RUN: zcat none-*.gz | grep '"name":"start"' | not grep -E '"(ranks?|cores)"'
// RUN: DFTRACER_SET_CORE_AFFINITY=1 DFTRACER_LOG_FILE=cores taskset -c 0 ./prog
// RUN: zcat cores-*.gz | grep '"name":"start".*,"cores":"0"'
// RUN: %check-trace ompi-*.gz cores-*.gz --count main=2

int main(void)
{
    return 0;
}
