/*
 * check-big-trace: what check-trace checks, for traces of a hundred million events.
 *
 *     check-big-trace [--counts FILE] TRACE...
 *
 * Checks of each TRACE: complete gzip members, strict JSON, the line layout, the fields, one
 * `start`, one `end` whose num_events is the number of calls, nothing dropped, names for the process
 * and every thread, calls that nest in each thread, and as many aggregated calls as `end` says. FILE
 * has lines of PID COUNT NAME: the traces of that process must contain that many calls of that name,
 * aggregated or not, and no other names. Prints what it has seen; stops at the first violation with
 * exit code 1.
 *
 * Shares no code with dftrace: a mistake in the tool's reader must not hide one in the writer. Keeps
 * 16 bytes per call, of one trace at a time.
 */
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>
#include <zlib.h>

namespace
{

const char *current_path;
uint64_t current_line;

[[noreturn]] void fail(const std::string &what)
{
    if (current_path && current_line)
        fprintf(stderr, "check-big-trace: %s: line %llu: %s\n", current_path,
                static_cast<unsigned long long>(current_line), what.c_str());
    else
        fprintf(stderr, "check-big-trace: %s%s%s\n", current_path ? current_path : "",
                current_path ? ": " : "", what.c_str());
    exit(1);
}

/* The text of a file, plain or of whole gzip members, line by line. */
class Lines
{
  public:
    explicit Lines(const char *path) : file(fopen(path, "rb")), in(1 << 20), out(1 << 22)
    {
        if (!file)
            fail(strerror(errno));
        compressed = std::string_view(path).size() > 3 &&
                     std::string_view(path).substr(strlen(path) - 3) == ".gz";
        if (compressed && inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
            fail("zlib does not start");
    }
    ~Lines()
    {
        fclose(file);
        if (compressed)
            inflateEnd(&stream);
    }
    Lines(const Lines &) = delete;
    Lines &operator=(const Lines &) = delete;

    /* False at the end. `complete`: the line ended in a newline. */
    bool next(std::string_view &line, bool &complete)
    {
        for (;;) {
            const char *newline =
                static_cast<const char *>(memchr(out.data() + at, '\n', filled - at));
            if (newline) {
                line = {out.data() + at, static_cast<size_t>(newline - out.data()) - at};
                at += line.size() + 1;
                complete = true;
                return true;
            }
            memmove(out.data(), out.data() + at, filled - at);
            filled -= at;
            at = 0;
            if (filled == out.size())
                out.resize(out.size() * 2);
            if (fill())
                continue;
            line = {out.data(), filled};
            at = filled;
            complete = false;
            return !line.empty();
        }
    }

    uint64_t members = 0, bytes = 0;

  private:
    bool fill()
    {
        size_t before = filled;
        if (!compressed) {
            filled += fread(out.data() + filled, 1, out.size() - filled, file);
        } else {
            while (filled == before) {
                if (stream.avail_in == 0) {
                    stream.next_in = in.data();
                    stream.avail_in = static_cast<uInt>(fread(in.data(), 1, in.size(), file));
                    if (stream.avail_in == 0 && inside)
                        fail("the last gzip member is not complete");
                    if (stream.avail_in == 0)
                        return false;
                }
                inside = true;
                stream.next_out = reinterpret_cast<Bytef *>(out.data() + filled);
                stream.avail_out = static_cast<uInt>(out.size() - filled);
                int result = inflate(&stream, Z_NO_FLUSH);
                filled = out.size() - stream.avail_out;
                if (result == Z_STREAM_END) {
                    members++;
                    inside = false;
                    inflateReset(&stream);
                } else if (result != Z_OK) {
                    fail("a gzip member is damaged");
                }
            }
        }
        bytes += filled - before;
        return filled > before;
    }

    FILE *file;
    bool compressed = false, inside = false;
    z_stream stream = {};
    std::vector<Bytef> in;
    std::vector<char> out;
    size_t at = 0, filled = 0;
};

/* Strict JSON: moves over one value, or fails. Spans are the text between the quotes. */
class Scanner
{
  public:
    explicit Scanner(std::string_view text) : at(text.data()), end(text.data() + text.size()) {}

