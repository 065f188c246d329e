// The configuration of a run as the user wrote it: numbers in the user's units, paths resolved, defaults
// filled in.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cosmology/background.hpp"
#include "cosmology/linear_spectrum.hpp"
#include "gravity/external/field_config.hpp"
#include "gravity/scf/scf_config.hpp"
#include "gravity/softening.hpp"
#include "halo/centres/centres.hpp"
#include "halo/fof/friends_of_friends.hpp"
#include "halo/overdensity/crossing.hpp"
#include "ics/component.hpp"
#include "sim/config/density_choice.hpp"
#include "sim/config/quantity.hpp"
#include "sim/config/snapshot_choice.hpp"
#include "sim/core/precision.hpp"

namespace aureole::run {

/// Where the linear spectrum comes from.
enum class SpectrumSource { eisenstein_hu, table, power_law };

/// The expanding universe of a run in comoving coordinates; there is none without omega_m.
struct CosmologyConfig {
    std::optional<double> h, omega_m, omega_lambda;  ///< omega_lambda: default what makes space flat
    double omega_b = 0, omega_r = 0, w0 = -1, wa = 0;
    double t_cmb = 2.7255;
    SpectrumSource spectrum = SpectrumSource::eisenstein_hu;
    std::filesystem::path spectrum_file;
    std::optional<double> spectral_index, sigma_8;

    bool given() const { return omega_m.has_value(); }
    cosmology::Parameters parameters() const;

    /// Whether the configuration says anything of a spectrum.
    bool names_spectrum() const { return sigma_8 || spectral_index || !spectrum_file.empty(); }

    /// Of today. Reads the table. Throws ConfigError naming the key that is missing, IoError for the table.
    cosmology::LinearSpectrum linear_spectrum() const;
};

struct IntegratorConfig {
    std::string method = "leapfrog";
    PluginConfigs methods;           ///< what each integrator registered
    std::optional<double> timestep;  ///< fixed step; in comoving runs the largest one in ln a
    std::optional<double> eta;       ///< adaptive: step = eta sqrt(softening / |a|), smallest over particles
    std::optional<double> maximum_timestep;  ///< adaptive: never longer than this
};

/// There is a perturber when it has a mass. Keys without a value take the default that their documentation
/// tells.
struct PerturberConfig {
    std::optional<double> mass, galaxy_mass, semi_major_axis, eccentricity, inclination, ascending_node,
        argument_of_pericentre, mean_anomaly, softening;
    std::optional<gravity::PerturberFrame> frame;
};

/// Keys of one expansion. Those of a component replace those of gravity.scf, one by one.
using ExpansionConfig = gravity::scf::ExpansionKeys;

struct GravityConfig {
    std::string solver = "direct";
    std::optional<double> softening;  ///< nothing: what the file of the particles states, else 0
    std::array<std::optional<double>, n_particle_types> softening_by_type{};
    gravity::SofteningKernel softening_kernel = gravity::SofteningKernel::plummer;
    PerturberConfig perturber;
    std::vector<gravity::FieldConfig> fields;  ///< external ones
    PluginConfigs solvers;                     ///< what each solver registered: tree::Config, scf::Keys, ...

    /// The expansion of gravity.scf.
    ExpansionConfig& scf() { return solvers.get<gravity::scf::Keys>().expansion; }
    const ExpansionConfig& scf() const { return solvers.get<gravity::scf::Keys>().expansion; }
};

/// When outputs of one kind are written: at an interval, or at the times of a list; at most one is given.
struct OutputTimesConfig {
    double every = 0;           ///< 0: no interval
    std::vector<double> times;  ///< rising; empty: no list
    /// Falling, as the user gave them; reading a configuration turns them into times.
    std::vector<double> redshifts{};

