#include "halo/centres/gpu/centre_search.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>

#include "halo/centres/gpu/search_steps.hpp"
#include "halo/copy_bytes.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo::centre_search {

namespace {

/// In walk after walk a node may err by these parts of the deepest potential known: in walks for buckets, and
/// in those for single candidates that follow.
constexpr float tolerances[] = {0.01f, 0.002f, 0.0004f, 0.00005f};
/// The first that is worth a walk after bounds from potentials by the tree, which are as tight as that.
constexpr std::size_t after_potentials = 2;
constexpr Index few = 16;        ///< so many of a list are decided at once
constexpr Index few_points = 4;  ///< the same where single candidates are walked for, or summed
/// Pairs of a candidate and a member that sums over all members add faster than single walks bound the
/// candidates of a list: some 0.3 ms of an H200, what a few walks take to start and end. While it was 2^32,
/// two lists of 0.8 million members took 13.0 ms, and 9.5 by walks alone.
constexpr std::uint64_t most_pairs = std::uint64_t{1} << 28;
constexpr PointWalk point_walks[] = {{1e-5f, few_points, 8, most_pairs},
                                     {1e-6f, few_points, 32, most_pairs},
                                     {1e-7f, few_points, 128, most_pairs},
                                     {1e-8f, few_points, 512, most_pairs}};

class Search {
public:
    Search(CUstream_st* stream, const CentreQuery& query, SearchScratch& scratch, SearchTimes& times)
        : exec_{Backend::cuda, stream},
          query_(query),
          long_(query),
          scratch_(scratch),
          times_(times),
          last_(std::chrono::steady_clock::now())
    {
        grow(scratch.block, search_memory(query, nullptr).bytes);
        memory_ = search_memory(query, scratch.block.data());
    }

    std::vector<FoundCentre> most_bound(const GridChoice& grid, const PotentialOutput& output)
    {
        const bool bounded = output.potential && index_of(output.tree_members) <= query_.tree_members;
        if (output.potential)
            query_.tree_members = std::min(query_.tree_members, index_of(output.tree_members));
        if (grid.points > 0) query_.with_motion = long_.with_motion = false;  // no velocities are read
        const InputReport report = gathered();
        if (!has_centres(report)) return {};
        order(report);
        set_time(times_.order);
        if (grid.points > 0) exclude_far_members(grid);
        set_time(times_.grid);
        set_potentials(exec_.stream, query_, arrays_, output.tree_members, output.potential, true);
        set_time(times_.potentials);
        if (long_.members.n_lists > 0) {
            if (output.potential)
                add_tree_potentials(output, report.longest, bounded ? arrays_.high : nullptr);
            const Levels levels = levels_for(long_.members, report.longest);
            build_tree(long_, levels);
            set_time(times_.order);
            narrow(levels, bounded ? output.potential : nullptr);
        }
        drop_beaten(exec_.stream, query_, arrays_, 0, few);
        set_time(times_.walk);
        decide_candidates();
        std::vector<FoundCentre> found = results();
        set_time(times_.decide);
        return found;
    }

    std::vector<FoundCentre> centres_of_mass(bool shrinking)
    {
        if (!has_centres(gathered())) return {};
        frame_lists(exec_.stream, query_, arrays_);
        find_centres_of_mass(exec_.stream, query_, arrays_, shrinking);
        std::vector<FoundCentre> found = results();
        set_time(times_.decide);
        return found;
    }

    std::vector<FoundCentre> most_connected(double length, Members& ties)
    {
        query_.tree_members = 0;
        const InputReport report = gathered();
        if (!has_centres(report)) return {};
        const Levels levels = levels_for(query_.members, report.longest);
        order(report);
        build_tree(query_, levels);
        set_time(times_.order);
        count_friends(exec_.stream, query_, arrays_, levels, length);
        const Index n = select_candidates(query_.members.n_members);
        set_time(times_.walk);
        choose_most_connected(exec_.stream, query_, arrays_, n);
        set_ties(n, ties);
        std::vector<FoundCentre> found = results();
        set_time(times_.decide);
        return found;
    }

    bool potentials(const PotentialOutput& output)
    {
        query_.tree_members = index_of(output.tree_members);
        const InputReport report = gathered();
        if (!usable(report)) return false;
        order(report);
        set_potentials(exec_.stream, query_, arrays_, output.tree_members, output.potential, false);
        set_time(times_.potentials);
        if (long_.members.n_lists > 0) add_tree_potentials(output, report.longest, nullptr);
        return true;
    }

private:
    /// With some to spare, as groups grow from call to call and an allocation takes as long as a search.
    static void grow(Buffer<std::byte>& buffer, std::size_t bytes)
    {
        if (buffer.size() < bytes) buffer.require(Backend::cuda, bytes + bytes / 8);
    }

