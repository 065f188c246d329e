// A summary of a run from the files in its directory: outputs, energy error, and the history of its halos.
#pragma once

#include <filesystem>
#include <string>
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

/// Prints where snapshots, catalogues, logs and pictures of a run are, the energy error and the halo history,
/// read from the catalogues. Throws IoError when the directory holds no outputs of a run.
void print_run_summary(const std::filesystem::path& directory);

}  // namespace aureole::cli