    bool any() const { return every > 0 || !times.empty(); }
};

/// bar.csv; see run::measure_bar().
struct BarLogConfig {
    std::vector<int> components;            ///< of the disk; none: no log
    std::optional<double> scale_radius;     ///< nothing: from the half-mass radius
    std::uint64_t least_particles = 50000;  ///< in the bar, for a pattern speed
};

struct OutputConfig {
    std::filesystem::path directory = "output";
    std::string format = "hdf5";  ///< of snapshots: hdf5, or hdf5+tipsy for a tipsy file beside each
    std::string compression = "none";
    std::uint32_t files = 1;                  ///< of a snapshot
    FileUnits units = FileUnits::galactic;    ///< of snapshots, catalogues and coefficients
    OutputTimesConfig snapshots;              ///< none: first and last state only
    SnapshotChoice snapshot_choice;           ///< what they hold
    OutputTimesConfig halos;                  ///< none: never
    bool halo_snapshots = true;               ///< a snapshot beside each catalogue
    bool yt_catalogues = false;               ///< halos_NNN.0.h5 beside each catalogue
    bool halo_tables = false;                 ///< halos_NNN.csv beside each catalogue
    bool mass_functions = false;              ///< mass_function_NNN.csv beside each catalogue
    bool merger_trees = false;                ///< links between catalogues, and trees.hdf5
    OutputTimesConfig power;                  ///< spectra; none: never
    OutputTimesConfig density;                ///< on grids; none: never
    OutputTimesConfig disks;                  ///< tables of a disk; none: never
    OutputTimesConfig pictures;               ///< none: never
    OutputTimesConfig coefficients;           ///< none: never
    std::optional<double> diagnostics_every;  ///< nothing, and no list: a hundredth of the run
    std::vector<double> diagnostics_times, diagnostics_redshifts;
    BarLogConfig bar;
    OutputTimesConfig checkpoints;       ///< none: never
    std::uint64_t checkpoint_steps = 0;  ///< 0: never
    double checkpoint_minutes = 30;      ///< of wall-clock time; 0: never
};

/// The kinds of output that have times of their own.
struct TimedOutput {
    std::string_view name;  ///< as in output.NAME.every and output.NAME.times
    double every = 0;       ///< 0: not given
    const std::vector<double>& times;
};
std::vector<TimedOutput> timed_outputs(const OutputConfig& output);

enum class OnFailure { stop, warn };

/// What is looked at while the run goes on.
struct CheckConfig {
    double energy_error = 0.1;  ///< largest relative one, in absolute value; 0: any
    OnFailure on_failure = OnFailure::stop;
};

struct PicturesConfig {
    char axis = 'z';
    double width = 0;            ///< side of the field; 0: chosen from the first state and kept
    std::optional<Vec3> centre;  ///< of the field; nothing: chosen likewise
    /// A second picture beside each, of another field; there is none without a width.
    struct Zoom {
        double width = 0;
        std::optional<Vec3> centre;  ///< nothing: that of the first
    } zoom{};
    std::uint32_t pixels = 1000;
    std::string colour_by = "density";  ///< one of colour_by_names
};

/// Of spectra: see PowerSettings.
struct PowerConfig {
    int mesh = 0, folds = 2;
};

/// The tables of a disk that runs write and `aureole analyse` makes: see DiskMeasurement::table() and, for
/// the last, torques_of().
inline constexpr std::array<std::string_view, 5> disk_table_names{"profile", "map", "ellipses",
                                                                  "angular_momentum", "torques"};

/// Of tables of a disk.
struct DisksConfig {
    std::vector<int> components;         ///< of the disk; none: all
    std::optional<double> scale_radius;  ///< nothing: from the half-mass radius
    std::uint64_t ring = 0;              ///< particles in a ring; 0: chosen
    std::vector<std::string> tables{disk_table_names.begin(), disk_table_names.end() - 1};  ///< no torques
    double inclination = 0, azimuth = -90;  ///< of map and ellipses, degrees: see SkyView
    std::optional<double> width;            ///< of maps; nothing: ten scale radii
    int pixels = 64;
};

struct HalosConfig {
    std::string method = "fastest";                   ///< one of halo::finders()
    PluginConfigs finders;                            ///< what each finder registered
    std::optional<double> linking_length;             ///< b, in units of the mean separation
    std::optional<double> absolute_linking_length;    ///< l
    std::optional<double> boundary_density;           ///< number density n = 0.653 / l^3
    std::optional<double> mean_separation;            ///< what b multiplies outside a periodic box
    std::optional<double> linking_velocity;           ///< psi of phase space; nothing: space alone
    std::optional<double> relative_linking_velocity;  ///< psi in velocity dispersions of each 3-D group
    std::uint32_t min_members = 20;
    std::vector<int> types;                    ///< that link; empty: all
    std::optional<std::uint32_t> min_friends;  ///< of a particle that links; nothing: 1
    halo::Border border = halo::Border::excluded;
    std::uint32_t leaf_size = halo::FofConfig{}.leaf_size;  ///< of the kd-tree
    int max_depth = halo::FofConfig{}.max_depth;            ///< of the kd-tree
    halo::Centre centre{"most_bound"};                      ///< one of halo::centre_methods()
    PluginConfigs centres;                                  ///< what each centre registered
    std::vector<std::string>
        overdensities;  ///< 200c, 500c, 200m, vir, ...; empty: the usual ones, where known
    halo::Crossing overdensity_crossing = halo::Crossing::outermost;
    std::optional<double> reference_density;  ///< of overdensities where there is no cosmology
    bool substructure = false;
    std::uint32_t subhalo_min_members = 20;
    std::uint32_t mass_bins = 5;  ///< of mass functions, in each factor of ten
};

struct ComponentConfig {
    ics::Component component;
    std::filesystem::path file;  ///< of models file and table
    ExpansionConfig scf;
    /// What the file of `scf` holds, internal units; no key, see load_coefficients().
    std::optional<gravity::scf::CoefficientSeries> coefficients;
};

struct InitialConditionsConfig {
    std::vector<ComponentConfig> components;
    std::optional<ics::Orbit> orbit;
};

/// What a configuration was read from.
struct ConfigSource {
    std::string text;
    std::vector<std::string> overrides;
};

struct Config {
    ConfigSource source;
    std::filesystem::path file;     ///< where it came from; paths in it are relative to its folder
    std::optional<RunUnits> units;  ///< nothing: those of the file the run starts from, else nbody
    std::uint64_t seed = 1;
    Precision precision = Precision::mixed;
    CosmologyConfig cosmology;
    std::optional<double> box;  ///< side of the periodic box; open space without
    InitialConditionsConfig initial_conditions;
    GravityConfig gravity;
    IntegratorConfig integrator;
    std::optional<double> start_time;  ///< where no file of particles says it
    double end_time = 0;
    double stall_limit = 1800;  ///< seconds that a rank waits for others
    CheckConfig checks;
    OutputConfig output;
    PicturesConfig pictures;
    PowerConfig power;
    DensityConfig density;
    DisksConfig disks;
    HalosConfig halos;
};

/// Reads YAML, applies `overrides` ("gravity.softening=0.1", values in YAML) and checks everything that needs
/// no other file. Throws ConfigError: "FILE:LINE: key 'x.y': found ..., expected ...", for unknown keys the
/// nearest known one, for duplicate keys both lines.
Config load_config(const std::filesystem::path& file, const std::vector<std::string>& overrides);

/// The same from text; `name` stands for the file in messages and for its folder in paths.
Config parse_config(const std::string& text, const std::filesystem::path& name,
                    const std::vector<std::string>& overrides);

/// The same configuration read again now that the units are known: times with a unit ("500 Myr") depend on
/// them.
Config with_units(const Config& config, const RunUnits& units);

/// The configuration as YAML that load_config reads back to the same: every key that has a value.
std::string to_yaml(const Config& config);

/// Every key with default, unit and meaning, for people: the table that parses, printed.
std::string config_documentation();

/// The same configuration in internal units (G = 1); `units` are those of the run.
Config to_internal(Config config, const RunUnits& units);

}  // namespace aureole::run
