// The mass of each source is spread over a Gaussian of width L / (alpha sqrt 2). The field of all Gaussians
// is smooth: a sum over the waves of the box, with one amplitude for all sources. What a point has more than
// its Gaussian is short: beyond half of the box less than the rounding of a double, so that the nearest image
// of a pair is enough. Lengths are in units of the box.
#include "gravity/direct/ewald.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "gravity/pair.hpp"
#include "sim/core/error.hpp"

namespace aureole::gravity {
namespace {

using std::numbers::pi;

constexpr double alpha = 12, reach = 0.5;  ///< erfc(alpha reach) is 2e-17
constexpr int largest = 24;                ///< waves per side; what is left out has exp(-39) of the first
constexpr int n_phases = 2 * largest + 1;
const double gaussian_potential = 2 * alpha / std::sqrt(pi);  ///< of a unit mass at its own centre

/// Waves (nx, ny, nz) of one nx and ny, first <= nz <= last.
struct Column {
    int nx, ny, first, last;
    std::size_t at;  ///< of the first one in lists of waves
};

/// Half of all waves: the others are their complex conjugates.
struct Waves {
    std::vector<Column> columns;
    std::vector<double> weight;  ///< 2 (4 pi / k^2) exp(-k^2 / (4 alpha^2)), k = 2 pi n
};

Waves half_of_the_waves()
{
    Waves waves;
    for (int nx = 0; nx <= largest; ++nx)
        for (int ny = nx > 0 ? -largest : 0; ny <= largest; ++ny) {
            const int left = largest * largest - nx * nx - ny * ny;
            if (left < 0) continue;
            const int last = static_cast<int>(std::sqrt(left));
            const int first = nx > 0 || ny > 0 ? -last : 1;
            waves.columns.push_back({nx, ny, first, last, waves.weight.size()});
            for (int nz = first; nz <= last; ++nz) {
                const double k2 = 4 * pi * pi * (nx * nx + ny * ny + nz * nz);
                waves.weight.push_back(8 * pi / k2 * std::exp(-k2 / (4 * alpha * alpha)));
            }
        }
    return waves;
}

struct Complex {
    double re, im;
};
Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

/// exp(2 pi i n x) of a place for every n from -largest to largest and each axis.
struct Phases {
    double re[3][n_phases], im[3][n_phases];

