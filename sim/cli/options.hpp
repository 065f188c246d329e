// What the files that know CLI11 share: the commands as the command line fills them in, and the options that
// many commands have.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sim/cli/commands.hpp"

namespace CLI {
class App;
}

namespace aureole::cli {

/// The settings of all commands, and the call of the one that was given.
struct Parsed {
    RunCommand run;
    WatchCommand watch;
    IcsCommand ics;
    ConvertCommand convert;
    FindCommand find;
    ForcesCommand forces;
    ExpandCommand expand;
    EvaluateCommand evaluate;
    DensityCommand density;
    InfoCommand info;
    CiteCommand cite;
    ConfigCommand config;
    DiffCommand diff;
    ProfileCommand profile;
    AnalyseCommand analyse;
    PowerCommand power;
    MassFunctionCommand mass_function;
    TreesCommand trees;
    PlotCommand plot;
    RenderCommand render;
    std::function<int()> call;
};

// Options of many commands: commands/run_options.cpp.
/// A file that the command reads, as its word `name`, and one that it writes, as -o: neither may be missing.
void add_input_file(CLI::App& app, const char* name, std::filesystem::path& file, const std::string& meaning);
void add_output_file(CLI::App& app, std::filesystem::path& file, const std::string& meaning);
void add_device_option(CLI::App& app, std::string& device);
void add_compute_options(CLI::App& app, ComputeOptions& compute);  ///< --device and --set
void add_units_option(CLI::App& app, std::string& units);
void add_isolated_flag(CLI::App& app, bool& as_isolated);
void add_format_option(CLI::App& app, std::string& format);
void add_box_options(CLI::App& app, std::optional<double>& side, bool& open);
/// --types; `meaning` is its help text.
void add_types_option(CLI::App& app, std::vector<int>& types, const char* meaning);

// One function for each command, which adds the subcommand with its options.
// commands/run_options.cpp
void add_run(CLI::App& app, Parsed& parsed);
void add_ics(CLI::App& app, Parsed& parsed);
void add_watch(CLI::App& app, Parsed& parsed);
void add_convert(CLI::App& app, Parsed& parsed);
void add_info(CLI::App& app, Parsed& parsed);
void add_diff(CLI::App& app, Parsed& parsed);
void add_config(CLI::App& app, Parsed& parsed);
void add_cite(CLI::App& app, Parsed& parsed);
// commands/halo_options.cpp
void add_find(CLI::App& app, Parsed& parsed);
void add_profile(CLI::App& app, Parsed& parsed);
void add_analyse(CLI::App& app, Parsed& parsed);
void add_power(CLI::App& app, Parsed& parsed);
void add_mass_function(CLI::App& app, Parsed& parsed);
void add_trees(CLI::App& app, Parsed& parsed);
// commands/field_options.cpp
void add_forces(CLI::App& app, Parsed& parsed);
void add_expand(CLI::App& app, Parsed& parsed);
void add_evaluate(CLI::App& app, Parsed& parsed);
// density/density_options.cpp
void add_density(CLI::App& app, Parsed& parsed);
// render/render_options.cpp
void add_render(CLI::App& app, Parsed& parsed);
void add_plot(CLI::App& app, Parsed& parsed);

// What the program tells of its own commands from their one description: command_pages.cpp.

/// A script that completes commands, options and the words that options take, files elsewhere. `shell` is
/// bash, zsh or fish; throws ArgumentError for another.
std::string completion_script(const CLI::App& app, std::string_view shell);

/// The page aureole(1) in the macros of man(7).
std::string manual_page(const CLI::App& app, std::string_view version);

/// "did you mean ...?" with the command, or the option of the command, that is at most two edits away from
/// the first word of the command line that is neither; empty where none is near.
std::string suggestion(const CLI::App& app, int argc, const char* const* argv);

}  // namespace aureole::cli
