#include "gravity/mesh/spline_field.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "gravity/mesh/mode_loops.hpp"
#include "sim/core/error.hpp"
#include "sim/core/simd/cpu_path.hpp"

namespace aureole::gravity {
namespace {

using std::numbers::pi;

/// Least width of a column: more than the planes that a particle reaches beyond its own.
constexpr int column_width = 8;
static_assert(column_width >= spline_points);

/// Targets that a thread takes at once.
constexpr Index targets_each = 1024;

int checked_points(int n)
{
    AUREOLE_EXPECT(n >= 8 && n <= 2048, "a mesh of {} points along an axis, expected 8 to 2048", n);
    return n;
}
double checked_side(double side)
{
    AUREOLE_EXPECT(side > 0 && std::isfinite(side), "a box of side {}, expected a positive number", side);
    return side;
}

/// Columns along an axis: an even number, so that they have two colours around the box, or one.
int columns_of(int n) { return n < 2 * column_width ? 1 : n / column_width / 2 * 2; }

/// Of all particles, and not less; equal bit for bit for any number of threads.
double mass_of_all(const ConstParticlesView& particles)
{
    constexpr std::size_t each = 1 << 16;
    constexpr double for_rounding = 1 + 1e-10;
    std::vector<double> part((particles.n + each - 1) / each);
#pragma omp parallel for if (particles.n > parallel_threshold)
    for (std::size_t k = 0; k < part.size(); ++k)
        for (std::size_t i = k * each; i < std::min<std::size_t>(particles.n, (k + 1) * each); ++i)
            part[k] += particles.mass[i];
    return std::accumulate(part.begin(), part.end(), 0.0) * for_rounding;
}

/// For spline_points.hpp, where masses add up to at most this.
double grain_for(double mass) { return std::ldexp(1.5, std::ilogb(mass) + 2); }

}  // namespace

SplineField::SplineField(int n, double side, const CompactSplit& split)
    : n_(checked_points(n)),
      side_(checked_side(side)),
      split_(split),
      transform_(GridShape::cube(n), Backend::cpu, 1, true),
      values_(Backend::cpu, transform_.n_values()),
      columns_(columns_of(n))
{
    const double scale = 4 * pi / (side * side * side);
    const int squares = n / 2 * (n / 2);
    of_square_.resize(static_cast<std::size_t>(squares));
    // in a neutral box the mean of the potential is zero; the short range has a mean of its own
    of_square_[0] = scale * split.curvature();
#pragma omp parallel for
    for (int m2 = 1; m2 < squares; ++m2) {
        const double k = 2 * pi / side * std::sqrt(static_cast<double>(m2));
        of_square_[static_cast<std::size_t>(m2)] = -scale * split.mode(k) / (k * k);
    }
    for (int i = 0; i < n; ++i) {
        const double x = pi * wave_number(i, n) / n;
        const double window = x == 0 ? 1 : std::pow(std::sin(x) / x, spline_points);
        per_window_.push_back(1 / (window * window));
    }
}

std::size_t SplineField::bytes(int n, std::size_t n_particles)
{
    return 2 * GridShape::cube(n).n_modes() * sizeof(double) +
           n_particles * (sizeof(Index) + sizeof(std::uint32_t));
}

void SplineField::set_sources(const ConstParticlesView& particles)
{
    deposit(particles);
    transform_.forward({values_.data(), values_.size()}, modes());
    make_potential();
    transform_.inverse(modes(), {values_.data(), values_.size()});
}

/// Makes lists of the particles of each column of the box.
void SplineField::sort_by_column(const ConstParticlesView& particles)
{
    const auto per_axis = static_cast<std::size_t>(columns_), n_columns = per_axis * per_axis;
    const int threads = particles.n > parallel_threshold ? omp_get_max_threads() : 1;
    in_columns_.require(Backend::cpu, particles.n);
    column_.require(Backend::cpu, particles.n);
    std::vector<std::size_t> at(n_columns * static_cast<std::size_t>(threads));
    const auto column_along = [&](double x) {
        const double cell = std::floor(x * (n_ / side_)), inside = cell - n_ * std::floor(cell / n_);
        // What is no number, or too far away for one, is in the first column: the run's check finds it.
        return inside >= 0 && inside <= n_ ? std::min(static_cast<int>(inside), n_ - 1) * columns_ / n_ : 0;
    };
    const auto share_of = [&](int thread) {
        return static_cast<Index>(std::uint64_t{particles.n} * static_cast<std::uint64_t>(thread) /
                                  static_cast<std::uint64_t>(threads));
    };
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int thread = 0; thread < threads; ++thread)
        for (Index i = share_of(thread); i < share_of(thread + 1); ++i) {
            const Vec3 x = particles.position.load(i);
            column_.data()[i] = static_cast<std::uint32_t>(column_along(x.x) * columns_ + column_along(x.y));
            ++at[column_.data()[i] * static_cast<std::size_t>(threads) + static_cast<std::size_t>(thread)];
        }
    column_start_.assign(n_columns + 1, 0);
    std::size_t sum = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
        if (k % static_cast<std::size_t>(threads) == 0)
            column_start_[k / static_cast<std::size_t>(threads)] = sum;
        sum += std::exchange(at[k], sum);
    }
    column_start_[n_columns] = sum;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int thread = 0; thread < threads; ++thread)
        for (Index i = share_of(thread); i < share_of(thread + 1); ++i)
            in_columns_.data()[at[column_.data()[i] * static_cast<std::size_t>(threads) +
                                  static_cast<std::size_t>(thread)]++] = i;
}