    void set(Vec3 x)
    {
        const double place[3] = {x.x, x.y, x.z};
        for (int axis = 0; axis < 3; ++axis)
            for (int n = 0; n <= largest; ++n) {
                const double turns = n * place[axis], angle = 2 * pi * (turns - std::rint(turns));
                re[axis][largest + n] = re[axis][largest - n] = std::cos(angle);
                im[axis][largest + n] = std::sin(angle);
                im[axis][largest - n] = -im[axis][largest + n];
            }
    }
    Complex at(int axis, int n) const { return {re[axis][largest + n], im[axis][largest + n]}; }
};

Vec3 place_in(const Box& box, Vec3 x) { return 1 / box.side * box.wrap(x); }

/// The amplitudes sum m exp(i k x) of all sources: each wave is summed by one thread in the order of the
/// sources.
struct Amplitudes {
    std::vector<double> re, im;
};

void add_to_column(const Column& column, double mass, const Phases& phases, Amplitudes& sums)
{
    const Complex xy = phases.at(0, column.nx) * phases.at(1, column.ny);
    const double a = mass * xy.re, b = mass * xy.im;
    const double *const c = &phases.re[2][largest + column.first], *const s =
                                                                       &phases.im[2][largest + column.first];
    double *const re = &sums.re[column.at], *const im = &sums.im[column.at];
    for (int k = 0; k <= column.last - column.first; ++k) {
        re[k] += a * c[k] - b * s[k];
        im[k] += a * s[k] + b * c[k];
    }
}

Amplitudes amplitudes_of(const EwaldTask& task, const Waves& waves)
{
    constexpr Index block = 512;  // sources whose phases are in memory together
    const Index n = task.sources.size();
    Amplitudes sums{std::vector<double>(waves.weight.size()), std::vector<double>(waves.weight.size())};
    std::vector<Phases> phases(std::min(n, block));
    for (Index begin = 0; begin < n; begin += block) {
        const Index end = std::min(n, begin + block);
#pragma omp parallel
        {
#pragma omp for
            for (Index k = begin; k < end; ++k)
                phases[k - begin].set(place_in(task.box, task.particles.position.load(task.sources[k])));
#pragma omp for schedule(static)
            for (std::size_t c = 0; c < waves.columns.size(); ++c)
                for (Index k = begin; k < end; ++k)
                    add_to_column(waves.columns[c], task.particles.mass[task.sources[k]], phases[k - begin],
                                  sums);
        }
    }
    return sums;
}

struct Field {
    Vec3 acceleration{};
    double potential = 0;
};

Field field_of_waves(const Waves& waves, const Amplitudes& sums, const Phases& phases)
{
    Field field;
    for (const Column& column : waves.columns) {
        const Complex xy = phases.at(0, column.nx) * phases.at(1, column.ny);
        double along_xy = 0, along_z = 0, potential = 0;
        for (int nz = column.first; nz <= column.last; ++nz) {
            const std::size_t k = column.at + static_cast<std::size_t>(nz - column.first);
            const Complex wave = xy * phases.at(2, nz);
            const double slope = waves.weight[k] * (sums.im[k] * wave.re - sums.re[k] * wave.im);
            along_xy += slope;
            along_z += nz * slope;
            potential -= waves.weight[k] * (sums.re[k] * wave.re + sums.im[k] * wave.im);
        }
        field.acceleration =
            field.acceleration + 2 * pi * Vec3{column.nx * along_xy, column.ny * along_xy, along_z};
        field.potential += potential;
    }
    return field;
}

/// What the Gaussian of a unit mass does at distance r: a force that grows like r inside, and its potential.
PairKernel<double> gaussian_pair(double r2)
{
    const double y = alpha * alpha * r2;
    if (y < 1) {  // series of erf: the closed forms lose digits to cancellation
        double force = 0, potential = 0, term = 1;
        for (int k = 0; k < 20; ++k) {
            potential += term / (2 * k + 1);
            force += term / (2 * k + 3);
            term *= -y / (k + 1);
        }
        return {2 * alpha * alpha * gaussian_potential * force, -gaussian_potential * potential};
    }
    const double r = std::sqrt(r2), erf = std::erf(alpha * r);
    return {(erf - gaussian_potential * r * std::exp(-y)) / (r2 * r), -erf / r};
}

/// The point or softened mass at a distance; nothing for points that coincide.
PairKernel<double> mass_pair(double r2, double eps, SofteningKernel kernel)
{
    if (eps == 0 && r2 == 0) return {0, 0};
    if (eps > 0 && kernel == SofteningKernel::spline) return spline_pair(r2, spline_support * eps);
    return plummer_pair(r2, eps * eps);
}

Field field_of_near(const EwaldTask& task, Index target)
{
    const ConstParticlesView& p = task.particles;
    const Vec3 x = task.box.wrap(p.position.load(target));
    const double eps = task.softening.length[p.type_of(target)];
    Field field;
    for (Index k = 0; k < task.sources.size(); ++k) {
        const Index j = task.sources[k];
        const Vec3 d = 1 / task.box.side * task.box.nearest(task.box.wrap(p.position.load(j)) - x);
        const double r2 = dot(d, d);
        if (r2 >= reach * reach) continue;
        const PairKernel<double> gaussian = gaussian_pair(r2);
        PairKernel<double> mass{0, 0};
        if (j != target)
            mass = mass_pair(r2, std::max(eps, task.softening.length[p.type_of(j)]) / task.box.side,
                             task.softening.kernel);
        field.acceleration = field.acceleration + p.mass[j] * (mass.force - gaussian.force) * d;
        field.potential += p.mass[j] * (mass.potential - gaussian.potential);
    }
    return field;
}

}  // namespace

void check_ewald_softening(const Softening& softening, const Box& box)
{
    const double support = softening.kernel == SofteningKernel::spline ? spline_support : 1;
    for (const double eps : softening.length)
        if (support * eps > reach * box.side)
            throw ConfigError(
                fmt::format("the direct sum of a periodic box with side {} has the softening length {}, "
                            "which reaches {}; "
                            "expected at most half of the box",
                            box.side, eps, support * eps));
}

void evaluate_ewald(const EwaldTask& task, const ForceOutputs& outputs)
{
    const Waves waves = half_of_the_waves();
    const Amplitudes sums = amplitudes_of(task, waves);
    double mass = 0;
    for (Index k = 0; k < task.sources.size(); ++k) mass += task.particles.mass[task.sources[k]];
    const double background = pi / (alpha * alpha) * mass, side = task.box.side;
    const IndexRange mine = task.slice.places(task.targets.size(), 1);
#pragma omp parallel for schedule(dynamic, 4)
    for (Index k = mine.begin; k < mine.end; ++k) {
        const Index i = task.targets[k];
        Phases phases;
        phases.set(place_in(task.box, task.particles.position.load(i)));
        const Field far = field_of_waves(waves, sums, phases), near = field_of_near(task, i);
        outputs.acceleration.store(i, 1 / (side * side) * (far.acceleration + near.acceleration));
        if (outputs.potential) outputs.potential[i] = (far.potential + near.potential + background) / side;
    }
}

}  // namespace aureole::gravity
