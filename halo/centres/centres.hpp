// Where a group has its centre, by the method that the caller chooses.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "halo/centres/member_potentials.hpp"
#include "halo/groups.hpp"
#include "halo/groups_view.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/plugin_configs.hpp"
#include "sim/core/progress.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

/// The name of a registered method, see centre_method.hpp. These come with Aureole:
struct Centre {
    std::string name;

    /// The member of least potential phi_i = -sum_j m_j / sqrt(r_ij^2 + eps^2).
    static const Centre most_bound;
    /// The member of least v_i^2 / 2 + phi_i, v relative to the mean velocity of the group.
    static const Centre most_bound_energy;
    static const Centre most_connected;    ///< the member with most friends within the linking length
    static const Centre poisson;           ///< the most bound near the minimum of a potential on a grid
    static const Centre mass;              ///< centre of mass
    static const Centre shrinking_sphere;  ///< centre of mass in a shrinking sphere (Power et al. 2003)

    bool operator==(const Centre&) const = default;
};
inline const Centre Centre::most_bound{"most_bound"}, Centre::most_bound_energy{"most_bound_energy"},
    Centre::most_connected{"most_connected"}, Centre::poisson{"poisson"}, Centre::mass{"mass"},
    Centre::shrinking_sphere{"shrinking_sphere"};

/// What Centre::poisson registered in CentreConfig::own.
struct PoissonConfig {
    std::uint32_t grid = 63;             ///< points per axis
    double search_radius = 2;            ///< in grid spacings, about the grid's minimum
    std::uint32_t least_members = 1000;  ///< smaller groups are searched exactly, which is faster for them
    std::uint32_t checked_groups = 100;  ///< of a catalogue: on the grid, whose exact centre is sought too
};

struct CentreConfig {
    Centre method{"most_bound"};
    double softening = 0;  ///< eps of potentials; 0: members that share a place do not count for each other
    double linking_length = 0;  ///< of most_connected
    /// Groups of so many members or more are searched by a tree, the others by all pairs: the result is the
    /// same. 0: what is fastest where it runs.
    std::size_t tree_members = 0;
    PluginConfigs own{};  ///< what each method registered
};

inline constexpr Index no_particle = 0xffffffffu;

struct Centres {
    std::vector<Vec3> position;  ///< inside the box when periodic
    std::vector<Index>
        particle;  ///< index of the particle that it is, no_particle for mass and shrinking_sphere
    /// Of that particle: phi, v^2 / 2 + phi, or its number of friends. NaN for mass and shrinking_sphere.
    std::vector<double> value;
    Members ties;  ///< most_connected: all members of each group with as many friends, in the list's order
};

/// One centre per list, which holds one member at least. Ties go to the smallest id. Potentials are sums over
/// the members alone, of nearest images about the group's member with the smallest id, each member counting 1
/// where all are massless; equal values are equal doubles of sums that do not depend on order. Equal input
/// gives equal bits for any number of threads, and the same particles in any order of input.
/// Needs masses, and velocities for most_bound_energy; ids that are absent are the indices. `progress` is
/// called between groups of many members and blocks of the others.
Centres find_centres(const ConstParticlesView& host, const Members& members, const Box& box,
                     const CentreConfig& config, const Progress& progress = {});

/// Wall-clock seconds of the phases of a search; on the host of the potentials alone.
struct CentreTimes {
    double gather = 0;           ///< members from the particles, and all that is checked
    double order = 0;            ///< sort along the curve, nodes
    double grid = 0;             ///< of poisson: to the members near the deepest points
    double walk = 0;             ///< bounds
    double decide = 0;           ///< sums in double, results to the host
    double potentials = 0;       ///< of all members
    std::size_t candidates = 0;  ///< decided in double
};

struct CentreScratch;

/// The same wherever the particles are, with the scratch that it reuses from call to call.
class CentreFinder {
public:
    CentreFinder();
    ~CentreFinder();

    /// `particles` and `members` are in the memory that `exec` runs in; on a GPU only results travel, the
    /// same particles as on the host. Potentials are those of member_potentials() with the softening of
    /// `config`. Throws CudaError where poisson finds no cuFFT.
    Centres find(Exec exec, const ConstParticlesView& particles, const MembersView& members, const Box& box,
                 const CentreConfig& config, const Progress& progress = {},
                 const PotentialOutput& potentials = {});

    /// Of the last find().
    const CentreTimes& times() const;

private:
    std::unique_ptr<CentreScratch> scratch_;
};

Centres find_centres(Exec exec, const ConstParticlesView& particles, const MembersView& members,
                     const Box& box, const CentreConfig& config, const Progress& progress = {});

/// The part of the groups for which both name the same particle; 1 when there are none. How often poisson
/// finds the most bound is agreement(find_centres(poisson), find_centres(most_bound)).
double agreement(const Centres& a, const Centres& b);

}  // namespace aureole::halo
