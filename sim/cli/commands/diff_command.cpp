// `aureole diff`: how far two snapshots, catalogues or expansions are apart, or whether files are equal bit
// for bit.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <tuple>

#include "sim/analysis/expansion_file.hpp"
#include "sim/analysis/particle_difference.hpp"
#include "sim/cli/commands.hpp"
#include "sim/core/error.hpp"
#include "sim/io/compare/exact_difference.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/snapshots/gadget_dialect.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "sim/io/utf8.hpp"
#include "sim/run/control/progress_file.hpp"
#include "sim/run/control/run_directory.hpp"

namespace aureole::cli {
namespace {

namespace fs = std::filesystem;

/// The files of a directory that a run computed: not its configuration, and not files that depend on when the
/// run was stopped or a snapshot was requested.
std::set<std::string> outputs_in(const fs::path& directory)
{
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory)) {
        const std::string name = entry.path().filename().string();
        const bool of_the_moment = name.starts_with("checkpoint") || name.starts_with("extra_") ||
                                   name.starts_with("failed_") || name == "config.resolved.yaml" ||
                                   name == run::progress_name || name == io::directory_metadata_name;
        if (run::is_output_of_a_run(name) && !of_the_moment) names.insert(name);
    }
    return names;
}

std::size_t print_exact(const fs::path& first, const fs::path& second)
{
    const auto lines = io::exact_differences(first, second);
    for (const std::string& line : lines) fmt::print("{}: {}\n", second.string(), io::printable(line));
    return lines.size();
}

bool equal_directories(const fs::path& first, const fs::path& second)
{
    const auto names = outputs_in(first), others = outputs_in(second);
    if (names.empty() && others.empty())
        throw IoError(fmt::format("{} and {} hold no outputs of a run", first.string(), second.string()));
    std::size_t differences = 0, compared = 0;
    for (const std::string& name : names) {
        if (!others.contains(name)) {
            fmt::print("{}: only in {}\n", io::printable(name), first.string());
            ++differences;
            continue;
        }
        differences += print_exact(first / name, second / name);
        ++compared;
    }
    for (const std::string& name : others)
        if (!names.contains(name)) {
            fmt::print("{}: only in {}\n", io::printable(name), second.string());
            ++differences;
        }
    fmt::print("{} files compared, {}\n", compared,
               differences ? fmt::format("{} differences", differences) : "no difference");
    return differences == 0;
}

bool equal_exactly(const fs::path& first, const fs::path& second)
{
    for (const fs::path& path : {first, second})
        if (!fs::exists(path)) throw IoError(fmt::format("{}: no such file or directory", path.string()));
    if (fs::is_directory(first) != fs::is_directory(second))
        throw IoError(fmt::format("{} and {}: one is a directory and the other is not", first.string(),
                                  second.string()));
    if (fs::is_directory(first)) return equal_directories(first, second);
    const std::size_t differences = print_exact(first, second);
    fmt::print("{}\n", differences ? fmt::format("{} differences", differences) : "no difference");
    return differences == 0;
}

/// `place` tells where a difference is: "id 7".
bool print_difference(const char* what, const run::SetDifference& difference, double tolerance,
                      const std::function<std::string(std::uint64_t)>& place)
{
    fmt::print("{:<10} {} in both, {} only in the first, {} only in the second\n", what, difference.in_both,
               difference.only_in_first, difference.only_in_second);
    if (difference.renumbered > 0)
        fmt::print("  {} have another number in the second\n", difference.renumbered);
    for (const std::string& name : difference.only_in_one)
        fmt::print("  {:<22} in one file only\n", io::printable(name));
    for (const run::FieldDifference& field : difference.fields)
        if (field.n_different == 0)
            fmt::print("  {:<22} equal\n", io::printable(field.name));
        else
            fmt::print("  {:<22} {} differ, by up to {:.6g} ({:.3g} of the rms) at {}\n",
                       io::printable(field.name), field.n_different, field.largest, field.relative(),
                       place(field.at));
    return difference.within(tolerance);
}

/// What makes numbers of two files incomparable, or is a difference by itself.
bool alike(const io::SnapshotHeader& a, const io::SnapshotHeader& b, double tolerance)
{
    bool good = true;
    const auto compare = [&](const char* name, double x, double y) {
        if (x == y) return;
        fmt::print("{:<10} {} and {}\n", name, x, y);
        if (!(std::abs(x - y) <= tolerance * std::abs(x))) good = false;
    };
    compare("time", a.time, b.time);
    compare("redshift", a.redshift, b.redshift);
    compare("box", a.box_size, b.box_size);
    if (a.units.has_value() == b.units.has_value() && (!a.units || *a.units == *b.units)) return good;
    fmt::print("units      differ: numbers are compared as they are\n");
    return false;
}

/// Factors from the numbers of one catalogue to those of another; nothing where units or dimensions are not
/// known, or where one is comoving and the other is not.
std::optional<UnitScales> scales_between(const io::CatalogueFile& from, const io::CatalogueFile& to)
{
    const io::SnapshotHeader &f = from.header, &t = to.header;
    if (!from.dimensions_known || !f.units || !t.units || f.comoving != t.comoving) return {};
    if (f.nbody_scales && t.nbody_scales)
        return UnitScales{.length = t.nbody_scales->length / f.nbody_scales->length,
                          .mass = t.nbody_scales->mass / f.nbody_scales->mass,
                          .velocity = t.nbody_scales->velocity / f.nbody_scales->velocity,
                          .time = t.nbody_scales->time / f.nbody_scales->time};
    UnitScales scales{.length = f.units->length_cm / t.units->length_cm,
                      .mass = f.units->mass_g / t.units->mass_g,
                      .velocity = f.units->velocity_cm_per_s / t.units->velocity_cm_per_s};
    scales.time = scales.length / scales.velocity;
    if (!f.comoving) return scales;
    const double per_h = std::pow(f.hubble, f.h_exponent) / std::pow(t.hubble, t.h_exponent);
    scales.length *= per_h;
    scales.mass *= per_h;
    scales.time = 1;  // the scale factor
    scales.velocity *= std::pow(1 + f.redshift, to.velocity_a_exponent - from.velocity_a_exponent);
    return scales;
}

