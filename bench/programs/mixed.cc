/*
 * The workload that resembles a program: 50 functions in namespaces, classes and templates, calling
 * each other up to seven deep, each busy for a time that differs from call to call and from
 * function to function (some nanoseconds to some microseconds). Every variant makes the same calls.
 */
#include "bench/programs/limit.h"
#include "bench/programs/work.h"

namespace
{

struct Work {
    uint64_t random, calls, sum;
};

/* Busy for fewer than 2^(longest + 2) rounds; short times are as frequent as long ones. */
__attribute__((always_inline, no_instrument_function)) inline void be_busy(Work &work,
                                                                           unsigned longest)
{
    work.random = work.random * 6364136223846793005u + 1442695040888963407u;
    uint64_t random = work.random >> 32;
    uint64_t rounds = (random >> 8) & ((uint64_t{4} << (random % (longest + 1))) - 1);
    uint64_t sum = work.sum;
    for (uint64_t i = 0; i <= rounds; i++) {
        sum = sum * 3 + i;
        __asm__ volatile("" : "+r"(sum));
    }
    work.sum = sum;
}

} // namespace

/* A function that is busy, then runs its body. Counted, and never inlined. */
#define FUNCTION(name, longest, ...)                                                               \
    __attribute__((noinline)) static void name(Work &work)                                         \
    {                                                                                              \
        BENCH_ENTER                                                                                \
        work.calls++;                                                                              \
        be_busy(work, longest);                                                                    \
        __VA_ARGS__;                                                                               \
        __asm__ volatile("" : : "r"(&work) : "memory");                                            \
        BENCH_EXIT(__LINE__)                                                                       \
    }

/* For about one call in two. */
#define SOMETIMES(call)                                                                            \
    if (work.random >> 63 != 0)                                                                    \
    call(work)

namespace math
{
template <typename Real> struct Vector {
    FUNCTION(dot, 5)
    FUNCTION(normalize, 4)
    FUNCTION(axpy, 6)
};
struct Random {
    FUNCTION(next_gaussian, 4)
    FUNCTION(shuffle_indices, 8)
};
FUNCTION(fast_inverse_sqrt, 2)
FUNCTION(clamp_to_range, 1)
FUNCTION(morton_key, 2)
} // namespace math

namespace mesh
{
struct Cell {
    FUNCTION(volume, 2)
    FUNCTION(centroid, 3)
    FUNCTION(neighbour_at, 3)
};
class Face
{
  public:
    FUNCTION(interpolate_flux, 5)
    FUNCTION(outward_normal, 3, math::fast_inverse_sqrt(work))
};
struct Octree {
    FUNCTION(locate_leaf, 6, math::morton_key(work))
    FUNCTION(split_node, 7, Cell::volume(work); Cell::centroid(work))
    FUNCTION(balance, 6, locate_leaf(work); SOMETIMES(split_node))
};
class Grid3D
{
  public:
    FUNCTION(pack_halo, 7)
    FUNCTION(unpack_halo, 7)
    FUNCTION(exchange_halo, 5, pack_halo(work); unpack_halo(work))
    FUNCTION(refine, 6, Octree::locate_leaf(work); SOMETIMES(Octree::balance);
             Cell::neighbour_at(work))
};
} // namespace mesh

namespace fluid
{
template <typename Real, int Order> struct Stencil {
    FUNCTION(apply, 6)
    FUNCTION(apply_at_boundary, 4, math::clamp_to_range(work))
};
template <typename Real> class Field
{
  public:
    FUNCTION(gradient, 5, (Stencil<Real, 2>::apply(work)))
    FUNCTION(laplacian, 5, (Stencil<Real, 4>::apply(work));
             (Stencil<Real, 4>::apply_at_boundary(work)))
    FUNCTION(divergence, 4, mesh::Face::interpolate_flux(work); mesh::Face::outward_normal(work))
};
template <typename Real> struct ConjugateGradient {
    FUNCTION(precondition, 6, math::Vector<Real>::axpy(work))
    FUNCTION(iterate, 4, Field<Real>::laplacian(work); math::Vector<Real>::dot(work);
             precondition(work))
};
template <typename Real> class Solver
{
  public:
    FUNCTION(advance, 6, Field<Real>::gradient(work); Field<Real>::divergence(work))
    FUNCTION(project, 5, ConjugateGradient<Real>::iterate(work);
             ConjugateGradient<Real>::iterate(work))
    FUNCTION(limit_time_step, 4, math::clamp_to_range(work))
};
} // namespace fluid

namespace particle
{
struct Tracer {
    FUNCTION(kick, 3)
    FUNCTION(drift, 3, mesh::Cell::neighbour_at(work))
};
class Cloud
{
  public:
    FUNCTION(sort_by_cell, 9, math::Random::shuffle_indices(work))
    FUNCTION(move, 4, Tracer::kick(work); Tracer::drift(work); math::Vector<float>::normalize(work))
    FUNCTION(collide, 5, math::Random::next_gaussian(work); SOMETIMES(sort_by_cell))
};
} // namespace particle

namespace io
{
struct Checksum {
    FUNCTION(update, 7)
};
class BlockCompressor
{
  public:
    FUNCTION(find_match, 6)
    FUNCTION(compress_block, 9, find_match(work); find_match(work); Checksum::update(work))
};
class CheckpointWriter
{
  public:
    FUNCTION(append_field, 6, BlockCompressor::compress_block(work))
    FUNCTION(flush, 10, append_field(work); Checksum::update(work))
};
} // namespace io

namespace stats
{
template <typename Value> struct Histogram {
    FUNCTION(bucket_of, 2)
    FUNCTION(add, 3, bucket_of(work))
};
class Monitor
{
  public:
    FUNCTION(sample, 5, Histogram<double>::add(work); Histogram<long>::add(work))
    FUNCTION(report_progress, 10, sample(work))
};
} // namespace stats

namespace app
{
class Simulation
{
  public:
    FUNCTION(step_fluid, 4, fluid::Solver<double>::advance(work);
             fluid::Solver<double>::project(work); fluid::Solver<double>::limit_time_step(work))
    FUNCTION(step_particles, 4, particle::Cloud::move(work); particle::Cloud::move(work);
             particle::Cloud::collide(work))
    FUNCTION(step, 5, step_fluid(work); step_particles(work); mesh::Grid3D::exchange_halo(work);
             SOMETIMES(mesh::Grid3D::refine); SOMETIMES(io::CheckpointWriter::flush);
             stats::Monitor::report_progress(work))
};
} // namespace app

uint64_t bench_mixed(uint64_t calls)
{
    Work work = {1, 0, 1};

    while (work.calls < calls)
        app::Simulation::step(work);
    return work.calls;
}
