#include "halo/finder.hpp"

#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

/// Friends-of-friends by any of its methods.
class FofFinder : public Finder {
public:
    explicit FofFinder(const FofConfig& settings) : settings_(settings) {}

    const FofConfig& settings() const override { return settings_; }
    GroupsView find_on_device(Exec exec, const ConstParticlesView& particles,
                              const Progress& progress) override
    {
        return finder_.find_on_device(exec, particles, settings_, progress);
    }
    Groups find(Exec exec, const ConstParticlesView& particles, const Progress& progress) override
    {
        return finder_.find(exec, particles, settings_, progress);
    }
    std::size_t scratch_bytes(Backend where, std::size_t n) const override
    {
        return FriendsOfFriends::scratch_bytes(where, n, settings_);
    }

private:
    FofConfig settings_;
    FriendsOfFriends finder_;
};

template <Method method>
std::unique_ptr<Finder> make_fof(const FofConfig& settings)
{
    FofConfig config = settings;
    config.method = method;
    return std::make_unique<FofFinder>(config);
}

std::unique_ptr<Finder> make_dbscan(const FofConfig& settings)
{
    AUREOLE_EXPECT(settings.min_friends > 1,
                   "dbscan with min_friends {}, expected at least 2: with 1 it is friends-of-friends",
                   settings.min_friends);
    return make_fof<Method::kd_tree>(settings);
}

constexpr FinderMethod methods[] = {
    {"fastest", "friends-of-friends: grid in space on the CPU, else kd_tree", make_fof<Method::fastest>},
    {"grid", "friends-of-friends by cells of side l / sqrt(3)", make_fof<Method::grid>},
    {"kd_tree", "friends-of-friends by a balanced tree", make_fof<Method::kd_tree>},
    {"brute_force", "friends-of-friends by all pairs", make_fof<Method::brute_force>},
    {"spanning_tree", "friends-of-friends by a cut through the minimum spanning tree",
     make_fof<Method::spanning_tree>},
    {"dbscan", "core particles link (Ester et al. 1996): kd_tree with min_friends", make_dbscan}};

}  // namespace

std::span<const FinderMethod> finder_methods() { return methods; }

std::unique_ptr<Finder> make_finder(std::string_view method, const FofConfig& settings)
{
    std::string names;
    for (const FinderMethod& entry : methods) {
        if (entry.name == method) return entry.make(settings);
        names += (names.empty() ? "" : ", ") + std::string(entry.name);
    }
    throw ConfigError(fmt::format("unknown halo finder '{}', expected one of {}", method, names));
}

}  // namespace aureole::halo