    template <class T>
    T fetched(const T* from) const
    {
        return halo::fetched(exec_, from);
    }

    void set_time(double& seconds)
    {
        device::synchronize();
        const auto now = std::chrono::steady_clock::now();
        seconds += std::chrono::duration<double>(now - last_).count();
        last_ = now;
    }

    InputReport gathered()
    {
        gather(exec_.stream, query_, arrays_);
        const auto report = fetched(arrays_.report);
        set_time(times_.gather);
        return report;
    }

    bool usable(const InputReport& report) const
    {
        return report.bad_entry == query_.members.n_members && report.bad_list == query_.members.n_lists;
    }

    /// A list without members has no centre.
    bool has_centres(const InputReport& report) const
    {
        return usable(report) && report.empty_list == query_.members.n_lists;
    }

    static Index index_of(std::size_t n)
    {
        return static_cast<Index>(std::min<std::size_t>(n, std::numeric_limits<Index>::max()));
    }

    /// Bodies along the curve, of the lists up to the last that has a tree.
    void order(const InputReport& report)
    {
        frame_lists(exec_.stream, query_, arrays_);
        long_.members.n_lists = static_cast<Index>(report.lists_to_last_tree);
        long_.members.n_members = report.members_to_last_tree;
        long_.tree_members = query_.tree_members;
        const int list_bits = std::bit_width(query_.members.n_lists - 1u);
        const int axis_bits = axis_bits_below(query_.members.n_lists);
        make_keys(exec_.stream, query_, arrays_, axis_bits, long_.members.n_members, pairs_);
        sort_pairs(exec_, long_.members.n_members, pairs_, list_bits + 3 * axis_bits, memory_.scratch);
        arrays_.order = pairs_.value;
        if (long_.members.n_lists > 0) place_bodies(exec_.stream, long_, arrays_);
        if (query_.with_motion) set_kinetic(exec_.stream, query_, arrays_);
    }

    void build_tree(const CentreQuery& query, const Levels& levels)
    {
        build_nodes(exec_, query.members, levels, arrays_.body, {arrays_.node, arrays_.moments});
        start_buckets(exec_.stream, query, arrays_);
    }

    /// Members of long lists that are far from the deepest points of their grids move too fast to be bound.
    void exclude_far_members(const GridChoice& grid)
    {
        std::vector<std::uint64_t> begin(query_.members.n_lists + std::size_t{1});
        copy_bytes(exec_, begin.data(), query_.members.begin, begin.size() * sizeof begin[0]);
        std::vector<poisson::GridList> lists;
        for (Index list = 0; list < query_.members.n_lists; ++list)
            if (const std::uint64_t n = begin[list + 1] - begin[list]; n >= grid.least_members)
                lists.push_back({begin[list], n, 0, list});
        if (!lists.empty()) mark_near_grids(grid, lists);
        set_kinetic_by_flags(exec_.stream, query_, arrays_, grid.least_members);
        query_.with_motion = long_.with_motion = true;
    }

    void mark_near_grids(const GridChoice& grid, const std::vector<poisson::GridList>& lists)
    {
        auto& grids = scratch_.grids;
        if (!grids || grids->points() != grid.points || grids->search_radius() != grid.search_radius)
            grids = std::make_unique<poisson::PoissonGrids>(Backend::cuda, grid.points, grid.search_radius);
        const Body* const body = arrays_.image;
        const poisson::GridMembers members{&body->x, &body->y, &body->z, &body->mass,
                                           sizeof(Body) / sizeof(double)};
        const poisson::Extents extents{arrays_.summary->low, sizeof(ListSummary) / sizeof(std::uint64_t)};
        grids->mark_near(exec_.stream, {members, extents, lists}, scratch_.grid, arrays_.flag);
    }

    /// The active buckets, after candidates of the first n of these, or of all buckets (n = 0), were bounded.
    Index still_active(Index n)
    {
        drop_beaten(exec_.stream, long_, arrays_, n, few);
        select_flagged(exec_, most_segments(long_.members, bucket_size), arrays_.flag, arrays_.active,
                       arrays_.n_selected, memory_.scratch);
        return fetched(arrays_.n_selected);
    }

