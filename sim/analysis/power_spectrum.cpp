#include "sim/analysis/power_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <numbers>

#include "sim/analysis/power_loops.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/error.hpp"
#include "sim/core/fft/fft.hpp"
#include "sim/core/memory/pages.hpp"
#include "sim/core/mesh/assignment.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::run {
namespace {

using std::numbers::pi;
using Complex = std::complex<double>;

constexpr auto assignment = mesh::Assignment::pcs;
constexpr int least_mesh = 8, most_mesh = 2048, most_folds = 20;
constexpr int shells_of_a_fold = 8;

/// The largest whole wave number whose shell a mesh of n points covers.
int last_shell(int n) { return (n - 1) / 2; }

/// Edges of the shells as wide as the fundamental that a mesh of n points covers, in waves along it.
std::vector<double> unit_edges(int n)
{
    std::vector<double> edges;
    for (int i = 1; i <= last_shell(n) + 1; ++i) edges.push_back(i - 0.5);
    return edges;
}

/// Lower edges of the shells that one mesh gives, and the upper edge of the last, in waves along the mesh.
std::vector<double> shell_edges(int n, bool folded)
{
    if (!folded) return unit_edges(n);
    std::vector<double> edges;
    const double last = last_shell(n) + 0.5;
    for (int j = 0; j <= shells_of_a_fold; ++j)
        edges.push_back(last * std::exp2(static_cast<double>(j) / shells_of_a_fold - 1));
    return edges;
}

/// Shells cut at all unit edges, so that each thread of a GPU has few modes.
struct Slices {
    std::vector<int> first_square;      ///< squared wave numbers, one more than slices
    std::vector<std::size_t> shell_of;  ///< each slice

    explicit Slices(int n, const std::vector<double>& edges)
    {
        std::vector<double> cuts;
        const std::vector<double> units = unit_edges(n);
        std::ranges::set_union(edges, units, std::back_inserter(cuts));
        for (const double cut : cuts) {
            if (cut < edges.front() || cut > edges.back()) continue;
            int square = static_cast<int>(cut * cut);
            while (std::sqrt(static_cast<double>(square)) < cut) ++square;
            first_square.push_back(square);
            const auto above = std::ranges::upper_bound(edges, cut);
            if (above != edges.end()) shell_of.push_back(static_cast<std::size_t>(above - edges.begin()) - 1);
        }
    }
};

std::vector<AxisMode> axis_modes(int n)
{
    std::vector<AxisMode> modes;
    for (int i = 0; i < n; ++i) {
        const int wave = 2 * i < n ? i : i - n;
        const double x = pi * wave / n, sinc = wave == 0 ? 1 : std::sin(x) / x;
        modes.push_back({wave, wave == 0 || 2 * i == n ? 1 : 2,
                         std::pow(sinc, -2 * static_cast<int>(assignment)), std::cos(x), -std::sin(x)});
    }
    return modes;
}

template <class T>
Buffer<T> buffer_of(Backend where, const std::vector<T>& values)
{
    return Buffer<T>(where, std::span<const T>(values));
}

/// Masses on two interlaced meshes of a box that may be folded, as modes. Sums of masses, values and modes of
/// a mesh follow each other in one place.
class InterlacedModes {
public:
    InterlacedModes(Exec exec, int n)
        : exec_(exec),
          n_(n),
          axis_(buffer_of(exec.backend, axis_modes(n))),
          first_(exec.backend, GridShape::cube(n).n_modes()),
          second_(exec.backend, first_.size()),
          transform_(GridShape::cube(n), exec.backend, 1, true)
    {
        if (exec.backend == Backend::cuda) return;
        for (Buffer<Complex>* modes : {&first_, &second_})
            memory::ask_for_large_pages(modes->data(), modes->size() * sizeof(Complex));
    }

    /// `side` of the folded box; `scale`: fixed_point_scale().
    void set(const ConstParticlesView& particles, double side, double scale)
    {
        fill(particles, {n_, side, 0}, scale, first_);
        fill(particles, {n_, side, 0.5}, scale, second_);
    }

    /// Sums over each shell, in a fixed order.
    std::vector<ShellSum> sums(const std::vector<double>& edges) const
    {
        const Slices slices(n_, edges);
        const std::size_t n_slices = slices.shell_of.size();
        const Buffer<int> first_square = buffer_of(exec_.backend, slices.first_square);
        Buffer<ShellSum> of_planes(exec_.backend, static_cast<std::size_t>(n_) * n_slices);
        sum_shells(exec_, {n_, axis_.data(), first_.data(), second_.data()}, first_square.data(),
                   static_cast<int>(n_slices), of_planes.data());
        std::vector<ShellSum> of_slices(n_slices), result(edges.size() - 1);
        const auto add = [](ShellSum& to, const ShellSum& from) {
            to.k += from.k;
            to.power += from.power;
            to.modes += from.modes;
        };
        const std::vector<ShellSum> planes = of_planes.to_vector();
        for (std::size_t k = 0; k < planes.size(); ++k) add(of_slices[k % n_slices], planes[k]);
        for (std::size_t k = 0; k < n_slices; ++k) add(result[slices.shell_of[k]], of_slices[k]);
        return result;
    }

private:
    void fill(const ConstParticlesView& particles, const mesh::PeriodicMesh& mesh, double scale,
              Buffer<Complex>& modes)
    {
        auto* const sums = reinterpret_cast<std::int64_t*>(modes.data());
        clear_sums(exec_, transform_.n_values(), sums);
        mesh::deposit(exec_, particles, mesh, assignment, scale, sums, 2 * (n_ / 2 + 1) - n_);
        // below 1 in all, whatever the masses
        sums_to_values(exec_, transform_.n_values(), 0x1p-62, sums);
        const auto* const values = reinterpret_cast<const double*>(modes.data());
        transform_.forward({values, transform_.n_values()}, {modes.data(), modes.size()}, exec_.stream);
    }

