// Sums along the rows of the mesh lie in vector lanes; lanes beyond the six points have no weight. A row that
// ends within reach of the lanes is brought to a copy, so that numbers behind its end do not count.
#include "gravity/mesh/spline_points.hpp"
#include "sim/core/simd/instructions.hpp"
#include "sim/core/simd/pack.hpp"

namespace aureole::gravity {
namespace {  // each instruction set keeps its own copy

using P = Pack<simd::Instructions, double>;

constexpr int points = spline_points;
constexpr int packs = (points + P::lanes - 1) / P::lanes;
constexpr int lanes = packs * P::lanes;  ///< at most 8

/// Powers of the place d between two points, times 120, at the six points around them.
constexpr double powers[points][8] = {{1, 26, 66, 26, 1, 0},    {-5, -50, 0, 50, 5, 0},
                                      {10, 20, -60, 20, 10, 0}, {-10, 20, 0, -20, 10, 0},
                                      {5, -20, 30, -20, 5, 0},  {-1, 5, -10, 10, -5, 1}};

/// Of one axis: points, weights and their derivatives by d.
struct Axis {
    int first;
    double weight[8], slope[8];

    Axis(double x, const SplineMesh& mesh)
    {
        const double u = x * mesh.per_length, low = __builtin_floor(u), d = u - low;
        const double turned = low - 2 - mesh.n * __builtin_floor((low - 2) / mesh.n);
        // What is no number, or too far away for one of the mesh, is at its corner: the run's check finds it.
        first = turned >= -mesh.n && turned <= mesh.n ? static_cast<int>(turned) : 0;
        if (first >= mesh.n) first -= mesh.n;
        if (first < 0) first += mesh.n;
        for (int k = 0; k < packs; ++k) {
            const int at = k * P::lanes;
            P sum = P::load(powers[points - 1] + at), rise = sum * P(5);
            for (int power = points - 2; power >= 0; --power) {
                const P coefficient = P::load(powers[power] + at);
                sum = fma(sum, P(d), coefficient);
                if (power > 0) rise = fma(rise, P(d), coefficient * P(power));
            }
            (sum * P(1.0 / 120)).store(weight + at);
            (rise * P(1.0 / 120)).store(slope + at);
        }
    }
};

/// Of the axes across the rows, the numbers from which rows start.
struct RowStarts {
    std::size_t x[points], y[points];

    RowStarts(const Axis& along_x, const Axis& along_y, const SplineMesh& mesh)
    {
        const auto n = static_cast<std::size_t>(mesh.n);
        for (int c = 0; c < points; ++c) {
            const int i = along_x.first + c, j = along_y.first + c;
            x[c] = static_cast<std::size_t>(i < mesh.n ? i : i - mesh.n) * n * mesh.row;
            y[c] = static_cast<std::size_t>(j < mesh.n ? j : j - mesh.n) * mesh.row;
        }
    }
};

/// Numbers of a row from `first` on, which the lanes may have, where they are or in a copy.
struct RowPart {
    int n, first;
    bool is_copied;

    RowPart(const SplineMesh& mesh, int at) : n(mesh.n), first(at), is_copied(at + lanes > mesh.n) {}

