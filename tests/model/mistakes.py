"""Shows that the model finds mistakes: breaks the protocol in one place at a time, and runs the model.

    mistakes.py SOURCE OBJECT... -- COMPILER FLAG...

OBJECTs are those of the model. Each mistake replaces a text in one file; if the file no longer contains the text, adapt the
mistake to the code.
"""

import os
import subprocess
import sys
import tempfile

# (what it is, file, unit to be compiled again, text, other text, scenario that finds it)
MISTAKES = [
    (
        "chunks are marked after the commit",
        "writer/commit.c",
        "writer/commit.c",
        "    atomic_store_explicit(&header->commit, commit, memory_order_release);\n",
        "    mark_batch(writer, job, 0);\n"
        "    atomic_store_explicit(&header->commit, commit, memory_order_release);\n"
        "    mark_batch(writer, job, commit);\n",
        "one thread",
    ),
    (
        "the file may be shorter than a commit says",
        "writer/commit.c",
        "writer/commit.c",
        "    if (!writer->concluding)\n        mark_batch(writer, job, commit);\n",
        "    if (!writer->concluding) {\n        struct dft_spool_header *header = writer->spool->header;\n"
        "        mark_batch(writer, job, commit);\n"
        "        header->committed[commit & 1] = header->committed[~commit & 1];\n"
        "        header->committed[commit & 1].size = writer->file.size + job->member.used;\n"
        "        header->commit = commit;\n    }\n",
        "one thread",
    ),
    (
        "a chunk stays in its thread's chain while it is wiped",
        "writer/commit.c",
        "writer/commit.c",
        "        unlink_chunk(spool, thread, chunk);\n        atomic_thread_fence(memory_order_release);\n"
        "        dft_spool_free_chunk(spool, chunk);\n",
        "        dft_spool_free_chunk(spool, chunk);\n        unlink_chunk(spool, thread, chunk);\n",
        "one thread",
    ),
    (
        "the mark goes before a lent chunk is wiped",
        "writer/commit.c",
        "writer/commit.c",
        "        memset(dft_spool_chunk_records(spool, chunk), 0, DFT_CHUNK_SIZE);\n",
        "        entry->pending_commit = 0;\n"
        "        memset(dft_spool_chunk_records(spool, chunk), 0, DFT_CHUNK_SIZE);\n",
        "full spool",
    ),
    (
        "a frame is taken off before its record is complete",
        "runtime/hooks/fast_path.h",
        "runtime/hooks/hooks.c",
        "            record->start = start;\n",
        "            frame->start = 0;\n            record->start = start;\n",
        "one thread",
    ),
    (
        "a record is complete before its start is there",
        "runtime/hooks/fast_path.h",
        "runtime/hooks/hooks.c",
        "            record->start = start;\n            record->duration = (uint32_t)duration;\n"
        "            __atomic_store_n(&record->site, frame->site, __ATOMIC_RELEASE);\n",
        "            __atomic_store_n(&record->site, frame->site, __ATOMIC_RELEASE);\n"
        "            record->start = start;\n            record->duration = (uint32_t)duration;\n",
        "one thread",
    ),
    (
        "a chunk is taken although an interrupted call has a record in it",
        "writer/drain.c",
        "writer/drain.c",
        "        if (frame.start && index < DFT_CHUNK_RECORDS &&",
        "        if (false && frame.start && index < DFT_CHUNK_RECORDS &&",
        "signal handler",
    ),
    (
        "the last chunk is committed before the open calls",
        "writer/drain.c",
        "writer/drain.c",
        "        if (next || !last)\n            dft_batch_close_if_due(writer);\n",
        "        dft_batch_close_if_due(writer);\n",
        "one thread",
    ),
    (
        "the writer takes a thread's chunk only the first time it is lent",
        "writer/commit.c",
        "writer/commit.c",
        "        dft_batch_progress(writer, entry->thread)->lent = 0;\n",
        "",
        "full spool",
    ),
    (
        "a thread waits for a chunk that cannot become free before the thread goes on",
        "runtime/hooks/records.c",
        "runtime/hooks/records.c",
        "(is_only || idle >= IDLE_MAX)",
        "is_only",
        "full spool, handler",
    ),
    (
        "calls that are dropped because the writer has died are not counted",
        "runtime/hooks/records.c",
        "runtime/hooks/records.c",
        "            self->dropped++;\n",
        "            self->dropped += 0;\n",
        "full spool, host",
    ),
]


def main():
    separator = sys.argv.index("--")
    source, objects, compiler = sys.argv[1], sys.argv[2:separator], sys.argv[separator + 1 :]
    objects = [name for entry in objects for name in entry.split(";")]
    failures = 0
    for what, file, unit, text, other, scenario in MISTAKES:
        with open(os.path.join(source, file), encoding="utf-8") as original:
            code = original.read()
        if code.count(text) != 1:
            print(f"{what}: {file} has changed; this mistake must follow it")
            failures += 1
            continue
        with tempfile.TemporaryDirectory() as directory:
            changed = os.path.join(directory, file)
            os.makedirs(os.path.dirname(changed), exist_ok=True)
            with open(changed, "w", encoding="utf-8") as broken:
                broken.write(code.replace(text, other))
            made, model = os.path.join(directory, "unit.o"), os.path.join(directory, "model")
            path = changed if file == unit else os.path.join(source, unit)
            include = ["-I", directory, "-I", source, "-I", os.path.join(source, "include")]
            subprocess.run([*compiler, *include, "-c", path, "-o", made], check=True)
            rest = [name for name in objects if not name.endswith(unit + ".o")]
            subprocess.run([compiler[0], *rest, made, "-o", model], check=True)
            result = subprocess.run([model, scenario], capture_output=True, text=True)
            found = result.returncode == 1
            print(f"{'found' if found else 'NOT FOUND'}: {what}")
            if not found:
                print(result.stdout[-500:])
                failures += 1
    sys.exit(1 if failures else 0)


main()
