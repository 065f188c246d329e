// What friends-of-friends refuses, wherever the particles are and whatever searches them.
#pragma once

#include <cstdint>
#include <string>

#include "halo/fof/friends_of_friends.hpp"

namespace aureole::halo {

/// Throws ArgumentError for settings that FriendsOfFriends::find() does not take.
void expect_sound(const FofConfig& config);

/// Throws ArgumentError where positions, or velocities that decide, are absent or not in the memory of
/// `where`.
void expect_read_arrays(Backend where, const ConstParticlesView& particles, const FofConfig& config);

/// The message about a particle that is not finite; `what` is "is at" or "has velocity". Its number is that
/// in the input.
std::string damage_text(std::uint64_t particle, std::uint64_t id, const char* what, Vec3 x);

}  // namespace aureole::halo
