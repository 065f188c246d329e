// A summary of a run from the files in its directory: outputs, energy error, and the history of its halos.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aureole::cli {

/// How many groups at one time (in the run's units).
struct GroupCount {
    double time;
    std::size_t groups;
};

/// "2 -> 1 (t=20) -> 2 (t=26) -> 1 for good (t=39)": the first number, and each change with the time it was
/// first seen; the last state is "for good" when there was a change.
std::string halo_history(const std::vector<GroupCount>& counts);

/// What the files in the directory of a run tell.
struct RunSummary {
    std::vector<std::pair<std::string, std::vector<std::filesystem::path>>> files;  ///< by kind
    std::optional<double> largest_energy_error;  ///< NaN when no energy is conserved to the end
    std::vector<GroupCount> halos;               ///< one for each catalogue
};

/// Throws IoError when the directory holds no outputs of a run.
RunSummary summary_of_run(const std::filesystem::path& directory);

/// Prints where snapshots, catalogues, logs and pictures of a run are, the energy error and the halo history,
/// read from the catalogues. Throws IoError when the directory holds no outputs of a run.
void print_run_summary(const std::filesystem::path& directory);

}  // namespace aureole::cli