    bool done() const
    {
        return at == end;
    }
    bool take(char c)
    {
        if (at == end || *at != c)
            return false;
        at++;
        return true;
    }
    void expect(char c)
    {
        if (!take(c))
            fail(std::string("expected ") + c);
    }

    std::string_view string()
    {
        expect('"');
        const char *begin = at;
        for (;;) {
            if (at == end)
                fail("a string has no end");
            auto c = static_cast<unsigned char>(*at);
            if (c == '"')
                return {begin, static_cast<size_t>(at++ - begin)};
            if (c < 0x20)
                fail("a control character in a string");
            if (c == '\\')
                escape();
            else if (c >= 0x80)
                multibyte();
            else
                at++;
        }
    }

    std::string_view number()
    {
        const char *begin = at;
        take('-');
        if (!take('0') && !digits())
            fail("expected a number");
        if (take('.') && !digits())
            fail("expected decimals");
        if (at != end && (*at == 'e' || *at == 'E')) {
            at++;
            if (!take('+'))
                take('-');
            if (!digits())
                fail("expected an exponent");
        }
        return {begin, static_cast<size_t>(at - begin)};
    }

    std::string_view value()
    {
        const char *begin = at;
        if (at == end)
            fail("a value is missing");
        if (*at == '"')
            string();
        else if (*at == '{')
            object([this](std::string_view) { value(); });
        else if (*at == '[')
            array();
        else if (!word("true") && !word("false") && !word("null"))
            number();
        return {begin, static_cast<size_t>(at - begin)};
    }

    template <typename Member> void object(Member member)
    {
        std::string_view keys[32];
        size_t count = 0;
        expect('{');
        if (take('}'))
            return;
        do {
            std::string_view key = string();
            if (std::find(keys, keys + count, key) != keys + count)
                fail("the key " + std::string(key) + " stands twice in one object");
            if (count == 32)
                fail("an object with more than 32 keys");
            keys[count++] = key;
            expect(':');
            member(key);
        } while (take(','));
        expect('}');
    }

  private:
    void array()
    {
        expect('[');
        if (take(']'))
            return;
        do
            value();
        while (take(','));
        expect(']');
    }
    bool digits()
    {
        const char *begin = at;
        while (at != end && *at >= '0' && *at <= '9')
            at++;
        return at != begin;
    }
    bool word(std::string_view text)
    {
        if (static_cast<size_t>(end - at) < text.size() || memcmp(at, text.data(), text.size()))
            return false;
        at += text.size();
        return true;
    }
    void escape()
    {
        at++;
        if (at == end || !strchr("\"\\/bfnrtu", *at))
            fail("an unknown escape");
        if (*at++ != 'u')
            return;
        for (int i = 0; i < 4; i++, at++)
            if (at == end || !isxdigit(static_cast<unsigned char>(*at)))
                fail("\\u without four digits");
        if (tolower(at[-4]) == 'd' && at[-3] > '7')
            fail("a surrogate escape, which Perfetto refuses");
    }
    void multibyte()
    {
        auto lead = static_cast<unsigned char>(*at);
        int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        if (lead < 0xc2 || lead > 0xf4 || end - at <= more)
            fail("not UTF-8");
        for (int i = 1; i <= more; i++)
            if ((static_cast<unsigned char>(at[i]) & 0xc0) != 0x80)
                fail("not UTF-8");
        at += more + 1;
    }