    Exec exec_;
    int n_;
    Buffer<AxisMode> axis_;
    Buffer<Complex> first_, second_;
    RealTransform<double> transform_;
};

/// An element of an array in the memory of a backend.
template <class T>
T element(Backend where, const T* values, std::uint64_t at)
{
    if (where == Backend::cpu) return values[at];
    T value;
    device::copy(&value, values + at, sizeof(T));
    return value;
}

/// Of a set of masses that was checked.
struct Masses {
    double heaviest = 0;
    double shot_noise = 0;  ///< for a volume of 1
};

Masses masses_of(Exec exec, const ConstParticlesView& particles)
{
    const Backend where = exec.backend;
    const MassLimits none{ordered_bits(0.0), ~std::uint64_t{0}};
    Buffer<MassLimits> found(where, std::span(&none, 1));
    find_mass_limits(exec, particles, found.data());
    const MassLimits limits = found.to_vector()[0];
    if (limits.wrong < particles.n)
        throw ArgumentError(
            fmt::format("particle {} has the mass {}, expected a finite one from 0 on",
                        particles.id ? element(where, particles.id, limits.wrong) : limits.wrong,
                        element(where, particles.mass, limits.wrong)));
    const double heaviest = from_ordered_bits(limits.heaviest);
    AUREOLE_EXPECT(heaviest > 0, "the masses of all {} particles are zero, which have no spectrum",
                   particles.n);
    Buffer<MassSums> of_blocks(where, mass_blocks(particles.n));
    sum_masses(exec, particles, heaviest, of_blocks.data());
    double sum = 0, squares = 0;
    for (const MassSums& block : of_blocks.to_vector()) {
        sum += block.sum;
        squares += block.squares;
    }
    return {heaviest, squares / sum / sum};
}

void expect_usable(Exec exec, const ConstParticlesView& particles, double side, const PowerSettings& settings)
{
    AUREOLE_EXPECT(particles.where == exec.backend, "particles are on {}, expected {}",
                   name_of(particles.where), name_of(exec.backend));
    AUREOLE_EXPECT(particles.n > 0, "a spectrum of no particles, expected at least one");
    AUREOLE_EXPECT(side > 0 && std::isfinite(side), "a box of side {}, expected a positive number", side);
    AUREOLE_EXPECT(settings.mesh == 0 || (settings.mesh >= least_mesh && settings.mesh <= most_mesh),
                   "a mesh of {} points along an axis, expected {} to {}, or 0", settings.mesh, least_mesh,
                   most_mesh);
    AUREOLE_EXPECT(settings.folds >= 0 && settings.folds <= most_folds, "{} folds, expected 0 to {}",
                   settings.folds, most_folds);
}

}  // namespace

PowerSpectrum power_spectrum(Exec exec, const ConstParticlesView& particles, double side,
                             const PowerSettings& settings, const Progress& progress)
{
    expect_usable(exec, particles, side, settings);
    const Masses masses = masses_of(exec, particles);
    const double volume = side * side * side;
    PowerSpectrum result;
    result.mesh = power_mesh(settings, particles.n);
    result.where = exec.backend;
    result.shot_noise = volume * masses.shot_noise;
    const double scale = mesh::fixed_point_scale(masses.heaviest, particles.n);
    InterlacedModes modes(exec, result.mesh);
    for (int fold = 0; fold <= settings.folds; ++fold) {
        progress.at(static_cast<double>(fold) / (settings.folds + 1), "power spectrum");
        const double folded_side = std::ldexp(side, -fold);
        modes.set(particles, folded_side, scale);
        for (const ShellSum& shell : modes.sums(shell_edges(result.mesh, fold > 0))) {
            if (shell.modes == 0) continue;
            const auto n = static_cast<double>(shell.modes);
            result.k.push_back(2 * pi / folded_side * shell.k / n);
            result.modes.push_back(shell.modes);
            result.power.push_back(volume * shell.power / n);
        }
    }
    return result;
}

int power_mesh(const PowerSettings& settings, std::uint64_t n)
{
    if (settings.mesh > 0) return settings.mesh;
    const double wanted = 2 * std::cbrt(static_cast<double>(n));
    return smooth_number(
        static_cast<int>(std::clamp<double>(std::ceil(wanted - 1e-9), least_mesh, most_mesh)));
}

memory::Part power_memory(const PowerSettings& settings, Backend where, std::uint64_t n)
{
    const int points = power_mesh(settings, n);
    const std::size_t mesh = GridShape::cube(points).n_modes() * sizeof(Complex);
    const std::size_t shells = static_cast<std::size_t>(points) *
                               static_cast<std::size_t>(points / 2 + shells_of_a_fold) * sizeof(ShellSum);
    return {.what = "spectra",
            .knob = "a smaller power.mesh",
            .passing = (where == Backend::cuda ? 3 : 2) * mesh + shells};
}

}  // namespace aureole::run
