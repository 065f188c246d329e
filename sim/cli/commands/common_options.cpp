// The options that many commands have.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "sim/cli/options.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"

namespace aureole::cli {

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

}  // namespace aureole::cli
