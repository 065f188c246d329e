#include "gravity/mesh/long_range.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "sim/core/device.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::gravity {
namespace {

using std::numbers::pi;

LongRangeConfig checked(const LongRangeConfig& config)
{
    AUREOLE_EXPECT(config.n >= 2 && config.n <= 2048, "a mesh of {} points along an axis, expected 2 to 2048",
                   config.n);
    AUREOLE_EXPECT(config.side > 0 && std::isfinite(config.side),
                   "a box of side {}, expected a positive number", config.side);
    AUREOLE_EXPECT(config.split > 0 && config.split < config.side,
                   "a split of forces at {}, expected a length between 0 and the side of the box, {}",
                   config.split, config.side);
    AUREOLE_EXPECT(config.cut >= 0, "clouds that end at {}, expected a length, or 0 for Gaussian ones",
                   config.cut);
    return config;
}

std::vector<double> waves(const LongRangeConfig& config)
{
    std::vector<double> wave;
    for (int i = 0; i < config.n; ++i) wave.push_back(2 * pi / config.side * wave_number(i, config.n));
    return wave;
}

bool ends(const LongRangeConfig& config) { return config.cut != 0; }

CompactSplit clouds_of(const LongRangeConfig& config) { return {config.split, config.cut}; }

/// Modes of clouds that end, by squared wave number; none of others. Those beyond the sphere of the largest
/// wave number along an axis are left out.
std::vector<double> cloud_modes(const LongRangeConfig& config)
{
    if (!ends(config)) return {};
    const CompactSplit clouds = clouds_of(config);
    std::vector<double> modes(static_cast<std::size_t>(config.n / 2) * (config.n / 2));
#pragma omp parallel for
    for (std::size_t m2 = 0; m2 < modes.size(); ++m2)
        modes[m2] = clouds.mode(2 * pi / config.side * std::sqrt(static_cast<double>(m2)));
    return modes;
}

/// What the potential of a unit mass at rest has at the mass itself.
double depth_of_clouds(const LongRangeConfig& config)
{
    return ends(config) ? clouds_of(config).potential(0) : 1 / (std::sqrt(pi) * config.split);
}

/// 1 - curvature k^2 is how modes of clouds begin.
double curvature_of_clouds(const LongRangeConfig& config)
{
    return ends(config) ? clouds_of(config).curvature() : config.split * config.split;
}

/// exp(-k^2 r_s^2) / W^2, W the window of the assignment, along an axis; without the first where clouds end.
std::vector<double> factors(const LongRangeConfig& config)
{
    std::vector<double> factor;
    for (const double k : waves(config)) {
        const double x = 0.5 * k * config.side / config.n;
        const double window = x == 0 ? 1 : std::pow(std::sin(x) / x, static_cast<int>(config.assignment));
        const double cloud = ends(config) ? 1 : std::exp(-k * k * config.split * config.split);
        factor.push_back(cloud / (window * window));
    }
    return factor;
}

std::vector<std::complex<double>> half_cell_phases(const LongRangeConfig& config)
{
    std::vector<std::complex<double>> phase;
    for (const double k : waves(config)) phase.push_back(std::polar(1.0, 0.5 * k * config.side / config.n));
    return phase;
}

template <class T>
Buffer<T> buffer_of(Backend where, const std::vector<T>& values)
{
    return Buffer<T>(where, std::span<const T>(values));
}

template <class T>
std::span<T> span_of(Buffer<T>& buffer)
{
    return {buffer.data(), buffer.size()};
}

double heaviest_mass(Exec exec, const ConstParticlesView& particles)
{
    const std::uint64_t none = ordered_bits(0.0);
    Buffer<std::uint64_t> bits(exec.backend, std::span(&none, 1));
    mesh::find_heaviest(exec, particles, bits.data());
    if (exec.backend == Backend::cuda) device::wait(exec.stream);
    return from_ordered_bits(bits.to_vector()[0]);
}

}  // namespace

ShortRange short_range(double r, double split)
{
    const double u = r / (2 * split), rest = std::erfc(u);
    return {(rest + 2 * u / std::sqrt(pi) * std::exp(-u * u)) / (r * r * r), -rest / r};
}