    /// Walks until every list has few candidates, or bounds are as tight as they get; those of a list that
    /// has not too many are summed. The walks for single candidates find in device memory what is left to do.
    /// `potential`: by the tree, of all members, which have bounds then; or null.
    void narrow(const Levels& levels, const double* potential)
    {
        Index n_active = 0;
        std::size_t next = 0;
        if (potential) {
            require_sums(long_.members.n_lists);
            bound_by_deepest(exec_.stream, long_, arrays_, potential);
            n_active = still_active(0);
            if (n_active == 0) return;
            next = after_potentials;
        }
        walk_densest(exec_.stream, long_, arrays_, levels);
        for (; next < std::size(tolerances); ++next) {
            walk(exec_.stream, long_, arrays_, levels, n_active, tolerances[next]);
            n_active = still_active(n_active);
            if (n_active == 0) return;
        }
        for (const PointWalk& points : point_walks) {
            walk_points(exec_.stream, long_, arrays_, levels, n_active, points);
            drop_beaten(exec_.stream, long_, arrays_, n_active, few_points);
        }
        flag_candidates(exec_.stream, long_, arrays_);
        const Index n = select_candidates(long_.members.n_members);
        require_sums(n);
        bound_by_sums(exec_.stream, long_, arrays_, n, {few_points, most_pairs});
    }

    void require_sums(Index n)
    {
        scratch_.sums.require(Backend::cuda, n * sizeof(PartialSum));
        arrays_.sum = reinterpret_cast<PartialSum*>(scratch_.sums.data());
    }

    void decide_candidates()
    {
        flag_candidates(exec_.stream, query_, arrays_);
        const Index n = select_candidates(query_.members.n_members);
        require_sums(n);
        decide(exec_.stream, query_, arrays_, n);
        times_.candidates = n;
    }

    /// Of members that are sorted. The trees are those of the lists up to the last that has one.
    /// `high`: takes bounds of these members, on request.
    void add_tree_potentials(const PotentialOutput& output, std::uint64_t longest, float* high)
    {
        if (longest < output.tree_members) return;
        const MembersView& lists = long_.members;
        const Levels levels = list_tree::levels_for(lists, longest);
        list_tree::ListTrees trees{lists, output.tree_members, levels, arrays_.frame, arrays_.body, {}};
        grow(scratch_.nodes, list_tree::cut_nodes(lists, levels, nullptr, trees.node));
        list_tree::cut_nodes(lists, levels, scratch_.nodes.data(), trees.node);
        list_tree::build_nodes(exec_, trees);
        list_tree::set_potentials(exec_, trees, arrays_.order, query_.softening, output.potential, high);
        set_time(times_.potentials);
    }

    /// What is flagged of the first places.
    Index select_candidates(std::uint64_t n_places)
    {
        select_flagged(exec_, n_places, arrays_.flag, arrays_.candidate, arrays_.n_selected, memory_.scratch);
        return fetched(arrays_.n_selected);
    }

    void set_ties(Index n, Members& ties) const
    {
        std::vector<Index> count(query_.members.n_lists);
        copy_bytes(exec_, count.data(), arrays_.count, count.size() * sizeof(Index));
        ties = {};
        ties.particle.resize(n);
        copy_bytes(exec_, ties.particle.data(), arrays_.order, n * sizeof(Index));
        for (const Index of_list : count) ties.begin.push_back(ties.begin.back() + of_list);
    }

    std::vector<FoundCentre> results() const
    {
        std::vector<FoundCentre> found(query_.members.n_lists);
        copy_bytes(exec_, found.data(), arrays_.found, found.size() * sizeof(FoundCentre));
        return found;
    }

    Exec exec_;
    CentreQuery query_;
    CentreQuery long_;  ///< of the lists up to the last that has a tree
    SearchMemory memory_{};
    SearchArrays& arrays_ = memory_.arrays;
    SortBuffers& pairs_ = memory_.pairs;
    SearchScratch& scratch_;
    SearchTimes& times_;
    std::chrono::steady_clock::time_point last_;
};

}  // namespace

std::vector<FoundCentre> CentreSearch::most_bound(CUstream_st* stream, const CentreQuery& query,
                                                  const GridChoice& grid, const PotentialOutput& potentials)
{
    times_ = {};
    return Search(stream, query, scratch_, times_).most_bound(grid, potentials);
}

std::vector<FoundCentre> CentreSearch::centres_of_mass(CUstream_st* stream, const CentreQuery& query,
                                                       bool shrinking)
{
    times_ = {};
    return Search(stream, query, scratch_, times_).centres_of_mass(shrinking);
}

std::vector<FoundCentre> CentreSearch::most_connected(CUstream_st* stream, const CentreQuery& query,
                                                      double length, Members& ties)
{
    times_ = {};
    return Search(stream, query, scratch_, times_).most_connected(length, ties);
}

bool CentreSearch::potentials(CUstream_st* stream, const CentreQuery& query,
                              const PotentialOutput& potentials)
{
    times_ = {};
    return Search(stream, query, scratch_, times_).potentials(potentials);
}

}  // namespace aureole::halo::centre_search
