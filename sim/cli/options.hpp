// What the files that know CLI11 share: the commands as they are filled in.
#pragma once

#include <functional>

#include "sim/cli/commands.hpp"

namespace CLI {
class App;
}

namespace aureole::cli {

/// What all commands fill in, and the one that was asked for.
struct Parsed {
    RunCommand run;
    IcsCommand ics;
    FindCommand find;
    ForcesCommand forces;
    ExpandCommand expand;
    EvaluateCommand evaluate;
    DensityCommand density;
    InfoCommand info;
    DiffCommand diff;
    ProfileCommand profile;
    PlotCommand plot;
    RenderCommand render;
    std::function<int()> call;
};

// What many commands have.
void add_compute_options(CLI::App& app, ComputeOptions& compute);
void add_units_option(CLI::App& app, std::string& units);
void add_box_options(CLI::App& app, std::optional<double>& side, bool& open);

// Options of runs and their outputs: command_line_runs.cpp.
void add_run(CLI::App& app, Parsed& parsed);
void add_ics(CLI::App& app, Parsed& parsed);
void add_diff(CLI::App& app, Parsed& parsed);
// command_line_density.cpp and command_line_render.cpp
void add_density(CLI::App& app, Parsed& parsed);
void add_render(CLI::App& app, Parsed& parsed);

}  // namespace aureole::cli