    const char *at, *end;
};

int64_t read_integer(std::string_view text)
{
    int64_t value = 0;
    for (char c : text) {
        if (c < '0' || c > '9' || value > INT64_MAX / 100)
            fail("expected a whole number, found " + std::string(text));
        value = value * 10 + (c - '0');
    }
    return value;
}

/* Microseconds with three decimals, as nanoseconds. */
int64_t read_time(std::string_view text)
{
    if (text.size() < 5 || text[text.size() - 4] != '.')
        fail("expected microseconds with three decimals, found " + std::string(text));
    return read_integer(text.substr(0, text.size() - 4)) * 1000 +
           read_integer(text.substr(text.size() - 3));
}

struct Span {
    int64_t start, end;
};

struct Thread {
    std::vector<Span> calls;
    bool named = false;
};

struct Counter {
    uint64_t seen = 0, wanted = 0;
};

std::map<int64_t, std::unordered_map<std::string, Counter>> counters;

struct Event {
    std::string_view name, category, phase, pid, tid, ts, dur, args;
};

Event read_event(std::string_view line)
{
    Event event;
    Scanner scanner(line);
    scanner.object([&](std::string_view key) {
        if (key == "name")
            event.name = scanner.string();
        else if (key == "cat")
            event.category = scanner.string();
        else if (key == "ph")
            event.phase = scanner.string();
        else if (key == "pid")
            event.pid = scanner.number();
        else if (key == "tid")
            event.tid = scanner.number();
        else if (key == "ts")
            event.ts = scanner.number();
        else if (key == "dur")
            event.dur = scanner.number();
        else if (key == "args")
            event.args = scanner.value();
        else if (key == "file" || key == "line" || key == "s")
            scanner.value();
        else if (key == "tts" || key == "tdur")
            read_time(scanner.number());
        else
            fail("an unknown field " + std::string(key));
    });
    if (!scanner.done())
        fail("something stands behind the object");
    if (event.phase.empty() || event.pid.empty() || event.tid.empty())
        fail("ph, pid or tid is missing");
    return event;
}

int64_t find_number(std::string_view args, std::string_view key)
{
    int64_t found = -1;
    Scanner scanner(args);
    scanner.object([&](std::string_view name) {
        std::string_view value = scanner.value();
        if (name == key)
            found = read_integer(value);
    });
    return found;
}

constexpr std::string_view ADDED_UP = "calls of ";

class Trace
{
  public:
    void read(const char *path)
    {
        Lines lines(path);
        std::string_view line;
        bool complete, closed = false;
        for (current_line = 1; lines.next(line, complete); current_line++) {
            if (closed)
                fail("something stands behind the closing ]");
            if (current_line == 1 ? line != "[" : false)
                fail("the first line must be [");
            if (current_line == 1)
                continue;
            if (line == "]" && !complete && current_line % 2 == 1)
                closed = true;
            else if (current_line % 2 == 0)
                add(read_event(line));
            else if (line != ",")
                fail("expected a comma alone");
        }
        if (!closed)
            fail("the closing ] is missing");
        current_line = 0;
        members = lines.members;
        bytes = lines.bytes;
        check();
    }

    uint64_t calls = 0, added_up = 0, unfinished = 0, members = 0, bytes = 0;
    size_t deepest = 0, thread_count = 0;

  private:
    void add(const Event &event)
    {
        int64_t tid = read_integer(event.tid);
        if (pid == 0)
            pid = read_integer(event.pid);
        if (pid <= 0 || tid <= 0 || read_integer(event.pid) != pid)
            fail("a pid or tid that cannot be");
        Thread &thread = threads[tid];
        if (event.phase == "M") {
            process_named |= event.name == "process_name";
            thread.named |= event.name == "thread_name";
            return;
        }
        if (event.phase == "C") {
            read_time(event.ts);
            if (event.name.rfind(ADDED_UP, 0) == 0)
                add_up(event);
            return;
        }
        if (event.phase == "i" && event.category == "dftrace")
            return;
        if (event.phase != "X")
            fail("unexpected phase");
        int64_t start = read_time(event.ts), end = start + read_time(event.dur);
        if (event.category == "dftrace") {
            starts += event.name == "start";
            if (event.name == "end") {
                ends++;
                promised = find_number(event.args, "num_events");
                dropped = find_number(event.args, "dropped");
                promised_sum = std::max<int64_t>(0, find_number(event.args, "aggregated"));
            }
            return;
        }
        if (event.category.empty())
            fail("a call without a category");
        unfinished += event.args.find("\"unfinished\":true") != std::string_view::npos;
        calls++;
        thread.calls.push_back({start, end});
        auto &of_process = counters[pid];
        name.assign(event.name);
        of_process[name].seen++;
    }

