"""
Traces in Perfetto's format, made from spools in which every kind of event occurs: they contain what JSON contains, for
protoc and for Perfetto itself, and a file that was cut anywhere contains everything up to the cut.

    test_perfetto_format.py BUILD
"""
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.machinery import SourceFileLoader

SKIPPED = 77
HERE = os.path.dirname(os.path.abspath(__file__))
same_as_json = SourceFileLoader('same_as_json', os.path.join(HERE, 'same-as-json')).load_module()


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    if done.returncode != 0:
        sys.exit(f'{" ".join(command)}\n{done.stdout}')
    return done.stdout


def ends_of_packets(data):
    """The offsets at which a packet ends. All packets have tag 0x0a."""
    at, ends = 0, [0]
    while at < len(data):
        assert data[at] == 0x0a
        length, shift, at = 0, 0, at + 1
        while True:
            length |= (data[at] & 0x7f) << shift
            shift, at = shift + 7, at + 1
            if not data[at - 1] & 0x80:
                break
        at += length
        ends.append(at)
    assert at == len(data)
    return ends


def check_cuts(path, scratch, perfetto):
    data = open(path, 'rb').read()
    whole = list(same_as_json.packets(data))
    before = 0
    ends = ends_of_packets(data)
    for end in ends[:: max(1, len(ends) // 20)]:
        read = list(same_as_json.packets(data[:end]))
        assert repr(read) == repr(whole[: len(read)]) and len(read) >= before, path
        before = len(read)
    cuts = []
    for length in range(len(data) // 3, len(data), len(data) // 3):
        cuts.append(os.path.join(scratch, f'cut-{length}.pftrace'))
        with open(cuts[-1], 'wb') as file:
            file.write(data[:length])
    if perfetto:
        run('node', f'{HERE}/perfetto-loads.mjs', perfetto, *cuts)


def main():
    build = sys.argv[1]
    perfetto = os.path.join(build, 'readers', 'perfetto')
    if not shutil.which('protoc'):
        print('skipped: needs protoc (package protobuf-compiler)')
        sys.exit(SKIPPED)
    if not shutil.which('node') or not os.path.isdir(perfetto):
        print("no node, or no trace processor of Perfetto's: only protoc reads the traces")
        perfetto = None
    with tempfile.TemporaryDirectory() as scratch:
        run(os.path.join(build, 'tests', 'unit', 'unit-trace-bytes'), '--write', scratch)
        for name, extension in (('calls', '.pfw.gz'), ('events', '.pfw.gz'), ('plain', '.pfw')):
            pair = [f'{scratch}/{name}-2-app-42.pftrace', f'{scratch}/{name}-0-app-42{extension}']
            print(name, run(f'{HERE}/same-as-json', *pair).strip())
            if perfetto:
                print(name, run('node', f'{HERE}/perfetto-same.mjs', perfetto, *reversed(pair)).strip())
            check_cuts(pair[0], scratch, perfetto)
        for name in ('ties', 'deep'):
            pair = [f'{scratch}/{name}-2-app-42.pftrace', f'{scratch}/{name}-0-app-42.pfw.gz']
            print(name, run(f'{HERE}/same-as-json', *pair).strip())
            if perfetto:
                loaded = run('node', f'{HERE}/perfetto-loads.mjs', perfetto, pair[0]).strip()
                print(name, loaded)
                assert loaded.endswith(', 0 without an end')


if __name__ == '__main__':
    main()
