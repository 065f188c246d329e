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

/// In walk after walk a node may err by these parts of the deepest potential known.
constexpr float tolerances[] = {0.01f, 0.002f, 0.0004f, 0.00005f, 0.000005f, 0.0000005f};
constexpr Index few = 16;  ///< so many of a list are decided at once

class Search {
public:
    Search(CUstream_st* stream, const CentreQuery& query, Buffer<std::byte>& block, Buffer<std::byte>& sums,
           SearchTimes& times)
        : exec_{Backend::cuda, stream},
          query_(query),
          sums_(sums),
          times_(times),
          last_(std::chrono::steady_clock::now())
    {
        block.require(Backend::cuda, search_memory(query, nullptr).bytes);
        memory_ = search_memory(query, block.data());
    }

    std::vector<FoundCentre> most_bound()
    {
        const InputReport report = gathered();
        if (!has_centres(report)) return {};
        const Levels levels = levels_for(query_.members, report.longest);
        order(levels);
        set_time(times_.order);
        narrow(levels);
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

    bool potentials(std::size_t tree_members, double* potential)
    {
        if (!usable(gathered())) return false;
        frame_lists(exec_.stream, query_, arrays_);
        set_potentials(exec_.stream, query_, arrays_, tree_members, potential);
        set_time(times_.walk);
        return true;
    }

private:
    template <class T>
    T fetched(const T* from) const
    {
        T value;
        copy_bytes(exec_, &value, from, sizeof value);
        return value;
    }

    void set_time(double& seconds)
    {
        device::synchronize();
        const auto now = std::chrono::steady_clock::now();
        seconds = std::chrono::duration<double>(now - last_).count();
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

    /// Along the curve, in every list.
    void order_members()
    {
        const int list_bits = std::bit_width(query_.members.n_lists - 1u);
        const int axis_bits = axis_bits_below(query_.members.n_lists);
        frame_lists(exec_.stream, query_, arrays_);
        make_keys(exec_.stream, query_, arrays_, axis_bits, pairs_);
        sort_pairs(exec_, query_.members.n_members, pairs_, list_bits + 3 * axis_bits, memory_.scratch);
        arrays_.order = pairs_.value;
        place_bodies(exec_.stream, query_, arrays_);
    }

    void order(const Levels& levels)
    {
        order_members();
        if (query_.with_motion) set_kinetic(exec_.stream, query_, arrays_);
        build_nodes(exec_.stream, query_, arrays_, levels);
    }

    /// Walks until every list has few candidates, or bounds cannot be tightened.
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
            if (n_active == 0) break;
        }
    }

    void decide_candidates()
    {
        flag_candidates(exec_.stream, query_, arrays_);
        const Index n = select_candidates();
        sums_.require(Backend::cuda, n * sizeof(PartialSum));
        arrays_.sum = reinterpret_cast<PartialSum*>(sums_.data());
        decide(exec_.stream, query_, arrays_, n);
        times_.candidates = n;
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
    const CentreQuery& query_;
    SearchMemory memory_{};
    SearchArrays& arrays_ = memory_.arrays;
    SortBuffers& pairs_ = memory_.pairs;
    Buffer<std::byte>& sums_;
    SearchTimes& times_;
    std::chrono::steady_clock::time_point last_;
};

}  // namespace

std::vector<FoundCentre> CentreSearch::most_bound(CUstream_st* stream, const CentreQuery& query)
{
    times_ = {};
    return Search(stream, query, block_, sums_, times_).most_bound();
}

std::vector<FoundCentre> CentreSearch::centres_of_mass(CUstream_st* stream, const CentreQuery& query,
                                                       bool shrinking)
{
    times_ = {};
    return Search(stream, query, block_, sums_, times_).centres_of_mass(shrinking);
}

std::vector<FoundCentre> CentreSearch::most_connected(CUstream_st* stream, const CentreQuery& query,
                                                      double length, Members& ties)
{
    times_ = {};
    return Search(stream, query, block_, sums_, times_).most_connected(length, ties);
}

bool CentreSearch::potentials(CUstream_st* stream, const CentreQuery& query, std::size_t tree_members,
                              double* potential)
{
    times_ = {};
    return Search(stream, query, block_, sums_, times_).potentials(tree_members, potential);
}

}  // namespace aureole::halo::centre_search
