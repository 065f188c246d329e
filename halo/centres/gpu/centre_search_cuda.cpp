#include "halo/centres/gpu/centre_search.hpp"

#include <algorithm>
#include <bit>
#include <chrono>

#include "halo/centres/gpu/search_memory.hpp"
#include "halo/centres/gpu/search_steps.hpp"
#include "halo/copy_bytes.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo::centre_search {

namespace {

/// In walk after walk a node may err by these parts of the deepest potential known: in walks for buckets, and
/// in those for single candidates that follow.
constexpr float tolerances[] = {0.01f, 0.002f, 0.0004f, 0.00005f};
constexpr Index few = 16;        ///< so many of a list are decided at once
constexpr Index few_points = 4;  ///< the same where single candidates are walked for
constexpr PointWalk point_walks[] = {
    {1e-5f, few_points, 8}, {1e-6f, few_points, 32}, {1e-7f, few_points, 128}, {1e-8f, few_points, 512}};

class Search {
public:
    Search(CUstream_st* stream, const CentreQuery& query, SearchScratch& scratch, SearchTimes& times)
        : exec_{Backend::cuda, stream},
          query_(query),
          scratch_(scratch),
          times_(times),
          last_(std::chrono::steady_clock::now())
    {
        grow(scratch.block, search_memory(query, nullptr).bytes);
        memory_ = search_memory(query, scratch.block.data());
    }

    std::vector<FoundCentre> most_bound(const GridChoice& grid, const PotentialOutput& output)
    {
        if (grid.points > 0) query_.with_motion = false;  // no velocities are read
        const InputReport report = gathered();
        if (!has_centres(report)) return {};
        const Levels levels = levels_for(query_.members, report.longest);
        order(levels);
        set_time(times_.order);
        if (grid.points > 0) exclude_far_members(grid);
        set_time(times_.grid);
        narrow(levels);
        set_time(times_.walk);
        decide_candidates();
        std::vector<FoundCentre> found = results();
        set_time(times_.decide);
        if (output.potential) {
            add_pair_potentials(output);
            add_tree_potentials(output, report.longest);
        }
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
        const InputReport report = gathered();
        if (!has_centres(report)) return {};
        const Levels levels = levels_for(query_.members, report.longest);
        order(levels);
        set_time(times_.order);
        count_friends(exec_.stream, query_, arrays_, levels, length);
        const Index n = select_candidates();
        set_time(times_.walk);
        choose_most_connected(exec_.stream, query_, arrays_, n);
        set_ties(n, ties);
        std::vector<FoundCentre> found = results();
        set_time(times_.decide);
        return found;
    }

    bool potentials(const PotentialOutput& output)
    {
        const InputReport report = gathered();
        if (!usable(report)) return false;
        frame_lists(exec_.stream, query_, arrays_);
        add_pair_potentials(output);
        if (report.longest >= output.tree_members) {
            sort_members();
            add_tree_potentials(output, report.longest);
        }
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

    /// Along the curve, in every list that has its frame.
    void sort_members()
    {
        const int list_bits = std::bit_width(query_.members.n_lists - 1u);
        const int axis_bits = axis_bits_below(query_.members.n_lists);
        make_keys(exec_.stream, query_, arrays_, axis_bits, pairs_);
        sort_pairs(exec_, query_.members.n_members, pairs_, list_bits + 3 * axis_bits, memory_.scratch);
        arrays_.order = pairs_.value;
        place_bodies(exec_.stream, query_, arrays_);
    }

    void order(const Levels& levels)
    {
        frame_lists(exec_.stream, query_, arrays_);
        sort_members();
        if (query_.with_motion) set_kinetic(exec_.stream, query_, arrays_);
        build_nodes(exec_.stream, query_, arrays_, levels);
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
        query_.with_motion = true;
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

    /// Walks until every list has few candidates, or bounds are as tight as they get. The walks for single
    /// candidates find in device memory what is left to do.
    void narrow(const Levels& levels)
    {
        const std::uint64_t n_buckets = most_segments(query_.members, bucket_size);
        walk_densest(exec_.stream, query_, arrays_, levels);
        Index n_active = 0;
        for (const float tolerance : tolerances) {
            walk(exec_.stream, query_, arrays_, levels, n_active, tolerance);
            drop_beaten(exec_.stream, query_, arrays_, n_active, few);
            select_flagged(exec_, n_buckets, arrays_.flag, arrays_.active, arrays_.n_selected,
                           memory_.scratch);
            n_active = fetched(arrays_.n_selected);
            if (n_active == 0) return;
        }
        for (const PointWalk& points : point_walks) {
            walk_points(exec_.stream, query_, arrays_, levels, n_active, points);
            drop_beaten(exec_.stream, query_, arrays_, n_active, few_points);
        }
    }

    void decide_candidates()
    {
        flag_candidates(exec_.stream, query_, arrays_);
        const Index n = select_candidates();
        scratch_.sums.require(Backend::cuda, n * sizeof(PartialSum));
        arrays_.sum = reinterpret_cast<PartialSum*>(scratch_.sums.data());
        decide(exec_.stream, query_, arrays_, n);
        times_.candidates = n;
    }

    void add_pair_potentials(const PotentialOutput& output)
    {
        set_potentials(exec_.stream, query_, arrays_, output.tree_members, output.potential);
        set_time(times_.potentials);
    }

    /// Of members that are sorted. The trees are those of the lists up to the last that has one.
    void add_tree_potentials(const PotentialOutput& output, std::uint64_t longest)
    {
        if (longest < output.tree_members) return;
        find_last_tree(exec_.stream, query_, arrays_, output.tree_members);
        MembersView lists = query_.members;
        lists.n_lists = static_cast<Index>(fetched(arrays_.report).n_to_last_tree);
        if (lists.n_lists == 0) return;
        lists.n_members = fetched(lists.begin + lists.n_lists);
        const Levels levels = list_tree::levels_for(lists, longest);
        list_tree::ListTrees trees{lists, output.tree_members, levels, arrays_.frame, arrays_.body, {}};
        grow(scratch_.nodes, list_tree::cut_nodes(lists, levels, nullptr, trees.node));
        list_tree::cut_nodes(lists, levels, scratch_.nodes.data(), trees.node);
        list_tree::build_nodes(exec_, trees);
        list_tree::set_potentials(exec_, trees, arrays_.order, query_.softening, output.potential);
        set_time(times_.potentials);
    }

    /// What is flagged.
    Index select_candidates()
    {
        select_flagged(exec_, query_.members.n_members, arrays_.flag, arrays_.candidate, arrays_.n_selected,
                       memory_.scratch);
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