/// Columns of one colour do not reach each other's points.
void SplineField::deposit(const ConstParticlesView& particles)
{
    const std::size_t n_values = values_.size();
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < n_values; ++k) values_.data()[k] = 0;
    const double mass = mass_of_all(particles);
    if (!(mass > 0)) return;
    sort_by_column(particles);
    const DepositKernel add =
        for_path(chosen_cpu_path(), spline_deposit_baseline, spline_deposit_avx2, spline_deposit_avx512)();
    const double grain = grain_for(mass);
    const int step = columns_ > 1 ? 2 : 1, each = columns_ / step;
    for (int colour = 0; colour < step * step; ++colour) {
#pragma omp parallel for schedule(dynamic, 1) if (particles.n > parallel_threshold)
        for (int k = 0; k < each * each; ++k) {
            const int column = (k / each * step + colour / step) * columns_ + k % each * step + colour % step;
            const std::size_t begin = column_start_[static_cast<std::size_t>(column)],
                              end = column_start_[static_cast<std::size_t>(column) + 1];
            add(mesh(), particles, in_columns_.data() + begin, end - begin, grain, values_.data());
        }
    }
}

/// Modes beyond the sphere of the largest wave number along an axis become zero.
void SplineField::make_potential()
{
    const int n = n_, half = n / 2 + 1, limit = static_cast<int>(of_square_.size());
#pragma omp parallel for schedule(static)
    for (int row = 0; row < n * n; ++row) {
        const int i = wave_number(row / n, n), j = wave_number(row % n, n), across = i * i + j * j;
        const double factor =
            per_window_[static_cast<std::size_t>(row / n)] * per_window_[static_cast<std::size_t>(row % n)];
        std::complex<double>* const mode = modes().data() + static_cast<std::size_t>(row) * half;
        int l = 0;
        for (; l < half && across + l * l < limit; ++l)
            mode[l] *= factor * per_window_[static_cast<std::size_t>(l)] *
                       of_square_[static_cast<std::size_t>(across + l * l)];
        std::fill(mode + l, mode + half, 0.0);
    }
}

void SplineField::add_field(const ConstParticlesView& particles, const Selection& targets,
                            const ForceOutputs& outputs) const
{
    const GatherKernel gather =
        for_path(chosen_cpu_path(), spline_gather_baseline, spline_gather_avx2, spline_gather_avx512)();
    const Selection all = targets.clipped(particles.n);
    const Index n = all.size(), parts = n / targets_each + (n % targets_each > 0 ? 1 : 0);
    const double depth = split_.potential(0);
#pragma omp parallel for schedule(dynamic, 1) if (parts > 1)
    for (Index part = 0; part < parts; ++part) {
        const Index first = part * targets_each, mine = std::min(targets_each, n - first);
        gather(mesh(), particles, all, first, mine, values_.data(), outputs);
        if (!outputs.potential) continue;
        for (Index k = first; k < first + mine; ++k)
            outputs.potential[all[k]] += depth * particles.mass[all[k]];
    }
}

}  // namespace aureole::gravity