    void add_up(const Event &event)
    {
        int64_t count = find_number(event.args, "count");
        if (count < 1)
            fail("a sum of no call");
        added_up += static_cast<uint64_t>(count);
        name.assign(event.name.substr(ADDED_UP.size()));
        counters[pid][name].seen += static_cast<uint64_t>(count);
    }

    void check_nesting(int64_t tid, std::vector<Span> &spans)
    {
        std::vector<int64_t> open;
        std::sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) {
            return a.start != b.start ? a.start < b.start : a.end > b.end;
        });
        for (const Span &span : spans) {
            while (!open.empty() && open.back() <= span.start)
                open.pop_back();
            if (!open.empty() && span.end > open.back()) {
                std::ostringstream text;
                text << "thread " << tid << ": a call from " << span.start << " to " << span.end
                     << " ns reaches beyond the one around it, which ends at " << open.back();
                fail(text.str());
            }
            open.push_back(span.end);
            deepest = std::max(deepest, open.size());
        }
    }

    void check()
    {
        if (starts != 1 || ends != 1)
            fail("expected one start and one end");
        if (promised != static_cast<int64_t>(calls) || dropped != 0)
            fail("the end speaks of " + std::to_string(promised) + " calls and " +
                 std::to_string(dropped) + " dropped, there are " + std::to_string(calls));
        if (promised_sum != static_cast<int64_t>(added_up))
            fail("the end speaks of " + std::to_string(promised_sum) +
                 " calls that are added up, " + std::to_string(added_up) + " are");
        if (!process_named)
            fail("the process has no name");
        for (auto &[tid, thread] : threads) {
            if (!thread.named)
                fail("thread " + std::to_string(tid) + " has no name");
            thread_count += !thread.calls.empty();
            check_nesting(tid, thread.calls);
        }
    }

    std::unordered_map<int64_t, Thread> threads;
    std::string name;
    int64_t pid = 0, promised = -1, promised_sum = -1, dropped = -1;
    unsigned starts = 0, ends = 0;
    bool process_named = false;
};

void read_counts(const char *path)
{
    std::ifstream file(path);
    int64_t pid;
    uint64_t count;
    std::string name;
    if (!file)
        fail(std::string("cannot read ") + path);
    while (file >> pid >> count && std::getline(file >> std::ws, name))
        counters[pid][name].wanted += count;
    if (!file.eof())
        fail(std::string("not PID COUNT NAME: ") + path);
}

void check_counts()
{
    for (const auto &[pid, of_process] : counters)
        for (const auto &[name, counter] : of_process)
            if (counter.seen != counter.wanted)
                fail("process " + std::to_string(pid) + ": " + std::to_string(counter.seen) +
                     " calls of " + name + ", expected " + std::to_string(counter.wanted));
}

} // namespace

int main(int argc, char **argv)
{
    uint64_t calls = 0, added_up = 0, threads = 0, members = 0, unfinished = 0, bytes = 0;
    size_t deepest = 0;
    int first = 1;
    bool counted = argc > 2 && strcmp(argv[1], "--counts") == 0;

    if (counted) {
        read_counts(argv[2]);
        first = 3;
    }
    if (first >= argc)
        fail("usage: check-big-trace [--counts FILE] TRACE...");
    for (int i = first; i < argc; i++) {
        Trace trace;
        current_path = argv[i];
        trace.read(argv[i]);
        calls += trace.calls;
        added_up += trace.added_up;
        threads += trace.thread_count;
        members += trace.members;
        unfinished += trace.unfinished;
        bytes += trace.bytes;
        deepest = std::max(deepest, trace.deepest);
    }
    current_path = nullptr;
    if (counted)
        check_counts();
    if (added_up)
        printf("%llu added up, ", static_cast<unsigned long long>(added_up));
    printf("%llu calls, %d processes, %llu threads, %zu deep, %llu unfinished, %llu members, "
           "%llu bytes\n",
           static_cast<unsigned long long>(calls), argc - first,
           static_cast<unsigned long long>(threads), deepest,
           static_cast<unsigned long long>(unfinished), static_cast<unsigned long long>(members),
           static_cast<unsigned long long>(bytes));
    return 0;
}
