// The keys of the configuration: a change of a name, a default or a unit is seen here, and the page names
// them all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "sim/config/config_table.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/test_data.hpp"

namespace aureole::test {
namespace {

struct Expected {
    const char *path, *default_text, *unit;
};

/// Sorted by path.
constexpr Expected known_keys[] = {
    {"box", "", "kpc"},
    {"cosmology.h", "", ""},
    {"cosmology.omega_b", "0", ""},
    {"cosmology.omega_lambda", "", ""},
    {"cosmology.omega_m", "", ""},
    {"cosmology.omega_r", "0", ""},
    {"cosmology.sigma_8", "", ""},
    {"cosmology.spectral_index", "", ""},
    {"cosmology.spectrum", "eisenstein_hu", ""},
    {"cosmology.spectrum_file", "", ""},
    {"cosmology.t_cmb", "2.7255", ""},
    {"cosmology.w0", "-1", ""},
    {"cosmology.wa", "0", ""},
    {"gravity.external.perturber.argument_of_pericentre", "", ""},
    {"gravity.external.perturber.ascending_node", "", ""},
    {"gravity.external.perturber.eccentricity", "", ""},
    {"gravity.external.perturber.frame", "", ""},
    {"gravity.external.perturber.galaxy_mass", "", "1e+10 Msun"},
    {"gravity.external.perturber.inclination", "", ""},
    {"gravity.external.perturber.mass", "", "1e+10 Msun"},
    {"gravity.external.perturber.mean_anomaly", "", ""},
    {"gravity.external.perturber.semi_major_axis", "", "kpc"},
    {"gravity.external.perturber.softening", "", "kpc"},
    {"gravity.scf.axisymmetric", "false", ""},
    {"gravity.scf.centre", "", "kpc"},
    {"gravity.scf.coefficients", "", ""},
    {"gravity.scf.even_l", "false", ""},
    {"gravity.scf.even_m", "false", ""},
    {"gravity.scf.family", "hernquist_ostriker", ""},
    {"gravity.scf.l_max", "4", ""},
    {"gravity.scf.mode", "live", ""},
    {"gravity.scf.n_max", "6", ""},
    {"gravity.scf.recenter_every", "0", "977.8 Myr"},
    {"gravity.scf.recenter_on", "shrinking_sphere", ""},
    {"gravity.scf.scale_radius", "1", "kpc"},
    {"gravity.scf.smoothing.power", "1", ""},
    {"gravity.scf.smoothing.samples", "0", ""},
    {"gravity.scf.smoothing.snr", "1", ""},
    {"gravity.scf.spherical", "false", ""},
    {"gravity.scf.subtract_mean_acceleration", "false", ""},
    {"gravity.softening", "", "kpc"},
    {"gravity.softening_by_type.0", "", "kpc"},
    {"gravity.softening_by_type.1", "", "kpc"},
    {"gravity.softening_by_type.2", "", "kpc"},
    {"gravity.softening_by_type.3", "", "kpc"},
    {"gravity.softening_by_type.4", "", "kpc"},
    {"gravity.softening_by_type.5", "", "kpc"},
    {"gravity.softening_kernel", "plummer", ""},
    {"gravity.solver", "direct", ""},
    {"gravity.tree.conserve_momentum", "true", ""},
    {"gravity.tree.force_accuracy", "0.001", ""},
    {"gravity.tree.leaf_size", "16", ""},
    {"gravity.tree.opening_angle", "0.6", ""},
    {"gravity.treepm.conserve_momentum", "true", ""},
    {"gravity.treepm.cut", "0", ""},
    {"gravity.treepm.force_accuracy", "0.001", ""},
    {"gravity.treepm.interlaced", "", ""},
    {"gravity.treepm.mesh", "0", ""},
    {"gravity.treepm.split", "0", ""},
    {"halos.absolute_linking_length", "", "kpc"},
    {"halos.border", "none", ""},
    {"halos.boundary_density", "", "kpc^-3"},
    {"halos.centre", "most_bound", ""},
    {"halos.leaf_size", "8", ""},
    {"halos.linking_length", "", ""},
    {"halos.linking_velocity", "", "km/s"},
    {"halos.mass_bins", "5", ""},
    {"halos.max_depth", "30", ""},
    {"halos.mean_separation", "", "kpc"},
    {"halos.method", "fastest", ""},
    {"halos.min_friends", "", ""},
    {"halos.min_members", "20", ""},
    {"halos.overdensities", "", ""},
    {"halos.overdensity_crossing", "outermost", ""},
    {"halos.poisson.checked_groups", "100", ""},
    {"halos.poisson.grid", "63", ""},
    {"halos.poisson.least_members", "1000", ""},
    {"halos.poisson.search_radius", "2", ""},
    {"halos.reference_density", "", "1e+10 Msun kpc^-3"},
    {"halos.relative_linking_velocity", "", ""},
    {"halos.subhalo_min_members", "20", ""},
    {"halos.substructure", "false", ""},
    {"halos.types", "", ""},
    {"initial_conditions.anisotropy_radius", "", "kpc"},
    {"initial_conditions.elements.argument_of_pericentre", "0", ""},
    {"initial_conditions.elements.ascending_node", "0", ""},
    {"initial_conditions.elements.eccentricity", "0", ""},
    {"initial_conditions.elements.inclination", "0", ""},
    {"initial_conditions.elements.masses", "[1, 1]", "1e+10 Msun"},
    {"initial_conditions.elements.mean_anomaly", "", ""},
    {"initial_conditions.elements.pericentre", "", "kpc"},
    {"initial_conditions.elements.semi_major_axis", "", "kpc"},
    {"initial_conditions.elements.true_anomaly", "", ""},
    {"initial_conditions.field.fixed", "false", ""},
    {"initial_conditions.field.grid", "32", ""},
    {"initial_conditions.field.growth", "exact", ""},
    {"initial_conditions.field.load", "grid", ""},
    {"initial_conditions.field.load_file", "", ""},
    {"initial_conditions.field.order", "2", ""},
    {"initial_conditions.field.paired", "false", ""},
    {"initial_conditions.field.phases", "own", ""},
    {"initial_conditions.field.phases_file", "", ""},
    {"initial_conditions.field.tiles", "", ""},
    {"initial_conditions.file", "", ""},
    {"initial_conditions.lattice.box_side", "0", "kpc"},
    {"initial_conditions.lattice.growth_factor", "0", ""},
    {"initial_conditions.lattice.random_offset", "0", ""},
    {"initial_conditions.lattice.random_phases", "false", ""},
    {"initial_conditions.lattice.wave_vectors", "", ""},
    {"initial_conditions.lattice.wave_velocity", "0", "km/s"},
    {"initial_conditions.mass", "1", "1e+10 Msun"},
    {"initial_conditions.model", "plummer", ""},
    {"initial_conditions.orbit.argument_of_pericentre", "0", ""},
    {"initial_conditions.orbit.ascending_node", "0", ""},
    {"initial_conditions.orbit.components", "[0, 1]", ""},
    {"initial_conditions.orbit.eccentricity", "", ""},
    {"initial_conditions.orbit.energy", "", "(km/s)^2"},
    {"initial_conditions.orbit.inclination", "0", ""},
    {"initial_conditions.orbit.pericentre", "0", "kpc"},
    {"initial_conditions.orbit.separation", "0", "kpc"},
    {"initial_conditions.particles", "0", ""},
    {"initial_conditions.position", "[0, 0, 0]", "kpc"},
    {"initial_conditions.potential", "", ""},
    {"initial_conditions.recenter", "false", ""},
    {"initial_conditions.scale_radius", "1", "kpc"},
    {"initial_conditions.scf.axisymmetric", "", ""},
    {"initial_conditions.scf.centre", "", "kpc"},
    {"initial_conditions.scf.coefficients", "", ""},
    {"initial_conditions.scf.even_l", "", ""},
    {"initial_conditions.scf.even_m", "", ""},
    {"initial_conditions.scf.family", "", ""},
    {"initial_conditions.scf.l_max", "", ""},
    {"initial_conditions.scf.mode", "", ""},
    {"initial_conditions.scf.n_max", "", ""},
    {"initial_conditions.scf.recenter_every", "", "977.8 Myr"},
    {"initial_conditions.scf.recenter_on", "", ""},
    {"initial_conditions.scf.scale_radius", "", "kpc"},
    {"initial_conditions.scf.smoothing.power", "", ""},
    {"initial_conditions.scf.smoothing.samples", "", ""},
    {"initial_conditions.scf.smoothing.snr", "", ""},
    {"initial_conditions.scf.spherical", "", ""},
    {"initial_conditions.truncation_radius", "", "kpc"},
    {"initial_conditions.truncation_width", "", "kpc"},
    {"initial_conditions.type", "", ""},
    {"initial_conditions.velocities", "equilibrium", ""},
    {"initial_conditions.velocity", "[0, 0, 0]", "km/s"},
    {"initial_conditions.velocity_factor", "1", ""},
    {"integrator.adaptive.eta", "", ""},
    {"integrator.adaptive.maximum_timestep", "", "977.8 Myr"},
    {"integrator.method", "leapfrog", ""},
    {"integrator.timestep", "", "977.8 Myr"},
    {"output.checkpoints.every", "0", "977.8 Myr"},
    {"output.checkpoints.minutes", "30", ""},
    {"output.checkpoints.redshifts", "", ""},
    {"output.checkpoints.steps", "0", ""},
    {"output.checkpoints.times", "", "977.8 Myr"},
    {"output.coefficients.every", "0", "977.8 Myr"},
    {"output.coefficients.redshifts", "", ""},
    {"output.coefficients.times", "", "977.8 Myr"},
    {"output.compression", "none", ""},
    {"output.diagnostics.every", "", "977.8 Myr"},
    {"output.diagnostics.redshifts", "", ""},
    {"output.diagnostics.times", "", "977.8 Myr"},
    {"output.directory", "output", ""},
    {"output.format", "hdf5", ""},
    {"output.halos.csv", "false", ""},
    {"output.halos.every", "0", "977.8 Myr"},
    {"output.halos.mass_functions", "false", ""},
    {"output.halos.redshifts", "", ""},
    {"output.halos.snapshots", "true", ""},
    {"output.halos.times", "", "977.8 Myr"},
    {"output.halos.yt", "false", ""},
    {"output.mantissa_bits.masses", "52", ""},
    {"output.mantissa_bits.positions", "52", ""},
    {"output.mantissa_bits.potentials", "52", ""},
    {"output.mantissa_bits.velocities", "52", ""},
    {"output.pictures.every", "0", "977.8 Myr"},
    {"output.pictures.redshifts", "", ""},
    {"output.pictures.times", "", "977.8 Myr"},
    {"output.power.every", "0", "977.8 Myr"},
    {"output.power.redshifts", "", ""},
    {"output.power.times", "", "977.8 Myr"},
    {"output.snapshots.every", "0", "977.8 Myr"},
    {"output.snapshots.fields", "", ""},
    {"output.snapshots.redshifts", "", ""},
    {"output.snapshots.subsample", "1", ""},
    {"output.snapshots.times", "", "977.8 Myr"},
    {"output.snapshots.types", "", ""},
    {"output.units", "galactic", ""},
    {"pictures.axis", "z", ""},
    {"pictures.colour_by", "density", ""},
    {"pictures.pixels", "1000", ""},
    {"pictures.width", "0", "kpc"},
    {"power.folds", "2", ""},
    {"power.mesh", "0", ""},
    {"precision", "mixed", ""},
    {"run.checks.energy_error", "0.1", ""},
    {"run.checks.on_failure", "stop", ""},
    {"run.end_time", "0", "977.8 Myr"},
    {"run.start_time", "", "977.8 Myr"},
    {"seed", "1", ""},
};

TEST(ConfigKeys, KeepTheirNamesDefaultsAndUnits)
{
    std::vector<run::KeyEntry> entries = run::config_entries();
    std::ranges::sort(entries, {}, &run::KeyEntry::path);
    ASSERT_EQ(entries.size(), std::size(known_keys));
    for (std::size_t k = 0; k < entries.size(); ++k) {
        EXPECT_EQ(entries[k].path, known_keys[k].path);
        EXPECT_EQ(entries[k].default_text, known_keys[k].default_text) << known_keys[k].path;
        EXPECT_EQ(entries[k].unit, known_keys[k].unit) << known_keys[k].path;
        EXPECT_FALSE(entries[k].meaning.empty()) << known_keys[k].path;
    }
}

/// AUREOLE_WRITE_PAGES=1 writes the tables instead.
TEST(ConfigKeys, ThePageHoldsTheTablesThatTheEntriesMake)
{
    const auto page = source_folder() / "docs/configuration.md";
    const std::string marker = "<!-- tables: made from the entries of the configuration -->\n";
    std::stringstream text;
    text << std::ifstream(page).rdbuf();
    const auto begin = text.str().find(marker);
    ASSERT_NE(begin, std::string::npos) << page << " lacks the line " << marker;
    const std::string head = text.str().substr(0, begin + marker.size());
    if (std::getenv("AUREOLE_WRITE_PAGES")) std::ofstream(page) << head << run::config_markdown();
    EXPECT_EQ(text.str().substr(head.size()), run::config_markdown())
        << "run this test with AUREOLE_WRITE_PAGES=1 to write the tables";
}

}  // namespace
}  // namespace aureole::test
