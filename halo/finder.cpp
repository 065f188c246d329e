#include "halo/finder.hpp"

#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

/// Friends-of-friends by any of its methods.
class FofFinder : public Finder {
public:
    explicit FofFinder(const FofConfig& settings) : settings_(settings) {}

    const FofConfig& settings() const override { return settings_; }
    std::size_t scratch_bytes(Backend where, std::size_t n) const override
    {
        return FriendsOfFriends::scratch_bytes(where, n, settings_);
    }

private:
    GroupsView do_find(Exec exec, const ConstParticlesView& particles, const Progress& progress) override
    {
        return finder_.find_on_device(exec, particles, settings_, progress);
    }

    FofConfig settings_;
    FriendsOfFriends finder_;
};

template <Method method>
std::unique_ptr<Finder> make_fof(const FofConfig& settings, const PluginConfigs&)
{
    FofConfig config = settings;
    config.method = method;
    return std::make_unique<FofFinder>(config);
}

std::unique_ptr<Finder> make_dbscan(const FofConfig& settings, const PluginConfigs& own)
{
    AUREOLE_EXPECT(settings.min_friends > 1,
                   "dbscan with min_friends {}, expected at least 2: with 1 it is friends-of-friends",
                   settings.min_friends);
    return make_fof<Method::kd_tree>(settings, own);
}

}  // namespace

Registry<FinderPlugin>& finders()
{
    static Registry<FinderPlugin> registry(
        "halo finder",
        {{name_of(Method::fastest),
          "friends-of-friends (Davis et al. 1985): grid in space on the CPU, else kd_tree",
          make_fof<Method::fastest>},
         {name_of(Method::kd_tree), "friends-of-friends (Davis et al. 1985) by a balanced tree",
          make_fof<Method::kd_tree>},
         {name_of(Method::brute_force), "friends-of-friends (Davis et al. 1985) by all pairs",
          make_fof<Method::brute_force>},
         {name_of(Method::grid), "friends-of-friends (Davis et al. 1985) by cells of side l / sqrt(3)",
          make_fof<Method::grid>},
         {name_of(Method::spanning_tree),
          "friends-of-friends (Davis et al. 1985) by a cut through the minimum spanning tree (Prokopenko, "
          "Sao & "
          "Lebrun-Grandie 2022)",
          make_fof<Method::spanning_tree>},
         {"dbscan", "core particles link (Ester et al. 1996); needs halos.min_friends", make_dbscan}});
    return registry;
}

std::unique_ptr<Finder> make_finder(const std::string& name, const FofConfig& settings,
                                    const PluginConfigs& own)
{
    return finders().at(name).make(settings, own);
}

}  // namespace aureole::halo
