// Lambdas, members of classes without a name, and template instances for their types: each has the
// names of its own parameters and its own line in the trace, in whatever order the compiler emits
// them; and what a rule omits is not recorded.
//
// RUN: printf 'src:*unnamed-functions*\n[args]\nsrc:*unnamed-functions* !secret\n' > allow.txt
// RUN: for level in -O0 -O2; do \
// RUN:   %cxx $level -std=c++17 -pthread %plugin %allow=allow.txt %s -o prog %lib || exit 1; \
// RUN:   DFTRACER_ENABLE=1 ./prog > made.txt || exit 1; \
// RUN:   %show-values trace-*.pfw.gz | sed 's/.* {/{/; s/"this":"[^"]*",*//; s/"struct"/"lambda"/; s/"return":"lambda"//; s/,}/}/' \
// RUN:     | sort > values.txt; FileCheck %s --match-full-lines < values.txt || exit 1; \
// RUN:   zcat trace-*.pfw.gz | grep '"ph":"X"' | sed -n 's/.*"line":\([0-9]*\),.*"alpha":.*/\1/p' | sort -u > alpha.txt; \
// RUN:   grep -n 'alph[a])' %s | cut -d: -f1 | diff - alpha.txt || exit 1; \
// RUN:   ! zcat trace-*.pfw.gz | grep hunter2 || exit 1; rm trace-*; done
//
// CHECK-DAG: {"alpha":5,"return":6}
// CHECK-DAG: {"beta":1,"return":3}
// CHECK-DAG: {"beta":4,"return":6}
// CHECK-DAG: {"first":2,"return":4}
// CHECK-DAG: {"offset":3,"return":4}
// CHECK-DAG: {"gamma":6,"return":12}
// CHECK-DAG: {"delta":6,"return":6}
// CHECK-DAG: {"eps":6,"return":6}
// CHECK-DAG: {"f":"lambda","zeta":4,"return":6}
// CHECK-DAG: {"f":"lambda","zeta":5,"return":6}
// CHECK-DAG: {"eta":4,"return":6}
// CHECK-DAG: {"eta":5,"return":6}
// CHECK-DAG: {"g":"lambda"}
// CHECK-DAG: {"theta":8,"return":9}
// CHECK-DAG: {"kappa":7,"return":7}
// CHECK-DAG: {"lambda":7,"return":8}
// CHECK-DAG: {"iota":7,"return":8}
// CHECK-DAG: {"mu":{{[123]}},"nu":{{[123]}},"return":{{true|false}}}
// CHECK-DAG: {"xi":9,"return":18}
// CHECK-DAG: {"omicron":10}
// CHECK-DAG: {"pi":11,"return":11}
// CHECK-DAG: {"rho":1,"sigma":2,"return":3}
// CHECK-DAG: {"rho":1.5,"sigma":2,"return":3.5}
// CHECK-DAG: {"user":"bob","return":3}
// CHECK-DAG: {"title":"Dr","name":"Who","return":5}

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

static volatile int sink;

static int use(int value)
{
    return sink = value;
}

struct {
    int twice(int first)
    {
        return use(first) * 2;
    }
} unnamed;

static auto login = [](const char *user, const char *secret) {
    return use(static_cast<int>(strlen(user))) + (secret[0] == 0);
};
static auto greet = [](const char *title, const char *name) {
    return use(static_cast<int>(strlen(title) + strlen(name)));
};
static auto global_one = [](int alpha) { return use(alpha) + 1; };
static auto global_two = [](int beta) { return use(beta) + 2; };

namespace
{
struct {
    std::string text = "x";
    int length(int offset)
    {
        return static_cast<int>(text.size()) + offset;
    }
} hidden;

auto deep = [](auto gamma) {
    struct Local {
        int inside(int delta)
        {
            return use(delta);
        }
    };
    return Local().inside(gamma) + [](int eps) { return use(eps); }(gamma);
};
} // namespace

template <class F> int apply(F f, int zeta)
{
    auto inner = [&](int eta) { return f(eta); };
    return inner(zeta);
}

template <class F> struct Holder {
    F f;
    explicit Holder(F g) : f(g) {}
    ~Holder()
    {
        sink = 1;
    }
    int call(int theta)
    {
        return f(theta);
    }
};

static int plain(int iota)
{
    auto one = [](int kappa) { return use(kappa); };
    auto two = [one](int lambda) { return one(lambda) + 1; };
    return two(iota);
}

int main()
{
    int sum =
        greet("Dr", "Who") + login("bob", "hunter2"); // not in the order of their declarations
    sum += global_two(1) + unnamed.twice(2) + hidden.length(3);
    sum += apply(global_two, 4) + apply(global_one, 5) + deep(6) + plain(7);
    Holder<decltype(global_one)> holder(global_one);
    sum += holder.call(8);
    std::vector<int> numbers{3, 1, 2};
    std::sort(numbers.begin(), numbers.end(), [](int mu, int nu) { return use(mu) < nu; });
    std::function<int(int)> function = [&](int xi) { return use(xi) + xi; };
    sum += function(9);
    std::thread([](int omicron) { sink = omicron; }, 10).join();
    int (*pointer)(int) = [](int pi) { return use(pi); };
    sum += pointer(11);
    auto generic = [](auto rho, int sigma) { return rho + use(sigma); };
    sum += generic(1, 2) + static_cast<int>(generic(1.5, 2));
    printf("%d\n", sum);
    return 0;
}
