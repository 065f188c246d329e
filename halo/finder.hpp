// The interface of every method that finds groups: from particles to groups, in the memory where they are.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "halo/fof/friends_of_friends.hpp"

namespace aureole::halo {

/// A method with its settings, and with the scratch that it reuses from call to call.
class Finder {
public:
    virtual ~Finder() = default;

    virtual const FofConfig& settings() const = 0;

    /// Groups of `particles`, which are in the memory that `exec` runs in; the result stays there until the
    /// next call. Positions are needed, velocities in phase space alone, ids and types may be absent. Throws
    /// ArgumentError for settings or particles that it cannot work with, Stopped where `progress` asks for
    /// it; the finder can be used again after either.
    virtual GroupsView find_on_device(Exec exec, const ConstParticlesView& particles,
                                      const Progress& progress = {}) = 0;

    /// The same in host memory.
    virtual Groups find(Exec exec, const ConstParticlesView& particles, const Progress& progress = {}) = 0;

    /// Bytes of scratch for `n` particles on `where`, for the memory forecast.
    virtual std::size_t scratch_bytes(Backend where, std::size_t n) const = 0;
};

/// One entry for each method.
struct FinderMethod {
    std::string_view name;           ///< the value of the configuration key halos.method
    std::string_view documentation;  ///< a few words: what it is
    std::unique_ptr<Finder> (*make)(const FofConfig& settings);  ///< ignores settings.method
};

/// All methods: fastest, grid, kd_tree, brute_force, spanning_tree, dbscan.
std::span<const FinderMethod> finder_methods();

/// Throws ConfigError for a name that is none of them, ArgumentError for dbscan with min_friends below 2.
std::unique_ptr<Finder> make_finder(std::string_view method, const FofConfig& settings);

}  // namespace aureole::halo
