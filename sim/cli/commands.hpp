// The subcommands: the options of each, and the function that carries it out and returns the exit status of
// the program. There is one file per command.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/live/listen_config.hpp"

namespace aureole::cli {

/// The words that options with lists of words take. Of densities; see run::density_field_words.
inline constexpr std::array<std::string_view, 4> field_words{"mass", "velocity", "dispersion", "streams"};
inline constexpr std::array<std::string_view, 4> symmetry_words{"even-l", "even-m", "axisymmetric",
                                                                "spherical"};

/// Of snapshots; see run::snapshot_field_names().
inline constexpr std::array<std::string_view, 7> snapshot_field_words{
    "positions", "velocities", "masses", "ids", "potentials", "groups", "components"};

/// Shared by the commands that compute.
struct ComputeOptions {
    std::string device = "auto";
    std::vector<std::string> overrides;  ///< --set key.path=value
    std::string command_line;            ///< for the provenance, for the provenance of files
};

struct RunCommand {
    ComputeOptions compute;
    std::filesystem::path config, directory;
    bool overwrite = false, dry_run = false, quiet = false, as_isolated = false, resume = false;
    std::string max_wall;  ///< HH:MM:SS; empty: no limit
    bool serve = false;    ///< a page in the browser, at `listen`
    live::ListenConfig listen;
};

struct WatchCommand {
    std::filesystem::path run;
    live::ListenConfig listen;
};

struct IcsCommand {
    ComputeOptions compute;
    std::filesystem::path config, output;
    std::string format;  ///< empty: told by the name of the output
    bool as_isolated = false;
};

struct ConvertCommand {
    std::string command_line;  ///< for the provenance
    std::filesystem::path input, output;
    std::string format;                 ///< empty: told by the name of the output
    std::string units;                  ///< of an input that names none
    std::string output_units;           ///< galactic, input; empty: as the format's readers expect
    std::vector<std::string> settings;  ///< options that are keys: output.key=value
    std::uint64_t seed = 1;             ///< of the subsample
    bool compress = false, single_precision = false;
};

struct FindCommand {
    ComputeOptions compute;
    std::vector<std::string> settings;  ///< options that are keys: halos.key=value
    std::filesystem::path snapshot, directory, labels, members, csv, dendrogram;
    std::optional<double> linking_length, absolute_linking_length, box_side;
    std::optional<std::uint32_t> min_members;
    std::uint64_t subsample = 1;  ///< one particle in so many
    int parts = 0;                ///< of a search; 0: as many as memory asks for
    bool open = false, rescale_linking_length = false, yt_catalogue = false, json = false;
    std::vector<int> types;
    std::string units;
};

struct CiteCommand {
    std::filesystem::path run;  ///< a run's directory or a configuration
    bool bibtex = false;        ///< nothing else is printed
};

struct ForcesCommand {
    ComputeOptions compute;
    std::filesystem::path snapshot, output;  ///< no output: nothing is written
    std::string solver, units;
    std::optional<double> softening;
    std::string compare;         ///< the reference solver; empty: no comparison
    std::int64_t sample = 1000;  ///< targets of the comparison
    bool as_isolated = false;
};

struct ExpandCommand {
    ComputeOptions compute;
    std::filesystem::path snapshot, output;
    std::optional<int> n_max, l_max;  ///< these four: nothing takes those of --set gravity.scf
    std::optional<double> scale_radius;
    std::string family;
    std::string centre;     ///< x,y,z; empty: the origin, or what centre_on finds
    std::string centre_on;  ///< one of expansion_centres(), or empty
    std::vector<int> types;
    std::optional<int> component;
    std::vector<std::string> symmetry;  ///< even-l, even-m, axisymmetric, spherical
    int samples = 1;
    std::string units;
    bool as_isolated = false;
};

struct EvaluateCommand {
    ComputeOptions compute;
    std::vector<std::filesystem::path> coefficients;
    std::filesystem::path output, points;
    std::string grid, radii, direction = "1,0,0";
    std::optional<double> extent, time;
    std::optional<std::uint64_t> moment;
    bool plane = false;
};

struct DensityCommand {
    std::string command_line;  ///< for the provenance
    std::string device = "auto";
    std::filesystem::path snapshot, output;
    std::string method = "tetrahedra", precision = "double";
    std::string grid;              ///< N or NX,NY,NZ; empty: as many cells a side as particles
    std::string region;            ///< x0:x1,y0:y1,z0:z1; empty: the box
    std::filesystem::path points;  ///< a file of points instead of a grid; empty: none
    bool each_stream = false;      ///< of --points
    std::vector<std::string> fields{"mass"};
    std::optional<double> box_side;
    bool open = false, dry_run = false, quiet = false;
    bool share = false;  ///< see density::DepositConfig
    std::vector<int> types;
    std::optional<std::string> axes;  ///< of the lattice; these three: see density::LatticeChoice
    std::optional<std::uint64_t> first_id;
    std::uint32_t every = 1;
    bool octree = false;  ///< the next four: see density::OctreeConfig
    std::uint32_t patch = 16;
    std::optional<std::uint64_t> refine_above;  ///< a tetrahedron for each cell of a patch
    std::optional<double> smallest_cell;        ///< a sixteenth of the lattice's spacing
    std::optional<std::uint32_t> levels;
    std::string units;
    std::string split = "auto";  ///< see density::Split
};

struct InfoCommand {
    std::optional<std::filesystem::path> path;
    bool json = false;
};

struct ConfigCommand {
    bool json = false;
};

struct DiffCommand {
    std::filesystem::path first, second;
    bool exact = false;
    double tolerance = 0;  ///< relative to the root mean square of each quantity
};

struct ProfileCommand {
    std::string command_line;  ///< for the provenance
    std::filesystem::path snapshot, output, catalogue;
    std::optional<std::string> centre;  ///< x,y,z
    std::uint64_t halo = 0;             ///< row of the catalogue
    std::uint32_t bins = 32;
    std::string range;  ///< r_min,r_max; empty: chosen
    std::optional<double> box_side;
    bool open = false;
    std::vector<int> types;
    std::string units;
};

struct AnalyseCommand {
    std::string command_line;            ///< for the provenance
    std::vector<std::string> overrides;  ///< --set key.path=value, of torques
    std::filesystem::path snapshot;
    std::filesystem::path profile, bar, angular_momentum, torques, map, ellipses;  ///< empty: not written
    std::vector<int> types, components;  ///< of the disk; empty: all
    std::optional<double> softening;     ///< of torques; nothing: the file's
    std::vector<double> view{0, -90};    ///< of map and ellipses: inclination and azimuth, degrees
    std::optional<double> width;         ///< of the map
    int pixels = 64;
    std::optional<double> scale_radius;
    std::uint64_t ring = 0;  ///< particles in a ring; 0: chosen
    bool open = false;
    std::string units;
};

struct PowerCommand {
    std::string command_line;            ///< for the provenance
    std::vector<std::string> overrides;  ///< --set cosmology.key=value
    std::filesystem::path snapshot, output;
    int mesh = 0, folds = 2;  ///< see run::PowerSettings
    std::optional<double> box_side;
    std::vector<int> types;
    std::string units;
};

struct MassFunctionCommand {
    std::string command_line;            ///< for the provenance
    std::vector<std::string> overrides;  ///< --set cosmology.key=value
    std::filesystem::path catalogue, output;
    unsigned bins = 5;  ///< in each factor of ten
};

struct TreesCommand {
    std::string command_line;  ///< for the provenance
    std::filesystem::path directory;
    std::filesystem::path output;  ///< empty: trees.hdf5 in the directory
    bool link = false;             ///< anew, by the particles of snapshots
};

struct PlotCommand {
    std::string command_line;  ///< for the provenance
    std::filesystem::path snapshot, output, catalogue, members;
    char axis = 'z';
    double width = 0;
    unsigned pixels = 1000;
    std::string colour_by = "density";
    bool colour_by_component = false;  ///< the same as colour_by "component"
    std::string units;
};

struct RenderCommand {
    std::string command_line;  ///< for the provenance
    std::string device = "auto";
    std::filesystem::path file, output, raw;
    std::string slice, projection;  ///< axis=coordinate; axis. Empty: not given
    bool volume = false, bare = false, quiet = false, cells = false, dry_run = false;
    std::string field = "Density", range, scale, colours, region;
    std::string size = "1920x1080";
    std::string camera, look_at, up;  ///< x,y,z; empty: chosen
    std::optional<double> field_of_view, parallel;
    std::filesystem::path path;
    std::string zoom_to;
    double zoom = 20, turn = 0;
    unsigned frames = 100;
    std::optional<double> opacity, steepness, glow, exposure, samples;  ///< see run::VolumeLook
    unsigned oversampling = 1;
};

int run_command(const RunCommand& command);
int watch_command(const WatchCommand& command);
int ics_command(const IcsCommand& command);
int convert_command(const ConvertCommand& command);
int find_command(const FindCommand& command);
int forces_command(const ForcesCommand& command);
int expand_command(const ExpandCommand& command);
std::vector<std::string> expansion_centres();  ///< what --centre-on takes
int evaluate_command(const EvaluateCommand& command);
int density_command(const DensityCommand& command);
int info_command(const InfoCommand& command);
int cite_command(const CiteCommand& command);
int config_command(const ConfigCommand& command);
int diff_command(const DiffCommand& command);
int profile_command(const ProfileCommand& command);
int analyse_command(const AnalyseCommand& command);
int power_command(const PowerCommand& command);
int mass_function_command(const MassFunctionCommand& command);
int trees_command(const TreesCommand& command);
int plot_command(const PlotCommand& command);
int render_command(const RenderCommand& command);

// The command line, read with CLI11 in one file.

/// Parses and runs; returns the exit status. Prints help and usage errors itself, throws what commands throw.
int run_command_line(int argc, char** argv);

}  // namespace aureole::cli