void convert(io::CatalogueFile& catalogue, const UnitScales& scales)
{
    catalogue.header.box_size *= scales.length;
    catalogue.header.time *= scales.time;
    for (Table* table : {&catalogue.groups, &catalogue.subhalos})
        for (Column& column : table->columns)
            if (auto* const numbers = std::get_if<std::vector<double>>(&column.values)) {
                const double scale = io::scale_of(column.dimension, scales);
                for (double& x : *numbers) x *= scale;
            }
}

bool same_units(const io::CatalogueFile& a, const io::CatalogueFile& b)
{
    const auto powers = [](const io::CatalogueFile& c) {
        return std::tuple(c.header.units.has_value(), c.header.comoving,
                          c.header.comoving ? c.header.h_exponent : 0, c.velocity_a_exponent);
    };
    return powers(a) == powers(b) && (!a.header.units || *a.header.units == *b.header.units);
}

bool equal_catalogues(const DiffCommand& command)
{
    const io::CatalogueFile a = io::read_catalogue(command.first);
    io::CatalogueFile b = io::read_catalogue(command.second);
    if (!same_units(a, b))
        if (const auto scales = scales_between(b, a)) {
            convert(b, *scales);
            b.header.units = a.header.units;
            fmt::print("units      differ: the numbers of the second are converted to those of the first\n");
        }
    const bool header = alike(a.header, b.header, command.tolerance);
    const double side = a.header.box_size;
    const auto row = [](std::uint64_t at) { return fmt::format("row {}", at); };
    const bool groups =
        print_difference("groups", run::difference(a.groups, b.groups, side), command.tolerance, row);
    return print_difference("subhalos", run::difference(a.subhalos, b.subhalos, side), command.tolerance,
                            row) &&
           groups && header;
}

bool equal_snapshots(const DiffCommand& command)
{
    const auto arrays = io::SnapshotArrays::reading();
    io::Snapshot a = io::read_snapshot(command.first, arrays), b = io::read_snapshot(command.second, arrays);
    if (a.header.nbody_scales && b.header.nbody_scales) {  // with G = 1, whatever stands in the files
        for (io::Snapshot* snapshot : {&a, &b}) {
            io::restore_nbody_numbers(*snapshot);
            snapshot->header.units.reset();
        }
    }
    const bool header = alike(a.header, b.header, command.tolerance);
    const auto id = [](std::uint64_t at) { return fmt::format("id {}", at); };
    return print_difference("particles", run::difference(a.particles, b.particles), command.tolerance, id) &&
           header;
}

/// "moment 1, n 2, l 1, m 0", of a number as run::difference() of expansions gives it.
std::string place_in(const io::CoefficientFile& file, std::uint64_t at)
{
    const auto n_radial = static_cast<std::uint64_t>(file.n_max) + 1;
    std::uint64_t m = at % file.size() / n_radial, l = 0;
    for (; m > l; ++l) m -= l + 1;
    return fmt::format("moment {}, n {}, l {}, m {}", at / file.size(), at % n_radial, l, m);
}

bool equal_coefficients(const DiffCommand& command)
{
    const io::CoefficientFile a = run::restored_nbody(io::read_coefficients(command.first)),
                              b = run::restored_nbody(io::read_coefficients(command.second));
    const auto basis = [](const io::CoefficientFile& c) {
        return fmt::format("{}, n_max {}, l_max {}, scale radius {}", c.basis, c.n_max, c.l_max, c.scale);
    };
    if (basis(a) != basis(b)) {
        fmt::print("basis      {} and {}: their coefficients cannot be compared\n", basis(a), basis(b));
        return false;
    }
    const bool same_units = a.units == b.units && a.gravitational_constant == b.gravitational_constant;
    if (!same_units) fmt::print("units      differ: numbers are compared as they are\n");
    return print_difference("moments", run::difference(a, b), command.tolerance,
                            [&](std::uint64_t at) { return place_in(a, at); }) &&
           same_units;
}

/// What `diff` compares without --exact: the name of a kind, how it is told, and how two are compared.
struct Kind {
    const char* name;
    bool (*is)(const fs::path&);
    bool (*equal)(const DiffCommand&);
};
constexpr Kind kinds[] = {
    {"a catalogue", [](const fs::path& file) { return io::is_hdf5(file) && io::is_catalogue(file); },
     equal_catalogues},
    {"a file of coefficients", io::is_coefficient_file, equal_coefficients},
    {"a snapshot", [](const fs::path&) { return true; }, equal_snapshots}};

const Kind& kind_of(const fs::path& file)
{
    return *std::ranges::find_if(kinds, [&](const Kind& kind) { return kind.is(file); });
}

}  // namespace

int diff_command(const DiffCommand& command)
{
    if (command.exact) return equal_exactly(command.first, command.second) ? 0 : 1;
    if (fs::is_directory(command.first) || fs::is_directory(command.second))
        throw IoError(
            "directories are compared with --exact; without it give two snapshots, two catalogues or two "
            "files of coefficients");
    const Kind &first = kind_of(command.first), &second = kind_of(command.second);
    if (&first != &second)
        throw IoError(fmt::format("{} is {} and {} is {}; expected two of a kind", command.first.string(),
                                  first.name, command.second.string(), second.name));
    return first.equal(command) ? 0 : 1;
}

}  // namespace aureole::cli
