// What to cite for a run: its methods, and the papers that their documentation names.
#pragma once

#include <string>
#include <vector>

#include "sim/config/config.hpp"

namespace aureole::run {

/// The configuration of a run's directory, or of a file. Throws IoError for a directory without one.
Config configuration_of_run(const std::filesystem::path& run);

/// A method that a configuration uses, in the words of its documentation, which name its papers.
struct UsedMethod {
    std::string key;            ///< with its value, as "gravity.solver: tree"
    std::string documentation;  ///< "octree with quadrupoles (Barnes & Hut 1986)"
};

/// Solver, integrator, models, finder and centre are the plug-ins' own documentation; what has no plug-in is
/// listed here. Halos count where the run writes catalogues.
std::vector<UsedMethod> methods_of(const Config& config);

/// The program itself, then the papers of `methods` as BibTeX. `version` is the program's.
std::string bibtex_of(const std::vector<UsedMethod>& methods, const std::string& version);

/// The methods, one a line, and their BibTeX.
std::string citation_text(const std::vector<UsedMethod>& methods, const std::string& version);

}  // namespace aureole::run
