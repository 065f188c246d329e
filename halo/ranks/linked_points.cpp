#include "halo/ranks/linked_points.hpp"

#include <algorithm>

#include "halo/fof/fof_workspace.hpp"
#include "halo/fof/linking.hpp"
#include "halo/ranks/part_points.hpp"

namespace aureole::halo {
namespace {

static_assert(in_no_set == no_set);

constexpr ParticleType joining = 0, linking = 1;

ConstVec3View view_of(const std::array<std::vector<double>, 3>& axes)
{
    if (axes[0].empty()) return {};
    return {axes[0].data(), axes[1].data(), axes[2].data()};
}

void find_corners(const std::array<std::vector<double>, 3>& axes, Vec3& low, Vec3& high)
{
    if (axes[0].empty()) return;
    double* const lows[] = {&low.x, &low.y, &low.z};
    double* const highs[] = {&high.x, &high.y, &high.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto [least, most] = std::ranges::minmax_element(axes[axis]);
        *lows[axis] = *least;
        *highs[axis] = *most;
    }
}

/// The phases of FriendsOfFriends up to the sets.
class PartSearch {
public:
    /// `points` have one that links, and none that stays alone.
    PartSearch(const PartPoints& points, const FofConfig& config)
        : types_(points.size()), w_({}, view(points), of_types(config), block_)
    {
        FofExtent extent{};
        find_corners(points.position, extent.low, extent.high);
        find_corners(points.velocity, extent.low_velocity, extent.high_velocity);
        const double side = config.box.side;
        if (config.box.periodic()) {
            extent.low = {0, 0, 0};
            extent.high = {side, side, side};
        }
        w_.set_extent(extent);
        if (uses_cells(Backend::cpu, w_.config())) linker_ = make_cell_linker(w_);
        if (!linker_) linker_ = make_tree_linker(w_);
        linker_->order(n_linking_);
        linker_->build(n_linking_);
    }

    std::vector<std::uint8_t> flags(Index min_friends)
    {
        std::vector<std::uint8_t> by_order(types_.size()), flag(types_.size());
        linker_->flag_core(min_friends, by_order.data());
        for (std::size_t k = 0; k < flag.size(); ++k) flag[w_.order()[k]] = by_order[k];
        return flag;
    }

    std::vector<Index> sets()
    {
        const auto n = static_cast<Index>(types_.size());
        linker_->link();
        linker_->join({n_linking_, n});
        std::vector<Index> set(n);
        for (Index k = 0; k < n; ++k) set[w_.order()[k]] = w_.set()[k];
        return set;
    }

private:
    ConstParticlesView view(const PartPoints& points)
    {
        for (std::size_t i = 0; i < points.size(); ++i) {
            types_[i] = points.role[i] == Role::links ? linking : joining;
            n_linking_ += types_[i] == linking;
        }
        ConstParticlesView view{};
        view.n = static_cast<Index>(points.size());
        view.where = Backend::cpu;
        view.position = view_of(points.position);
        view.velocity = view_of(points.velocity);
        view.id = points.id.data();
        view.type = types_.data();
        return view;
    }
    static FofConfig of_types(FofConfig config)
    {
        config.linking_types = 1 << linking;
        return config;
    }

    std::vector<ParticleType> types_;
    Index n_linking_ = 0;
    Buffer<std::byte> block_;
    FofWorkspace w_;
    std::unique_ptr<Linker> linker_;
};

/// Places of the points for which `takes` says so.
template <class Takes>
std::vector<Index> places(const PartPoints& points, Takes takes)
{
    std::vector<Index> list;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (takes(points.role[i])) list.push_back(static_cast<Index>(i));
    return list;
}

/// What search(points) finds of the points in the list, `otherwise` for the others.
template <class T, class Search>
std::vector<T> found_of(const PartPoints& points, const std::vector<Index>& list, T otherwise, Search search)
{
    if (list.size() == points.size()) return search(points);
    std::vector<T> all(points.size(), otherwise);
    const std::vector<T> found = search(points.gathered(list));
    for (std::size_t k = 0; k < list.size(); ++k) all[list[k]] = found[k];
    return all;
}

}  // namespace

std::vector<Index> sets_of_friends(const PartPoints& points, FofConfig config)
{
    config.min_friends = 1;
    if (std::ranges::count(points.role, Role::links) == 0) return std::vector<Index>(points.size(), no_set);
    const std::vector<Index> list = places(points, [](Role role) { return role != Role::stays_alone; });
    return found_of(points, list, no_set,
                    [&](const PartPoints& some) { return PartSearch(some, config).sets(); });
}

std::vector<std::uint8_t> points_with_friends(const PartPoints& points, FofConfig config)
{
    const std::vector<Index> list = places(points, [](Role role) { return role == Role::links; });
    if (list.empty()) return std::vector<std::uint8_t>(points.size());
    return found_of(points, list, std::uint8_t{0}, [&](const PartPoints& some) {
        return PartSearch(some, config).flags(config.min_friends);
    });
}

}  // namespace aureole::halo
