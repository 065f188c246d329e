// Which forces between components are computed by which solver: component numbers only, no particles.
#pragma once

#include "gravity/components/components_config.hpp"
#include "gravity/scf/scf_config.hpp"

namespace aureole::gravity::components {

using Numbers = std::vector<int>;  ///< of components, rising

/// One sum over particles: `solver` is direct or tree.
struct PairPlan {
    std::string solver;
    Numbers sources, targets;
    bool adds = false;  ///< to what the targets have, instead of overwriting it
};

/// One expansion. Its own particles feel it together with what it makes of `felt`; the particles of `reach`
/// feel it alone. Of a live pair one is in the other's lists, or they are in a PairPlan: never in both.
struct FieldPlan {
    int component = 0;
    Numbers reach, felt;
};

/// H = T + sums over pairs of particles + for each expansion K: K(own, own) / 2 + K(own, felt), with one
/// symmetric kernel for each pair of components (GALAXIES.md, section 3): the energy sum m phi / 2 closes. Of
/// two expansions that of the larger scale radius is the kernel, of equals the first. Frozen expansions and
/// those played back act on all components, and their particles feel nothing else.
struct Plan {
    std::vector<PairPlan> pairs;  ///< those that overwrite first
    std::vector<FieldPlan> fields;
    Numbers zeroed;  ///< targets that no pair sum overwrites
};

/// Throws ConfigError as expect_valid() does, and where `cross` contradicts the mode of an expansion.
Plan make_plan(const Config& config, const scf::Config& expansions);

/// The settings of the expansion of a component.
const scf::FieldConfig& field_of(const scf::Config& expansions, int component);

}  // namespace aureole::gravity::components
