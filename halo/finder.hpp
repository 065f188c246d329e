// The interface of every method that finds groups, from particles to groups in the memory where they are, and
// the methods by name.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "halo/fof/friends_of_friends.hpp"
#include "sim/core/registry.hpp"

namespace aureole::halo {

/// A method with its settings, and with the scratch that it reuses from call to call.
class Finder {
public:
    virtual ~Finder() = default;

    virtual const FofConfig& settings() const = 0;

    /// Groups of `particles`, which are in the memory that `exec` runs in; the result stays there until the
    /// next call. Positions are needed, velocities in phase space
    /// alone; masses, ids and types may be absent. Throws ArgumentError for settings or particles that it
    /// cannot work with, Stopped where `progress` asks for it; the finder can be used again after either.
    GroupsView find_on_device(Exec exec, const ConstParticlesView& particles, const Progress& progress = {})
    {
        return do_find(exec, particles, progress);
    }

    /// The same, copied to host memory.
    Groups find(Exec exec, const ConstParticlesView& particles, const Progress& progress = {})
    {
        return groups_on_host(exec, do_find(exec, particles, progress));
    }

    /// Bytes of scratch for `n` particles on `where`, for the memory forecast.
    virtual std::size_t scratch_bytes(Backend where, std::size_t n) const = 0;

private:
    /// What find_on_device() promises.
    virtual GroupsView do_find(Exec exec, const ConstParticlesView& particles, const Progress& progress) = 0;
};

/// `make` gets the settings that all finders share, whose `method` it ignores, and those that each finder
/// registered. Keys of the latter stand below `halos.NAME.`
using FinderPlugin = Plugin<std::function<std::unique_ptr<Finder>(const FofConfig&, const PluginConfigs&)>>;

/// All finders, the built-in ones first. docs/extending.md says how to add one.
Registry<FinderPlugin>& finders();

/// Throws ConfigError for an unknown name, ArgumentError for settings that the method cannot work with.
std::unique_ptr<Finder> make_finder(const std::string& name, const FofConfig& settings,
                                    const PluginConfigs& own = {});

}  // namespace aureole::halo
