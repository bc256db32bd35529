/*
 * A C++ program as its authors annotate it for DFTracer, with each C++ macro: methods, templates,
 * exceptions, regions in main, and the C macros beside them.
 */
#include "profiler.h"

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{
template <typename T> T norm(const std::vector<T> &values)
{
    STAGE_CPP_FUNCTION();
    T sum = T();
    for (const T &value : values)
        sum += value * value;
    STAGE_CPP_FUNCTION_UPDATE("values", static_cast<int>(values.size()));
    DFTRACER_CPP_FUNCTION_UPDATE("sum", sum);
    return sum;
}

class Solver
{
  public:
    explicit Solver(const std::string &name) : name(name)
    {
        DFTRACER_CPP_FUNCTION();
        DFTRACER_CPP_FUNCTION_UPDATE("name", name.c_str())
        DFTRACER_CPP_FUNCTION_UPDATE_TYPE("kind", "direct", MetadataType::MT_KEY)
    }

    int step(int number)
    {
        DFTRACER_CPP_FUNCTION();
        if (number == 2)
            throw std::runtime_error("diverged");
        DFTRACER_CPP_REGION(EXCHANGE);
        DFTRACER_CPP_REGION_UPDATE(EXCHANGE, "step", number);
        DFTRACER_CPP_REGION_UPDATE(EXCHANGE, "comp", "comm");
        DFTRACER_CPP_REGION_UPDATE_TYPE(EXCHANGE, "bytes", 1024ul, MT_VALUE);
        return number;
    }

    void relate()
    {
        DFTRACER_CPP_FUNCTION();
        EntityID mesh = DFTRACER_CPP_ENTITY("mesh", "m0", DFT_STORE_LOCAL_DISK, "/data/m0");
        DFTRACER_CPP_ENTITY_TYPE("mesh", DFT_ROLE_INPUT, "the grid");
        DFTRACER_CPP_ENTITY_RELATE(DFT_REL_REVISION_OF, mesh, mesh);
        DFTRACER_CPP_FUNCTION_RELATE(DFT_REL_USED, mesh);
        {
            DFTRACER_CPP_REGION(READING);
            DFTRACER_CPP_REGION_RELATE(READING, DFT_REL_USED, mesh);
        }
        DFTRACER_CPP_REGION_START(WRITING);
        DFTRACER_CPP_REGION_DYN_RELATE(WRITING, DFT_REL_GENERATED, mesh);
        DFTRACER_CPP_REGION_END(WRITING);
    }

    void use()
    {
        DFTRACER_CPP_FUNCTION();
        DFTRACER_CPP_FUNCTION_USES("mesh", "m0");
    }

    void make()
    {
        DFTRACER_CPP_FUNCTION();
        DFTRACER_CPP_FUNCTION_GENERATES("mesh", "m0");
    }

  private:
    std::string name;
};

/* The class itself, with names that are known at run time only. */
void use_class(const std::string &name)
{
    DFTracer region = DFTracer(name.c_str(), CPP_LOG_CATEGORY);
    region.update("yes", true);
    region.update("char", 'a');
    region.update("short", static_cast<short>(-3));
    region.update("float", 0.5f);
    region.update("most", 18446744073709551615ull);
    region.update("text", std::string("h").c_str());
    {
        DFTracer inner("inner", "OWN", DF_DATA_EVENT);
        inner.finalize();
        inner.finalize();
        inner.update("late", 1);
    }
    DFTracer("class", "metadata of it", DF_METADATA_EVENT);
}

/* C macros in C++: the region ends when the exception leaves it. */
void fail()
{
    STAGE_C_FUNCTION_START();
    STAGE_C_FUNCTION_UPDATE_INT("tries", 1);
    throw std::runtime_error("always");
}
} // namespace

int main()
{
    DFTRACER_CPP_INIT(nullptr, nullptr, nullptr);
    DFTRACER_CPP_INIT_NO_BIND(nullptr, nullptr, nullptr);
    DFTRACER_CPP_METADATA(meta, "solver", "direct")
    DFTRACER_CPP_APP_METADATA_INT("ranks", 2);
    DFTRACER_CPP_APP_METADATA_STR("case", "cavity");
    DFTRACER_CPP_MARK_USED("hdf5");
    DFTRACER_CPP_REGION_START(main);
    DFTRACER_CPP_REGION_DYN_UPDATE(main, "comp", "cpu");
    DFTRACER_CPP_REGION_DYN_UPDATE_TYPE(main, "tasks", 3, MT_VALUE);
    Solver solver("lu");
    int caught = 0;
    for (int i = 1; i <= 2; i++) {
        try {
            solver.step(i);
        } catch (const std::runtime_error &) {
            caught++;
        }
    }
    try {
        fail();
    } catch (const std::runtime_error &) {
        caught++;
    }
    norm(std::vector<int>(3, 2));
    norm(std::vector<double>(2, 0.5));
    auto lambda = [](int value) {
        DFTRACER_CPP_FUNCTION();
        return value;
    };
    lambda(1);
    solver.relate();
    solver.use();
    solver.make();
    use_class("named at run time");
    DFTRACER_CPP_REGION_END(main);
    {
        DFTRACER_CPP_REGION_START(forgotten);
        DFTRACER_CPP_REGION_DYN_UPDATE(forgotten, "ends", "with its block");
    }
    DFTRACER_CPP_FINI();
    std::printf("caught %d\n", caught);
    return caught != 2;
}