    const double* read(const double* row, double* copy) const
    {
        if (!is_copied) return row + first;
        for (int c = 0; c < points; ++c) copy[c] = row[place(c)];
        for (int c = points; c < lanes; ++c) copy[c] = 0;
        return copy;
    }
    int place(int c) const { return first + c < n ? first + c : first + c - n; }
};

inline void deposit(const SplineMesh& mesh, Vec3 at, double mass, double grain, double* values)
{
    const Axis x(at.x, mesh), y(at.y, mesh), z(at.z, mesh);
    const RowStarts starts(x, y, mesh);
    const RowPart part(mesh, z.first);
    P along[packs];
    for (int k = 0; k < packs; ++k) along[k] = P::load(z.weight + k * P::lanes);
    for (int i = 0; i < points; ++i) {
        const double of_plane = mass * x.weight[i];
        for (int j = 0; j < points; ++j) {
            double* const row = values + starts.x[i] + starts.y[j];
            const P across(of_plane * y.weight[j]);
            double shares[8];
            for (int k = 0; k < packs; ++k) {
                const P share = (across * along[k] + P(grain)) - P(grain);
                if (part.is_copied)
                    share.store(shares + k * P::lanes);
                else
                    (P::load(row + part.first + k * P::lanes) + share).store(row + part.first + k * P::lanes);
            }
            if (part.is_copied)
                for (int c = 0; c < points; ++c) row[part.place(c)] += shares[c];
        }
    }
}

void deposit_all(const SplineMesh& mesh, const ConstParticlesView& particles, const Index* list,
                 std::size_t n, double grain, double* values)
{
    for (std::size_t k = 0; k < n; ++k)
        deposit(mesh, particles.position.load(list[k]), particles.mass[list[k]], grain, values);
}

struct PotentialAndGradient {
    double value;
    Vec3 gradient;  ///< by cells
};

inline PotentialAndGradient potential_at(const SplineMesh& mesh, Vec3 at, const double* values)
{
    const Axis x(at.x, mesh), y(at.y, mesh), z(at.z, mesh);
    const RowStarts starts(x, y, mesh);
    const RowPart part(mesh, z.first);
    P sum[packs], by_x[packs], by_y[packs];
    for (int k = 0; k < packs; ++k) sum[k] = by_x[k] = by_y[k] = P(0);
    double copy[8];
    for (int i = 0; i < points; ++i) {
        P plane[packs], plane_by_y[packs];
        for (int k = 0; k < packs; ++k) plane[k] = plane_by_y[k] = P(0);
        for (int j = 0; j < points; ++j) {
            const double* const row = part.read(values + starts.x[i] + starts.y[j], copy);
            for (int k = 0; k < packs; ++k) {
                const P found = P::load(row + k * P::lanes);
                plane[k] = fma(P(y.weight[j]), found, plane[k]);
                plane_by_y[k] = fma(P(y.slope[j]), found, plane_by_y[k]);
            }
        }
        for (int k = 0; k < packs; ++k) {
            sum[k] = fma(P(x.weight[i]), plane[k], sum[k]);
            by_x[k] = fma(P(x.slope[i]), plane[k], by_x[k]);
            by_y[k] = fma(P(x.weight[i]), plane_by_y[k], by_y[k]);
        }
    }
    double all[4][8];
    for (int k = 0; k < packs; ++k) {
        const int to = k * P::lanes;
        const P weight = P::load(z.weight + to);
        (weight * sum[k]).store(all[0] + to);
        (weight * by_x[k]).store(all[1] + to);
        (weight * by_y[k]).store(all[2] + to);
        (P::load(z.slope + to) * sum[k]).store(all[3] + to);
    }
    const auto total = [](const double* of) { return (of[0] + of[3]) + (of[1] + of[4]) + (of[2] + of[5]); };
    return {total(all[0]), {total(all[1]), total(all[2]), total(all[3])}};
}

void gather_all(const SplineMesh& mesh, const ConstParticlesView& particles, const Selection& targets,
                Index first, Index n, const double* potential, const ForceOutputs& outputs)
{
    for (Index k = first; k < first + n; ++k) {
        const Index i = targets[k];
        const PotentialAndGradient found = potential_at(mesh, particles.position.load(i), potential);
        outputs.acceleration.store(i, outputs.acceleration.load(i) - mesh.per_length * found.gradient);
        if (outputs.potential) outputs.potential[i] += found.value;
    }
}

}  // namespace

DepositKernel AUREOLE_FOR_INSTRUCTIONS(spline_deposit)() { return deposit_all; }
GatherKernel AUREOLE_FOR_INSTRUCTIONS(spline_gather)() { return gather_all; }

}  // namespace aureole::gravity
