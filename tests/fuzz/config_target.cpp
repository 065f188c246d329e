// Configurations: read, written, read again, brought to internal units, and looked ahead as --dry-run does.
#include <fmt/format.h>

#include "sim/config/config_table.hpp"
#include "sim/core/error.hpp"
#include "sim/run/run_estimate.hpp"
#include "sim/run/starting_state.hpp"
#include "tests/fuzz/scratch.hpp"
#include "tests/fuzz/targets.hpp"

namespace aureole::fuzz {
namespace {

const std::vector<std::string>& samples()
{
    static const std::vector<std::string> texts{
        "units: {length: kpc, mass: 1e10 Msun, velocity: km/s}\n"
        "initial_conditions: {model: hernquist, particles: 1000, mass: 100, scale_radius: 30}\n"
        "gravity: {solver: tree, softening: 0.5, tree: {leaf_size: 16}}\n"
        "integrator: {timestep: 2 Myr}\nrun: {end_time: 1 Gyr}\n"
        "output: {directory: out, snapshots: {every: 100 Myr}, halos: {every: 100 Myr}}\n"
        "halos: {absolute_linking_length: 1.5, types: [1, 2], overdensities: [200c, vir]}\n",
        "seed: 7\nprecision: double\n"
        "initial_conditions:\n  components:\n"
        "    - {model: plummer, particles: 1e3, mass: 1, scale_radius: 1, type: 2}\n"
        "    - {model: nfw, particles: 500, mass: 1, scale_radius: 2, truncation_radius: 9, velocities: "
        "cold}\n"
        "  orbit: {components: [0, 1], separation: 9, pericentre: 1, eccentricity: 1}\n"
        "gravity: {softening_by_type: {1: 0.1, 2: 0.2}, softening_kernel: spline}\n"
        "integrator: {adaptive: {eta: 0.2, maximum_timestep: 0.5}}\nrun: {end_time: 10}\n",
        "initial_conditions:\n  - model: two_body\n    particles: 2\n"
        "    elements: {masses: [1, 0.5], semi_major_axis: 1, eccentricity: 0.3, mean_anomaly: 90}\n"
        "gravity: {external: {perturber: {mass: 1, semi_major_axis: 3, frame: barycentric}}}\n"
        "integrator: {timestep: 0.01}\nrun: {end_time: 1}\n",
        "gravity: {external: {fields: [{nfw: {mass: 1, scale_radius: 2}, path: {times: [0, 1], positions: "
        "[[0, "
        "0, 0], [1, 1, 1]]}, friction: {types: [1], logarithm: constant, value: 3}}, {tidal: {tensor: [1, 0, "
        "0, "
        "0, 0, 1]}, growth: {start: 0, end: 1}}]}}\n",
        "initial_conditions: &a {model: lattice, particles: 27, mass: 1, lattice: {box_side: 1, "
        "wave_vectors: "
        "[1, 0, 0]}}\n",
        "gravity: {solver: scf, scf: {n_max: 4, l_max: 2, centre: [0, 0, 0], smoothing: {samples: 9}}}\n"
        "initial_conditions: {model: uniform_sphere, particles: 10, mass: 1, scale_radius: 1}\n"
        "output: {coefficients: {every: 0.5}, checkpoints: {steps: 5}, format: hdf5+tipsy}\n"
        "integrator: {timestep: 0.25}\nrun: {end_time: 2}\npictures: {pixels: 200, axis: x}\n",
    };
    return texts;
}

bool names_files(const run::Config& config)
{
    for (const run::ComponentConfig& component : config.initial_conditions.components)
        if (!component.file.empty()) return true;
    return false;
}

void look_ahead(const run::Config& config)
{
    const run::StartingState state = run::plan_starting_state(config, false);
    run::Config internal = to_internal(state.config, state.units);
    if (internal.gravity.solver == "scf" || !(internal.integrator.timestep || internal.integrator.eta))
        return;
    run::expect_countable(internal, state.time);
    if (internal.end_time / internal.integrator.timestep.value_or(internal.end_time) > 1e5) return;  // slow
    static_cast<void>(run::estimate_run(internal, {}, state.n_particles, 1, state.time));
}

void read(const std::string& input)
{
    const std::filesystem::path name = std::string(input_name) + ".yaml";  // paths in it stay as they are
    const run::Config config = run::parse_config(input, name, {});
    const std::string written = to_yaml(config);
    run::Config again;
    try {
        again = run::parse_config(written, name, {});
    } catch (const Error& error) {
        throw Fault(fmt::format("cannot be read again: {}\n{}", error.what(), written));
    }
    expect(to_yaml(again) == written, "reads differently again:\n" + written + "\n" + to_yaml(again));
    if (config.initial_conditions.components.empty() || names_files(config)) return;
    look_ahead(config);
}

std::vector<std::string> dictionary()
{
    std::vector<std::string> words{"&a ",  "*a",     "<<: *a", "{",     "}",        "[",
                                   "]",    "? ",     "- ",     "!!str", "|\n",      "\"\\x00\"",
                                   "1e30", "nan",    ".inf",   "-1",    "1e-300",   "18446744073709551615",
                                   "../",  "/tmp/x", " Myr",   " kpc",  "%YAML 1.2"};
    const auto add = [&](const auto& keys) {
        for (const auto& key : keys) words.push_back(key.path.substr(key.path.rfind('.') + 1) + ": ");
    };
    add(run::config_keys());
    add(run::component_keys());
    add(run::orbit_keys());
    add(run::field_keys());
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
}

}  // namespace

Target config_target()
{
    return {.name = "config",
            .seeds = [] { return samples(); },
            .read = read,
            .mutations = 1000,
            .dictionary = dictionary()};
}

}  // namespace aureole::fuzz
