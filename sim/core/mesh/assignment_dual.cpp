// The build compiles this file without fused multiply-adds, so that weights agree bit for bit on both
// backends.
#include "sim/core/mesh/assignment.hpp"

#include <cmath>
#include <cstdint>

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::mesh {
namespace {

/// x / 6 to the last bit: on a GPU by the rounded inverse and what is left (Markstein 1990), a sixth of the
/// instructions of a division.
AUREOLE_HD inline double sixth(double x)
{
#ifdef __CUDA_ARCH__
    constexpr double inverse = 1.0 / 6;
    const double rough = x * inverse;
    return fma(fma(-6.0, rough, x), inverse, rough);
#else
    return x / 6;
#endif
}

/// Points along an axis that a particle reaches, and its weights there, which add up to 1.
template <int cells>
struct AxisWeights {
    int point[cells];
    double weight[cells];

    AUREOLE_HD AxisWeights(double x, const PeriodicMesh& mesh)
    {
        const double u = x / mesh.spacing() - mesh.shift;
        const double low = std::floor(cells % 2 == 0 ? u : u + 0.5), d = u - low;
        set_weights(d);
        // modulo n, for any position: by rounding the quotient may be off by one at its ends
        const double first = low - (cells - 1) / 2;
        const double start = first - mesh.n * std::floor(first * (1.0 / mesh.n));
        int at = static_cast<int>(start);
        at = at < 0 ? at + mesh.n : at;
        for (int c = 0; c < cells; ++c, ++at) {
            at = at >= mesh.n ? at - mesh.n : at;
            point[c] = at < mesh.n ? at : at % mesh.n;  // a mesh of fewer points than cells
        }
    }

private:
    AUREOLE_HD void set_weights(double d)
    {
        if constexpr (cells == 2) {
            weight[0] = 1 - d;
            weight[1] = d;
        } else if constexpr (cells == 3) {
            weight[0] = 0.5 * (0.5 - d) * (0.5 - d);
            weight[1] = 0.75 - d * d;
            weight[2] = 0.5 * (0.5 + d) * (0.5 + d);
        } else {
            const double e = 1 - d;
            weight[0] = sixth(e * e * e);
            weight[1] = sixth(4 + d * d * (3 * d - 6));
            weight[2] = sixth(4 + e * e * (3 * e - 6));
            weight[3] = sixth(d * d * d);
        }
    }
};

template <int cells>
struct PointWeights {
    AxisWeights<cells> x, y, z;

    AUREOLE_HD PointWeights(Vec3 at, const PeriodicMesh& mesh) : x(at.x, mesh), y(at.y, mesh), z(at.z, mesh)
    {
    }

    /// Where the row of points with the i-th x and the j-th y begins.
    AUREOLE_HD std::size_t row(int i, int j, int n, int padding) const
    {
        const auto number = static_cast<std::uint32_t>(x.point[i] * n + y.point[j]);
        return std::size_t{number} * static_cast<std::uint32_t>(n + padding);
    }

    /// visit(index of the point, weight), in a fixed order.
    template <class Visit>
    AUREOLE_HD void for_each_point(int n, int padding, Visit visit) const
    {
        for (int i = 0; i < cells; ++i)
            for (int j = 0; j < cells; ++j) {
                const std::size_t begin = row(i, j, n, padding);
                const double across = x.weight[i] * y.weight[j];
                for (int k = 0; k < cells; ++k) visit(begin + z.point[k], across * z.weight[k]);
            }
    }
};

/// call(integral constant) with the number of cells.
template <class Call>
void with_cells(Assignment assignment, Call call)
{
    if (assignment == Assignment::cic)
        call(std::integral_constant<int, 2>());
    else if (assignment == Assignment::tsc)
        call(std::integral_constant<int, 3>());
    else
        call(std::integral_constant<int, 4>());
}

template <int cells>
void deposit_by(Exec exec, const ConstParticlesView& particles, const PeriodicMesh& mesh, double scale,
                std::int64_t* sums, int padding)
{
    for_each(exec, particles.n, [=] AUREOLE_HD(Index i) {
        const PointWeights<cells> weights(particles.position.load(i), mesh);
        const double mass = scale * particles.mass[i];
        weights.for_each_point(mesh.n, padding, [&](std::size_t point, double weight) {
            atomic_add(sums + point, static_cast<std::int64_t>(mass * weight + 0.5));
        });
    });
}

/// On the host lanes of a row add up side by side, rows in turn, and then the lanes: one sum would wait for
/// each of its terms.
template <int cells, class Real>
double interpolate_on_host(const PointWeights<cells>& weights, const PeriodicMesh& mesh, const Real* field)
{
    const auto n = static_cast<std::size_t>(mesh.n), length = n + static_cast<std::size_t>(mesh.padding);
    const int* const z = weights.z.point;
    const bool in_a_row = z[cells - 1] == z[0] + cells - 1;
    double lanes[cells] = {};
    for (int i = 0; i < cells; ++i)
        for (int j = 0; j < cells; ++j) {
            const Real* const row =
                field + (static_cast<std::size_t>(weights.x.point[i]) * n + weights.y.point[j]) * length;
            const double across = weights.x.weight[i] * weights.y.weight[j];
            if (in_a_row)
                for (int k = 0; k < cells; ++k) lanes[k] += across * static_cast<double>(row[z[0] + k]);
            else
                for (int k = 0; k < cells; ++k) lanes[k] += across * static_cast<double>(row[z[k]]);
        }
    double sum = 0;
    for (int k = 0; k < cells; ++k) sum += weights.z.weight[k] * lanes[k];
    return sum;
}

/// Two numbers that are read in one go.
template <class Real>
struct alignas(2 * sizeof(Real)) RealPair {
    Real first, second;
};

/// The field at a target, term by term. A row of four numbers is read as pairs, of which the first begins at
/// an even place, as rows do: that is a third fewer reads, and their number is what a GPU waits for.
template <int cells, class Real>
AUREOLE_HD double interpolate_on_device(const PointWeights<cells>& weights, const PeriodicMesh& mesh,
                                        const Real* field)
{
    double sum = 0;
    const int* const z = weights.z.point;
    if constexpr (cells == 4) {
        if ((mesh.n + mesh.padding) % 2 == 0 && z[3] == z[0] + 3) {
            const bool is_odd = z[0] % 2 != 0;
            const int start = z[0] - (is_odd ? 1 : 0);
            for (int i = 0; i < cells; ++i)
                for (int j = 0; j < cells; ++j) {
                    const auto* const pairs = reinterpret_cast<const RealPair<Real>*>(
                        field + weights.row(i, j, mesh.n, mesh.padding) + start);
                    const RealPair<Real> a = pairs[0], b = pairs[1], c = is_odd ? pairs[2] : b;
                    const Real values[4] = {is_odd ? a.second : a.first, is_odd ? b.first : a.second,
                                            is_odd ? b.second : b.first, is_odd ? c.first : b.second};
                    const double across = weights.x.weight[i] * weights.y.weight[j];
                    for (int k = 0; k < cells; ++k)
                        sum += across * weights.z.weight[k] * static_cast<double>(values[k]);
                }
            return sum;
        }
    }
    weights.for_each_point(mesh.n, mesh.padding, [&](std::size_t point, double weight) {
        sum += weight * static_cast<double>(field[point]);
    });
    return sum;
}

template <int cells, class Real>
void interpolate_by(Exec exec, const Targets& targets, const PeriodicMesh& mesh, const Real* field,
                    double factor, double* to)
{
    if (exec.backend == Backend::cpu) {
#pragma omp parallel for schedule(static)
        for (Index k = 0; k < targets.n; ++k) {
            const Index target = targets[k];
            const PointWeights<cells> weights(targets.position.load(target), mesh);
            to[target] += factor * interpolate_on_host(weights, mesh, field);
        }
        return;
    }
    for_each(exec, targets.n, [=] AUREOLE_HD(Index k) {
        const Index target = targets[k];
        const PointWeights<cells> weights(targets.position.load(target), mesh);
        to[target] += factor * interpolate_on_device(weights, mesh, field);
    });
}

}  // namespace

double fixed_point_scale(double heaviest, std::size_t n)
{
    int of_mass = 0, of_number = 0;
    std::frexp(heaviest, &of_mass);
    std::frexp(static_cast<double>(n), &of_number);
    return heaviest > 0 ? std::ldexp(1.0, 61 - of_mass - of_number) : 1.0;
}

void find_heaviest(Exec exec, const ConstParticlesView& particles, std::uint64_t* bits)
{
    const Index whole_warps = (particles.n + 31) / 32 * 32;
    for_each(exec, whole_warps, [=] AUREOLE_HD(Index i) {
        atomic_max_of_warp(bits, ordered_bits(i < particles.n ? particles.mass[i] : 0.0));
    });
}

void deposit(Exec exec, const ConstParticlesView& particles, const PeriodicMesh& mesh, Assignment assignment,
             double scale, std::int64_t* sums, int padding)
{
    with_cells(assignment,
               [&](auto cells) { deposit_by<cells()>(exec, particles, mesh, scale, sums, padding); });
}

template <class Real>
void set_values(Exec exec, const PeriodicMesh& mesh, const std::int64_t* sums, double factor, Real* values)
{
    constexpr Index each = 4;
    const std::size_t n = mesh.size(), row = static_cast<std::size_t>(mesh.n);
    const auto padding = static_cast<std::size_t>(mesh.padding);
    const auto threads = static_cast<Index>((n + each - 1) / each);
    for_each(exec, threads, [=] AUREOLE_HD(Index at) {
        for (std::size_t k = at; k < n; k += threads)
            values[k + (padding > 0 ? k / row * padding : 0)] =
                static_cast<Real>(factor * static_cast<double>(sums[k]));
    });
}

template <class Real>
void interpolate(Exec exec, const Targets& targets, const PeriodicMesh& mesh, Assignment assignment,
                 const Real* field, double factor, double* to)
{
    with_cells(assignment,
               [&](auto cells) { interpolate_by<cells()>(exec, targets, mesh, field, factor, to); });
}

#define AUREOLE_MESH(Real)                                                                                \
    template void set_values(Exec, const PeriodicMesh&, const std::int64_t*, double, Real*);              \
    template void interpolate(Exec, const Targets&, const PeriodicMesh&, Assignment, const Real*, double, \
                              double*);
AUREOLE_MESH(float)
AUREOLE_MESH(double)
#undef AUREOLE_MESH

}  // namespace aureole::mesh
