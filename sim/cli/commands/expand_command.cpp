// `aureole expand`: the coefficients of a snapshot's particles in a basis, in the file's own units.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gravity/scf/expansion.hpp"
#include "sim/analysis/expansion_file.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/cli/find/find_search.hpp"
#include "sim/cli/number_text.hpp"
#include "sim/cli/version_text.hpp"
#include "sim/core/error.hpp"
#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"
#include "sim/run/device_choice.hpp"
#include "sim/run/diagnostics/state_check.hpp"
#include "sim/run/starting_state.hpp"

namespace aureole::cli {
namespace {

namespace scf = gravity::scf;

/// The particles that take part, in the sequence of the file.
Particles chosen(const ExpandCommand& command, Particles all)
{
    expect_types(command.types);
    std::vector<Index> members;
    double mass = 0;
    for (Index i = 0; i < all.size(); ++i) {
        const bool of_type = command.types.empty() ||
                             std::ranges::find(command.types, all.type.host()[i]) != command.types.end();
        if (!of_type || all.component.host()[i] != command.component.value_or(all.component.host()[i]))
            continue;
        members.push_back(i);
        mass += all.mass.host()[i];
    }
    if (members.empty())
        throw ConfigError(
            fmt::format("{}: none of its {} particles has the types and component that were "
                        "asked for; `aureole info` lists types",
                        command.snapshot.string(), all.size()));
    if (!(mass > 0))
        throw ConfigError(fmt::format("{}: the {} chosen particles have no mass", command.snapshot.string(),
                                      members.size()));
    return members.size() == all.size() ? std::move(all) : all.gathered(members);
}

PointMasses point_masses(const Particles& host)
{
    return {host.mass.host(), host.position.x.host(), host.position.y.host(), host.position.z.host()};
}

InnerSphere inner_sphere(const Particles& host)
{
    memory::CountedVector<Index> all(host.size());
    std::iota(all.begin(), all.end(), Index{0});
    return shrinking_sphere(point_masses(host), std::move(all));
}

Vec3 mass_weighted(const Particles& host, const Vec3Buffer& vectors, std::span<const Index> members)
{
    double mass = 0;
    Vec3 sum;
    for (Index i : members) {
        mass += host.mass.host()[i];
        sum = sum + host.mass.host()[i] * vectors.load(i);
    }
    return mass > 0 ? 1 / mass * sum : Vec3{};
}

/// The particle of least energy in the expanded field about the densest part, at rest with that part.
Vec3 most_bound(Exec exec, Particles& particles, const Particles& host, scf::Expansion& expansion, double g)
{
    const InnerSphere sphere = inner_sphere(host);
    const Vec3 velocity = mass_weighted(host, host.velocity, sphere.members);
    Buffer<double> coefficients;
    expansion.expand(exec, particles.view(), {}, sphere.centre, coefficients);
    expansion.field(exec, particles.view(), {.potential = true}, sphere.centre, coefficients);
    const std::vector<double> potential = particles.potential.to_vector();
    const auto energy = [&](Index i) {
        const Vec3 v = host.velocity.load(i) - velocity;
        return 0.5 * dot(v, v) + g * potential[i];
    };
    Index least = 0;
    for (Index i = 1; i < host.size(); ++i)
        if (energy(i) < energy(least)) least = i;
    return host.position.load(least);
}

Vec3 densest_point(Exec, Particles&, const Particles& host, scf::Expansion&, double)
{
    return inner_sphere(host).centre;
}

Vec3 centre_of_mass(Exec, Particles&, const Particles& host, scf::Expansion&, double)
{
    std::vector<Index> all(host.size());
    std::iota(all.begin(), all.end(), Index{0});
    return mass_weighted(host, host.position, all);
}

/// Of all particles; named as the centres of groups are (halo/centres).
struct Centre {
    const char* name;
    Vec3 (*find)(Exec exec, Particles& particles, const Particles& host, scf::Expansion& expansion, double g);
};
constexpr Centre centres[] = {
    {"shrinking_sphere", densest_point}, {"most_bound", most_bound}, {"mass", centre_of_mass}};

Vec3 centre_of(const ExpandCommand& command, Exec exec, Particles& particles, const Particles& host,
               scf::Expansion& expansion, double g)
{
    if (!command.centre.empty()) return parse_vector("--centre", command.centre);
    for (const Centre& centre : centres)
        if (command.centre_on == centre.name) return centre.find(exec, particles, host, expansion, g);
    return {};
}

scf::Symmetry symmetry_of(const std::vector<std::string>& words)
{
    const auto has = [&](const char* word) { return std::ranges::find(words, word) != words.end(); };
    return {has("even-l"), has("even-m"), has("axisymmetric"), has("spherical")};
}

/// Variances of the sums over all particles, from sub-samples dealt out in turn: each has a T-th of the mass,
/// so the variance of a sum of T is T times theirs.
std::vector<std::complex<double>> variances(Exec exec, Particles host, scf::Expansion& expansion, Vec3 centre,
                                            int samples)
{
    for (std::size_t i = 0; i < host.size(); ++i)
        host.component.host()[i] = static_cast<Component>(i % static_cast<std::size_t>(samples));
    Particles dealt = host.copy_to(exec.backend);
    std::vector<std::complex<double>> mean, square;
    for (int k = 0; k < samples; ++k) {
        Buffer<double> coefficients;
        expansion.expand(exec, dealt.view(), {.component = k}, centre, coefficients);
        const auto values = run::to_file({expansion.tables().basis, {{0, centre, coefficients.to_vector()}}})
                                .moments[0]
                                .values;
        mean.resize(values.size());
        square.resize(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {  // Welford's update, real and imaginary part apart
            const std::complex<double> step = values[i] - mean[i];
            mean[i] += step / static_cast<double>(k + 1);
            const std::complex<double> rest = values[i] - mean[i];
            square[i] += std::complex(step.real() * rest.real(), step.imag() * rest.imag());
        }
    }
    for (auto& value : square) value *= static_cast<double>(samples) / (samples - 1);
    return square;
}

std::string yaml_of(const ExpandCommand& command, const io::CoefficientFile& file)
{
    std::string symmetry;
    for (const std::string& word : command.symmetry) symmetry += (symmetry.empty() ? "" : ", ") + word;
    return fmt::format("basis: {}\nn_max: {}\nl_max: {}\nscale_radius: {}\nsymmetry: [{}]\n", file.basis,
                       file.n_max, file.l_max, file.scale, symmetry);
}

/// Refuses coefficients, variances and an energy that left the range of numbers.
void expect_finite(const io::CoefficientFile& file, double energy)
{
    const auto is_finite = [](const std::complex<double>& value) {
        return std::isfinite(value.real()) && std::isfinite(value.imag());
    };
    const io::CoefficientMoment& moment = file.moments[0];
    if (finite(moment.centre) && std::isfinite(energy) && std::ranges::all_of(moment.values, is_finite) &&
        std::ranges::all_of(moment.variances, is_finite))
        return;
    throw Error(
        fmt::format("expand: coefficients about ({}, {}, {}) are not finite: masses or positions are too "
                    "large for the scale "
                    "radius {} and for the range of numbers",
                    moment.centre.x, moment.centre.y, moment.centre.z, file.scale));
}

void print_table(const scf::Basis& basis, const io::CoefficientFile& file,
                 const std::vector<double>& orthonormal)
{
    fmt::print("n     S_n00\n");
    for (int n = 0; n <= basis.n_max; ++n)
        fmt::print("{:<4}  {:.8g}\n", n, file.moments[0].values[file.index(n, 0, 0)].real());
    const double energy = scf::potential_energy(basis, orthonormal);
    fmt::print("energy W of the expansion  {:.8g}\n", file.gravitational_constant * energy);
    for (int l = 0; l <= basis.l_max; ++l) {
        std::vector<double> part(orthonormal.size());
        const auto from = static_cast<std::ptrdiff_t>(basis.index(0, l * l)),
                   to = static_cast<std::ptrdiff_t>(basis.index(0, (l + 1) * (l + 1)));
        std::copy(orthonormal.begin() + from, orthonormal.begin() + to, part.begin() + from);
        fmt::print("share of l = {:<2}  {}\n", l,
                   energy == 0 ? "not defined, the energy is 0"
                               : fmt::format("{:.6f} %", 100 * scf::potential_energy(basis, part) / energy));
    }
}

}  // namespace

std::vector<std::string> expansion_centres()
{
    std::vector<std::string> names;
    for (const Centre& centre : centres) names.push_back(centre.name);
    return names;
}

int expand_command(const ExpandCommand& command)
{
    expect_safe_outputs({{"-o", command.output}}, {command.snapshot});
    const run::Config config = config_from_overrides(command.compute.overrides);
    const run::ExpansionConfig& keys = config.gravity.scf();
    const scf::Basis basis{command.family.empty() ? keys.family.value() : run::family_of(command.family),
                           command.n_max.value_or(keys.n_max.value()),
                           command.l_max.value_or(keys.l_max.value()),
                           command.scale_radius.value_or(keys.scale_radius.value())};
    check_basis(basis, "the expansion that was asked for");
    scf::Expansion expansion(basis, config.precision, symmetry_of(command.symmetry));
    const run::DeviceChoice device = run::choose_device(command.compute.device);

    LoadedSnapshot loaded = load_snapshot(command.snapshot, command.units, {});
    if (!command.as_isolated)
        run::expect_isolated(command.snapshot, loaded.snapshot.header,
                             "an expansion is of an isolated system");
    const double g = loaded.units.nbody ? 1.0 : loaded.units.system.gravitational_constant();
    const Particles host = chosen(command, std::move(loaded.snapshot.particles));
    run::expect_in_range(host, {run::largest_magnitude, run::largest_magnitude, run::largest_magnitude});
    Particles particles = host.copy_to(device.exec.backend);
    const Vec3 centre = centre_of(command, device.exec, particles, host, expansion, g);
    Buffer<double> coefficients;
    expansion.expand(device.exec, particles.view(), {}, centre, coefficients);
    const std::vector<double> orthonormal = coefficients.to_vector();

    io::CoefficientFile file = run::to_file({basis, {{loaded.snapshot.header.time, centre, orthonormal}}});
    if (command.samples > 1)
        file.moments[0].variances =
            variances(device.exec, host.copy_to(Backend::cpu), expansion, centre, command.samples);
    const double energy = scf::potential_energy(basis, orthonormal);
    expect_finite(file, energy);
    file.name = command.snapshot.stem().string();
    if (!loaded.units.nbody) file.units = loaded.units.system;
    file.gravitational_constant = g;
    file.config = yaml_of(command, file);
    const double mass = std::reduce(host.mass.host().begin(), host.mass.host().end());
    for (const auto& [name, text] : provenance_of(maker(command.compute.command_line), device))
        file.provenance.emplace_back(name, text);
    file.provenance.insert(file.provenance.end(), {{"Configuration", run::to_yaml(config)},
                                                   {"Precision", std::string(name_of(config.precision))},
                                                   {"Input", command.snapshot.string()},
                                                   {"Particles", static_cast<std::int64_t>(host.size())},
                                                   {"Mass", mass}});
    io::write_coefficients(command.output, file);
    fmt::print(
        "{} particles of mass {:.8g} expanded about ({:.6g}, {:.6g}, {:.6g}): {}, n_max {}, l_max {}, scale "
        "radius {} ({}); written to {}; G = {}\n",
        host.size(), mass, centre.x, centre.y, centre.z, file.basis, file.n_max, file.l_max, file.scale,
        device.description, command.output.string(), g);
    print_table(basis, file, orthonormal);
    return 0;
}

}  // namespace aureole::cli
