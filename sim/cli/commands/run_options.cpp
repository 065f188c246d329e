// The options of the commands that make runs and compare what they wrote, and those that many commands have.
#include <CLI/CLI.hpp>

#include "sim/cli/options.hpp"

namespace aureole::cli {

void add_compute_options(CLI::App& app, ComputeOptions& compute)
{
    app.add_option("--device", compute.device, "auto, cpu, cuda or cuda:N; cuda never falls back")
        ->capture_default_str();
    app.add_option("--set", compute.overrides, "override a configuration key, as gravity.softening=0.1")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void add_units_option(CLI::App& app, std::string& units)
{
    app.add_option(
        "--units", units,
        "of a file that does not say: nbody, galactic, or \"{length: kpc, mass: Msun, velocity: km/s}\"");
}

void add_box_options(CLI::App& app, std::optional<double>& side, bool& open)
{
    auto* box = app.add_option("--box", side, "side of the periodic box; the file's when it has one");
    box->excludes(app.add_flag("--open", open, "no periodic box, whatever the file says"));
}

void add_run(CLI::App& app, Parsed& parsed)
{
    RunCommand& o = parsed.run;
    CLI::App* sub =
        app.add_subcommand("run", "integrate, find halos and write outputs as a configuration says");
    sub->footer(
        "Example: aureole run merger.yaml -o merger --set run.end_time=20\n"
        "Example: aureole run --resume merger\n"
        "Ctrl-C, SIGTERM, SIGUSR1 and a file DIR/stop end the run after the step in hand, with a checkpoint "
        "to go "
        "on from; SIGHUP and a file DIR/dump ask for an extra snapshot. A second Ctrl-C ends it at once. "
        "Signals that are ignored from the start, as SIGHUP below nohup, stay so.");
    sub->add_option("CONFIG", o.config,
                    "configuration in YAML (`aureole config` prints every key); with --resume it may be the "
                    "directory of the run, which holds all that is needed")
        ->required();
    sub->add_option("-o,--output", o.directory,
                    "directory of the outputs; output.directory of the configuration");
    auto* overwrite =
        sub->add_flag("--overwrite", o.overwrite, "replace the outputs of an earlier run in the directory");
    sub->add_flag("--resume", o.resume,
                  "go on from the newest checkpoint; end time, output, pictures and halos may have changed")
        ->excludes(overwrite);
    sub->add_option("--max-wall", o.max_wall,
                    "stop with a checkpoint after the step in which this wall-clock time is over")
        ->type_name("HH:MM:SS");
    sub->add_flag("--dry-run", o.dry_run,
                  "check everything, print particles, memory, steps and outputs, and end");
    sub->add_flag("--quiet", o.quiet, "print nothing but errors");
    sub->add_flag("--as-isolated", o.as_isolated,
                  "take the numbers of a comoving or periodic file as they are");
    add_compute_options(*sub, o.compute);
    sub->callback([&] { parsed.call = [&o] { return run_command(o); }; });
}

void add_ics(CLI::App& app, Parsed& parsed)
{
    IcsCommand& o = parsed.ics;
    CLI::App* sub = app.add_subcommand("ics", "make the initial conditions of a configuration only");
    sub->footer("Example: aureole ics merger.yaml -o start.hdf5 --set seed=7");
    sub->add_option("CONFIG", o.config, "configuration in YAML")->required();
    sub->add_option("-o,--output", o.output, "snapshot to write")->required();
    sub->add_flag("--as-isolated", o.as_isolated,
                  "take the numbers of a comoving or periodic file as they are");
    sub->add_option("--set", o.compute.overrides, "override a configuration key")->allow_extra_args(false);
    sub->callback([&] { parsed.call = [&o] { return ics_command(o); }; });
}

void add_diff(CLI::App& app, Parsed& parsed)
{
    DiffCommand& o = parsed.diff;
    CLI::App* sub = app.add_subcommand("diff", "how far two snapshots or two catalogues are apart");
    sub->footer(
        "Example: aureole diff a/snapshot_010.hdf5 b/snapshot_010.hdf5\n"
        "Example: aureole diff --exact first_run second_run\n"
        "Particles are matched by id; groups and subhalos by their most bound particle or the nearest "
        "centre, "
        "within the larger radius, since their numbers follow their sizes. Of every quantity the largest "
        "difference is printed, with the id or the row in FIRST. Exit status 0: equal, 1: not.");
    sub->add_option("FIRST", o.first,
                    "any readable snapshot, or a catalogue; with --exact any file or directory")
        ->required();
    sub->add_option("SECOND", o.second, "what it is compared with")->required();
    auto* exact =
        sub->add_flag("--exact", o.exact,
                      "every dataset, attribute and column bit for bit, but for /Provenance and names "
                      "that end in _seconds; of directories, the outputs of runs");
    sub->add_option("--tolerance", o.tolerance,
                    "of the root mean square of a quantity; within it files are equal")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber)
        ->excludes(exact);
    sub->callback([&] { parsed.call = [&o] { return diff_command(o); }; });
}

}  // namespace aureole::cli
