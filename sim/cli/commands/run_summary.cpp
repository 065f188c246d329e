#include "sim/cli/commands/run_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "sim/config/config.hpp"
#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/fields/coefficient_file.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/snapshot_format.hpp"
#include "sim/io/utf8.hpp"
#include "sim/run/outputs/output_names.hpp"

namespace aureole::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_like(const fs::path& directory, const io::NumberedName& names)
{
    const auto& [prefix, suffix, digits] = names;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(directory)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(prefix) && name.ends_with(suffix)) files.push_back(entry.path());
    }
    std::ranges::sort(files, {}, [](const fs::path& p) { return std::pair(p.string().size(), p.string()); });
    return files;
}

void print_files(const char* what, const std::vector<fs::path>& files)
{
    if (files.empty()) return;
    fmt::print("{:<13} {}", what, io::printable(files.front().string()));
    if (files.size() > 1)
        fmt::print(" ... {} ({} files)", io::printable(files.back().filename().string()), files.size());
    fmt::print("\n");
}

/// The largest |relative_error| in energy.csv; NaN when no energy is conserved to the end.
double largest_energy_error(const fs::path& file)
{
    std::ifstream in(io::without_waiting(file));
    std::string line, cell;
    std::getline(in, line);
    std::istringstream names(line);
    std::size_t column = 0, wanted = std::string::npos;
    for (; std::getline(names, cell, ','); ++column)
        if (cell == "relative_error") wanted = column;
    if (wanted == std::string::npos)
        throw IoError(fmt::format("{}: has no column relative_error", file.string()));
    double largest = 0;
    while (std::getline(in, line)) {
        std::istringstream row(line);
        for (std::size_t k = 0; k <= wanted && std::getline(row, cell, ','); ++k) {
        }
        if (cell == "nan" || cell == "-nan") return std::numeric_limits<double>::quiet_NaN();
        largest = std::max(largest, std::abs(run::parse_number(cell)));
    }
    return largest;
}

std::string conservation_text(double largest_error)
{
    return std::isnan(largest_error) ? "not conserved" : fmt::format("largest |dE/E| {:.3g}", largest_error);
}

void print_state_hash(const fs::path& snapshot)
{
    for (const auto& [name, value] : io::read_provenance(snapshot))
        if (name == "StateHash")
            fmt::print("{:<13} {} in {}\n", "state hash", io::printable(value), snapshot.filename().string());
}

std::vector<GroupCount> read_counts(const fs::path& directory, const std::vector<fs::path>& catalogues)
{
    // from the units of the files back to the run's, where there was a run
    std::optional<run::RunUnits> units;
    if (const fs::path resolved = directory / "config.resolved.yaml"; fs::exists(resolved))
        units = run::load_config(resolved, {}).units.value_or(run::RunUnits{});
    std::vector<GroupCount> counts;
    for (const fs::path& file : catalogues) {
        const io::CatalogueFile catalogue = io::read_catalogue(file);
        const auto& file_units = catalogue.header.units;
        const double factor =
            units && file_units ? units->from_internal(run::Quantity::time) / units->to_file(*file_units).time
                                : 1;
        counts.push_back({catalogue.header.time * factor, catalogue.groups.rows});
    }
    return counts;
}

/// The snapshots of a run, in the format in which it wrote.
std::vector<fs::path> snapshots_in(const fs::path& directory)
{
    for (const io::SnapshotFormat& format : io::snapshot_formats().entries()) {
        if (!format.writing.make) continue;
        const auto files = files_like(directory, {io::snapshot_stems.prefix, format.writing.endings.front()});
        if (!files.empty()) return files;
    }
    return {};
}

}  // namespace

std::string halo_history(const std::vector<GroupCount>& counts)
{
    if (counts.empty()) return "no catalogues";
    std::vector<GroupCount> changes{counts.front()};
    for (const GroupCount& count : counts)
        if (count.groups != changes.back().groups) changes.push_back(count);
    std::string text = fmt::format("{}", changes.front().groups);
    for (std::size_t k = 1; k < changes.size(); ++k)
        text += fmt::format(" -> {}{} (t={:.6g})", changes[k].groups,
                            k + 1 == changes.size() ? " for good" : "", changes[k].time);
    return text;
}

RunSummary summary_of_run(const fs::path& directory)
{
    RunSummary run;
    const auto snapshots = snapshots_in(directory);
    const auto catalogues = files_like(directory, io::catalogue_names);
    const fs::path energy = directory / "energy.csv";
    if (snapshots.empty() && catalogues.empty() && !fs::exists(energy))
        throw IoError(
            fmt::format("{}: holds no outputs of a run (snapshot_*.hdf5, energy.csv)", directory.string()));
    run.files = {{"snapshots", snapshots},
                 {"catalogues", catalogues},
                 {"pictures", files_like(directory, run::picture_names)},
                 {"coefficients", files_like(directory, io::coefficient_names)},
                 {"checkpoints", files_like(directory, {"checkpoint", ".bin"})},
                 {"logs", files_like(directory, {"", ".csv"})}};
    if (fs::exists(energy)) run.largest_energy_error = largest_energy_error(energy);
    if (!catalogues.empty()) run.halos = read_counts(directory, catalogues);
    return run;
}

void print_run_summary(const fs::path& directory)
{
    const RunSummary run = summary_of_run(directory);
    for (const auto& [kind, files] : run.files) {
        print_files(kind.c_str(), files);
        if (kind == "snapshots" && !files.empty() && io::is_hdf5(files.back()))
            print_state_hash(files.back());
    }
    if (run.largest_energy_error)
        fmt::print("{:<13} {}: {}\n", "energy", (directory / "energy.csv").string(),
                   conservation_text(*run.largest_energy_error));
    if (!run.halos.empty()) fmt::print("{:<13} {}\n", "halos", halo_history(run.halos));
}

}  // namespace aureole::cli
