// DFTRACER_FORMAT=dftracer: one JSON object a line without commas, ids without gaps; the report counts the same calls.
//
// RUN: printf 'main\nwork\n' > allow.txt
// RUN: %cc -O2 %plugin %allow=allow.txt %s -o prog %lib
// RUN: export DFTRACER_ENABLE=1
// RUN: DFTRACER_LOG_FILE=json ./prog && DFTRACER_LOG_FILE=lines DFTRACER_FORMAT=dftracer ./prog
// RUN: zcat lines-prog-*.pfw.gz > lines.txt && head -n1 lines.txt | grep -Fx '[' && tail -n1 lines.txt | grep -Fx ']'
// RUN: sed '1d;$d' lines.txt | python3 -c 'import json, sys; assert all(json.loads(line)["id"] == i for i, line in enumerate(sys.stdin))'
//
// RUN: for trace in lines json; do %dftrace report --json $trace-prog-*.pfw.gz | grep -o '"function":"[a-z]*"\|"calls":[0-9]*' \
// RUN:   | sort > $trace.calls || exit 1; done
// RUN: cmp lines.calls json.calls && grep -Fx '"calls":1000' lines.calls
//
// RUN: code=0; DFTRACER_FORMAT=xml %dftrace run ./prog 2> err.txt || code=$?; test $code = 125
// RUN: grep "expected json or dftracer" err.txt
static int __attribute__((noinline)) work(int n)
{
    volatile int kept = n;
    return kept * 2;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += work(i);
    return sum < 0;
}
