// The options of the commands that make runs, show files and compare them, and options that many
// commands have.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "sim/cli/options.hpp"
#include "sim/config/config.hpp"
#include "sim/io/list_text.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"

namespace aureole::cli {

void add_input_file(CLI::App& app, const char* name, std::filesystem::path& file, const std::string& meaning)
{
    app.add_option(name, file, meaning)->type_name("FILE")->required();
}

void add_output_file(CLI::App& app, std::filesystem::path& file, const std::string& meaning)
{
    app.add_option("-o,--output", file, meaning)->type_name("FILE")->required();
}

void add_device_option(CLI::App& app, std::string& device)
{
    app.add_option(
           "--device", device,
           "where to compute: auto (the first CUDA device, else the CPU), cpu, cuda or cuda:N; a CUDA "
           "device that is asked for and is not there is an error")
        ->type_name("DEVICE")
        ->capture_default_str();
}

void add_compute_options(CLI::App& app, ComputeOptions& compute)
{
    add_device_option(app, compute.device);
    app.add_option("--set", compute.overrides,
                   "set a configuration key, as gravity.softening=0.1; may be given several times")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void add_units_option(CLI::App& app, std::string& units)
{
    app.add_option(
           "--units", units,
           "units of a file that names none: nbody, galactic, or \"{length: kpc, mass: Msun, velocity: "
           "km/s}\"")
        ->type_name("UNITS");
}

void add_isolated_flag(CLI::App& app, bool& as_isolated)
{
    app.add_flag("--as-isolated", as_isolated,
                 "take the numbers of a comoving or periodic file as those of an isolated system");
}

void add_format_option(CLI::App& app, std::string& format)
{
    app.add_option("--format", format,
                   fmt::format("format of the output (default: told by its name): {}",
                               io::written_formats().documentation()))
        ->type_name("NAME");
}

void add_box_options(CLI::App& app, std::optional<double>& side, bool& open)
{
    auto* box = app.add_option(
        "--box", side, "side of the periodic box, in the file's unit (default: that of the file, if any)");
    box->excludes(app.add_flag("--open", open, "take no periodic box, even if the file has one"));
}

void add_types_option(CLI::App& app, std::vector<int>& types, const char* meaning)
{
    app.add_option("--types", types, meaning)->delimiter(',')->allow_extra_args(false);
}

namespace {

/// `needed`: an option without which these mean nothing.
void add_listen_options(CLI::App& app, live::ListenConfig& listen, CLI::Option* needed = nullptr)
{
    auto* port = app.add_option("--port", listen.port,
                                "port of the page; 0: any that is free (default: 8765, or the next free one)")
                     ->type_name("PORT")
                     ->check(CLI::Range(0, 65535));
    auto* address =
        app.add_option(
               "--address", listen.address,
               "address of this machine on which the page is served; 0.0.0.0 lets other machines connect")
            ->type_name("ADDRESS")
            ->capture_default_str();
    if (!needed) return;
    port->needs(needed);
    address->needs(needed);
}

}  // namespace

void add_run(CLI::App& app, Parsed& parsed)
{
    RunCommand& o = parsed.run;
    CLI::App* sub =
        app.add_subcommand("run", "integrate, find halos and write outputs as a configuration says");
    sub->footer(
        "Example: aureole run merger.yaml -o merger --set run.end_time=20\n"
        "Example: aureole run --resume merger\n"
        "Example: aureole run merger.yaml -o merger --serve\n"
        "Ctrl-C, SIGTERM, SIGUSR1 and a file DIR/stop end the run after the current step, or in the middle "
        "of "
        "a halo search, a picture or a record, with a checkpoint from which --resume continues: first with "
        "what was not made of an output. SIGHUP and a file DIR/dump request an extra snapshot. A second "
        "Ctrl-C "
        "ends the program at once. A signal that was ignored when the program started, as SIGHUP is under "
        "nohup, stays ignored.");
    add_input_file(*sub, "CONFIG", o.config,
                   "configuration in YAML (`aureole config` prints every key); with --resume also the "
                   "directory of a run, which holds all that is needed");
    sub->add_option("-o,--output", o.directory,
                    "directory of the outputs (default: output.directory of the configuration)")
        ->type_name("DIR");
    auto* overwrite =
        sub->add_flag("--overwrite", o.overwrite, "replace the outputs of an earlier run in the directory");
    sub->add_flag("--resume", o.resume,
                  "continue from the newest checkpoint, or begin at step 0 where there is none; "
                  "run.end_time, run.checks, output, pictures, power, density and halos "
                  "may differ from those of the checkpoint")
        ->excludes(overwrite);
    sub->add_option("--max-wall", o.max_wall,
                    "stop with a checkpoint in the step or output in which this wall-clock time is over")
        ->type_name("HH:MM:SS");
    sub->add_flag("--dry-run", o.dry_run,
                  "check everything, print particles, memory, steps and outputs, and write nothing");
    sub->add_flag("--quiet", o.quiet, "print nothing but errors");
    auto* serve =
        sub->add_flag("--serve", o.serve,
                      "show the run as a page in the browser while it goes on (as `watch`), with pictures of "
                      "the present particles; its address is printed");
    add_listen_options(*sub, o.listen, serve);
    add_isolated_flag(*sub, o.as_isolated);
    add_compute_options(*sub, o.compute);
    sub->callback([&] { parsed.call = [&o] { return run_command(o); }; });
}

void add_watch(CLI::App& app, Parsed& parsed)
{
    WatchCommand& o = parsed.watch;
    CLI::App* sub = app.add_subcommand(
        "watch",
        "show a run, past or under way, as a page in the browser: pictures, energies, halos, progress");
    sub->footer(
        "Example: aureole watch merger\n"
        "Of a run on another machine: aureole watch merger --port 8765 there, ssh -L 8765:127.0.0.1:8765 "
        "MACHINE "
        "here, and the printed address in the browser here.\n"
        "The page needs the token in the printed address; AUREOLE_TOKEN sets one that outlasts a restart. "
        "Nothing is written into DIR, and no run waits. Ctrl-C ends it.");
    sub->add_option("DIR", o.run, "the output directory of a run")->type_name("DIR")->required();
    add_listen_options(*sub, o.listen);
    sub->callback([&] { parsed.call = [&o] { return watch_command(o); }; });
}

void add_ics(CLI::App& app, Parsed& parsed)
{
    IcsCommand& o = parsed.ics;
    CLI::App* sub =
        app.add_subcommand("ics", "write the initial conditions of a configuration as a snapshot");
    sub->footer(
        "Example: aureole ics merger.yaml -o start.hdf5 --set seed=7\n"
        "Example: aureole ics merger.yaml -o start.tipsy");
    add_input_file(*sub, "CONFIG", o.config, "configuration in YAML");
    add_output_file(*sub, o.output, "snapshot to write");
    add_format_option(*sub, o.format);
    add_isolated_flag(*sub, o.as_isolated);
    sub->add_option("--set", o.compute.overrides,
                    "set a configuration key, as seed=7; may be given several times")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    sub->callback([&] { parsed.call = [&o] { return ics_command(o); }; });
}

namespace {

/// "positions=16,velocities=10", or one number for all four.
void set_mantissa_bits(std::vector<std::string>& settings, const std::string& text)
{
    for (const std::string& word : CLI::detail::split(text, ',')) {
        if (word.find('=') != std::string::npos)
            settings.push_back("output.mantissa_bits." + word);
        else
            for (const char* quantity : {"positions", "velocities", "masses", "potentials"})
                settings.push_back(fmt::format("output.mantissa_bits.{}={}", quantity, word));
    }
}

/// What of the particles is written, as the keys output.snapshots and output.mantissa_bits say it of runs.
void add_choice_options(CLI::App& app, ConvertCommand& o)
{
    const auto add = [&](const char* option, const char* key, const char* type, const std::string& meaning) {
        app.add_option_function<std::vector<std::string>>(
               option,
               [&o, key](const std::vector<std::string>& values) {
                   const bool list = std::string_view(key) != "output.snapshots.subsample";
                   o.settings.push_back(list ? fmt::format("{}=[{}]", key, io::list_text(values, ", "))
                                             : fmt::format("{}={}", key, values.back()));
               },
               meaning)
            ->delimiter(',')
            ->allow_extra_args(false)
            ->type_name(type);
    };
    add("--types", "output.snapshots.types", "LIST", "particle types to write, as 1,4 (default: all)");
    add("--fields", "output.snapshots.fields", "LIST",
        fmt::format("fields to write, of {} (default: all; HDF5 only). Positions always are",
                    io::list_text(snapshot_field_words, ", ")));
    add("--subsample", "output.snapshots.subsample", "SHARE",
        "share of the particles (0.1) or one in so many (10), chosen by id and --seed: the same of every "
        "snapshot of "
        "a run");
    app.add_option("--seed", o.seed, "of --subsample")->capture_default_str();
    app.add_option_function<std::string>(
           "--mantissa-bits", [&o](const std::string& text) { set_mantissa_bits(o.settings, text); },
           "binary digits that are kept of each number, 1 to 52, as 20 or positions=20,velocities=10; "
           "relative "
           "errors are up to 2^-(bits + 1) (default: 52, all; HDF5 only)")
        ->type_name("BITS");
}

}  // namespace

void add_convert(CLI::App& app, Parsed& parsed)
{
    ConvertCommand& o = parsed.convert;
    CLI::App* sub = app.add_subcommand("convert", "write any readable snapshot in another format");
    sub->footer(
        "Example: aureole convert galaxy.dat -o galaxy.hdf5\n"
        "Example: aureole convert snapshot_010.hdf5 -o snapshot_010.tipsy\n"
        "Example: aureole convert snapshot_010.hdf5 -o stars.hdf5 --types 4 --subsample 10 --mantissa-bits "
        "20\n"
        "Particles keep ids, types, masses, positions and velocities; files keep time, box, cosmology and "
        "softening. Powers of h and a become those of the format. Notes tell what the format cannot hold.");
    sub->add_option("INPUT", o.input,
                    io::known_snapshot_formats() + "; of several files any, or their common name")
        ->type_name("FILE")
        ->required();
    add_output_file(*sub, o.output, "snapshot to write");
    add_format_option(*sub, o.format);
    add_units_option(*sub, o.units);
    sub->add_option("--output-units", o.output_units,
                    "galactic: kpc, 1e10 Msun, km/s; input: those of the input (default: input, and galactic "
                    "for Gadget's formats, whose readers expect them)")
        ->type_name("WORD");
    add_choice_options(*sub, o);
    sub->add_flag("--compress", o.compress, "HDF5: compress with gzip, a third smaller");
    sub->add_flag("--single", o.single_precision,
                  "gadget1, gadget2: single precision, also where that rounds numbers (default: double "
                  "precision where single precision would)");
    sub->callback([&] { parsed.call = [&o] { return convert_command(o); }; });
}

void add_info(CLI::App& app, Parsed& parsed)
{
    InfoCommand& o = parsed.info;
    CLI::App* sub = app.add_subcommand(
        "info",
        "show what a file or a directory of outputs holds; without a path, the build and the devices");
    sub->footer("Example: aureole info snapshot_010.hdf5\nExample: aureole info merger --json");
    sub->add_option("PATH", o.path,
                    "snapshot, catalogue, coefficients, checkpoint, picture, any other HDF5 file of this "
                    "program, or the directory of a run");
    sub->add_flag("--json", o.json, "as JSON: one object");
    sub->callback([&] { parsed.call = [&o] { return info_command(o); }; });
}

void add_diff(CLI::App& app, Parsed& parsed)
{
    DiffCommand& o = parsed.diff;
    CLI::App* sub = app.add_subcommand(
        "diff", "compare two snapshots, two catalogues, two files of coefficients or two runs");
    sub->footer(
        "Example: aureole diff a/snapshot_010.hdf5 b/snapshot_010.hdf5\n"
        "Example: aureole diff --exact first_run second_run\n"
        "Particles are matched by id. Groups and subhalos are matched by their most bound particle, or by "
        "the "
        "nearest centre within the larger radius, because their numbers follow their sizes. For every "
        "quantity "
        "the largest difference is printed, with the id, the row or the coefficient in FIRST. The exit "
        "status is 0 when the "
        "files are equal and 1 when they differ.");
    sub->add_option("FIRST", o.first,
                    "any readable snapshot, a catalogue or a file of coefficients; with --exact any file or "
                    "directory")
        ->type_name("PATH")
        ->required();
    sub->add_option("SECOND", o.second, "what FIRST is compared with")->type_name("PATH")->required();
    auto* exact =
        sub->add_flag("--exact", o.exact,
                      "compare every dataset, attribute and column bit for bit, except /Provenance and names "
                      "that end in _seconds; in directories, compare the outputs of runs");
    sub->add_option("--tolerance", o.tolerance,
                    "largest difference of equal files, relative to the root mean square of each quantity")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber)
        ->excludes(exact);
    sub->callback([&] { parsed.call = [&o] { return diff_command(o); }; });
}

void add_config(CLI::App& app, Parsed& parsed)
{
    CLI::App* sub =
        app.add_subcommand("config", "print every configuration key with default, unit and meaning");
    sub->footer("Example: aureole config | less\nExample: aureole config --json > keys.json");
    ConfigCommand& o = parsed.config;
    sub->add_flag("--json", o.json, "as JSON: a list of objects with key, default, unit and meaning");
    sub->callback([&] { parsed.call = [&o] { return config_command(o); }; });
}

void add_cite(CLI::App& app, Parsed& parsed)
{
    CLI::App* sub = app.add_subcommand("cite", "print the methods of a run and the papers to cite for them");
    sub->footer("Example: aureole cite merger\nExample: aureole cite run.yaml --bibtex > run.bib");
    CiteCommand& o = parsed.cite;
    sub->add_option("RUN", o.run, "the output directory of a run, or a configuration")
        ->type_name("DIR|FILE")
        ->required();
    sub->add_flag("--bibtex", o.bibtex, "print the BibTeX alone");
    sub->callback([&] { parsed.call = [&o] { return cite_command(o); }; });
}

}  // namespace aureole::cli