template <class Real>
LongRange<Real>::LongRange(Backend where, const LongRangeConfig& config)
    : config_(checked(config)),
      where_(where),
      mesh_{config.n, config.side, 0, 2 * (config.n / 2 + 1) - config.n},
      transform_(GridShape::cube(config.n), where, 1, true),
      wave_(buffer_of(where, waves(config))),
      factor_(buffer_of(where, factors(config))),
      cloud_(buffer_of(where, cloud_modes(config))),
      phase_(buffer_of(where, half_cell_phases(config))),
      potential_(where, transform_.n_modes()),
      modes_(where, transform_.n_modes())
{
}

template <class Real>
std::size_t LongRange<Real>::bytes(Backend where, const LongRangeConfig& config, bool has_sources)
{
    const GridShape shape = GridShape::cube(config.n);
    return (has_sources ? shape.size() * sizeof(std::int64_t) : 0) +
           (where == Backend::cuda ? 3 : 2) * shape.n_modes() * sizeof(std::complex<Real>);
}

template <class Real>
void LongRange<Real>::transform_masses(Exec exec, const Assign& assign, bool shifted,
                                       Buffer<std::complex<Real>>& modes)
{
    assign(shifted ? 0.5 : 0, values_in(modes).data());
    transform_.forward(values_in(modes), span_of(modes), exec.stream);
}

template <class Real>
void LongRange<Real>::set_sources(CUstream_st* stream, const ConstParticlesView& particles)
{
    const Exec exec{where_, stream};
    const double scale = mesh::fixed_point_scale(heaviest_mass(exec, particles), particles.n);
    sums_.require(where_, mesh_.size());
    set_masses(stream, [&](double shift, Real* values) {
        if (exec.backend == Backend::cpu)
            std::fill(sums_.data(), sums_.data() + sums_.size(), 0);
        else
            device::fill_zero(exec.stream, sums_.data(), sums_.size() * sizeof(std::int64_t));
        const mesh::PeriodicMesh shifted{mesh_.n, mesh_.side, shift, mesh_.padding};
        mesh::deposit(exec, particles, shifted, config_.assignment, scale, sums_.data());
        mesh::set_values(exec, shifted, sums_.data(), 1 / scale, values);
    });
}

template <class Real>
void LongRange<Real>::set_masses(CUstream_st* stream, const Assign& assign)
{
    const Exec exec{where_, stream};
    transform_masses(exec, assign, false, potential_);
    if (config_.interlaced) {
        transform_masses(exec, assign, true, modes_);
        merge_interlaced(exec, tables(), modes_.data(), potential_.data());
    }
    // in a neutral box the mean of the potential is zero; the short range has a mean of its own
    const double scale = 4 * pi / (config_.side * config_.side * config_.side);
    make_potential(exec, tables(), scale, scale * curvature_of_clouds(config_), potential_.data());
}

template <class Real>
void LongRange<Real>::add_from_mesh(Exec exec, const mesh::Targets& targets, bool shifted, double part,
                                    const ForceOutputs& outputs)
{
    mesh_.shift = shifted ? 0.5 : 0;
    const Vec3View& a = outputs.acceleration;
    double* const to[4] = {a.x, a.y, a.z, outputs.potential};
    for (int axis = 0; axis < 4; ++axis) {
        if (!to[axis]) continue;
        derive(exec, tables(), axis, shifted, potential_.data(), modes_.data());
        transform_.inverse(span_of(modes_), values_in(modes_), exec.stream);
        mesh::interpolate(exec, targets, mesh_, config_.assignment, values_in(modes_).data(), part, to[axis]);
    }
}

template <class Real>
void LongRange<Real>::add_field(CUstream_st* stream, const ConstParticlesView& particles,
                                const Selection& targets, const ForceOutputs& outputs)
{
    const Exec exec{where_, stream};
    const Selection all = targets.clipped(particles.n);
    const mesh::Targets to{particles.position, all.list, all.range.begin, all.size()};
    add_from_mesh(exec, to, false, config_.interlaced ? 0.5 : 1.0, outputs);
    if (config_.interlaced) add_from_mesh(exec, to, true, 0.5, outputs);
    if (outputs.potential) remove_own(exec, to, particles.mass, depth_of_clouds(config_), outputs.potential);
}

template class LongRange<float>;
template class LongRange<double>;

}  // namespace aureole::gravity
