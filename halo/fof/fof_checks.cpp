#include "halo/fof/fof_checks.hpp"

#include <cmath>

#include "halo/fof/fof_workspace.hpp"
#include "halo/link_tree.hpp"
#include "halo/needed_arrays.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {

std::string damage_text(std::uint64_t particle, std::uint64_t id, const char* what, Vec3 x)
{
    return fmt::format(
        "friends-of-friends: particle {} (id {}) {} ({}, {}, {}), expected finite numbers: "
        "the particles are damaged before the search",
        particle, id, what, x.x, x.y, x.z);
}

void expect_read_arrays(Backend where, const ConstParticlesView& particles, const FofConfig& config)
{
    const bool reads_velocities = in_phase_space(config) || config.relative_linking_velocity > 0;
    expect_arrays(particles, where, "friends-of-friends", {.velocity = reads_velocities});
}

void expect_sound(const FofConfig& config)
{
    const double length = config.linking_length, side = config.box.side;
    AUREOLE_EXPECT(std::isfinite(length) && length > 0,
                   "linking length {}, expected a positive, finite number", length);
    AUREOLE_EXPECT(std::isnormal(length * length), "the square of linking length {} is not a normal number",
                   length);
    const double psi = config.linking_velocity;
    AUREOLE_EXPECT(psi > 0, "linking velocity {}, expected a positive number, or infinity for space alone",
                   psi);
    AUREOLE_EXPECT(std::isfinite(squared_velocity_ratio(config)),
                   "linking velocity {} is too small: the square of linking length {} over it is not finite",
                   psi, length);
    AUREOLE_EXPECT(config.method != Method::spanning_tree || config.min_friends == 1,
                   "min_friends is {}, expected 1: the spanning tree joins all particles, core ones or not",
                   config.min_friends);
    AUREOLE_EXPECT(config.relative_linking_velocity >= 0 && std::isfinite(config.relative_linking_velocity),
                   "linking velocity of {} velocity dispersions, expected a positive number, or 0 for none",
                   config.relative_linking_velocity);
    AUREOLE_EXPECT(config.relative_linking_velocity == 0 || std::isinf(psi),
                   "linking velocity {} and {} velocity dispersions, expected one of them", psi,
                   config.relative_linking_velocity);
    AUREOLE_EXPECT(config.min_friends > 0, "min_friends is 0, expected at least 1");
    AUREOLE_EXPECT(config.leaf_size > 0, "leaf_size is 0, expected at least 1");
    AUREOLE_EXPECT(config.max_depth >= 0 && config.max_depth <= LinkTree::largest_depth,
                   "max_depth is {}, expected 0 to {}", config.max_depth, LinkTree::largest_depth);
    AUREOLE_EXPECT(config.min_members > 0, "min_members is 0, expected at least 1");
    AUREOLE_EXPECT(std::isfinite(side) && side >= 0, "box side {}, expected 0 (open) or a positive number",
                   side);
    AUREOLE_EXPECT(!config.box.periodic() || side >= 2 * length,
                   "a periodic box of side {} is smaller than two linking lengths of {}: a pair could link "
                   "through two images",
                   side, length);
}

}  // namespace aureole::halo
