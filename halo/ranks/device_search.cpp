// Phases, with exchanges between them:
//  1. survey: extent, largest id (agreed by minima and maxima); samples of keys along a Hilbert curve, by
//     which all ranks make the same cuts;
//  2. particles become entries in the order of parts, with ghosts (halo/parts/entry_maker.hpp), and travel;
//  3. with min_friends, owners tell which of their shared points are core ones;
//  4. each rank links its part; all join heads and shared points in the same way (group_heads.hpp);
//  5. labels travel home, in the order in which entries came.
#include "halo/ranks/device_search.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "halo/fof/fof_checks.hpp"
#include "halo/parts/entry_maker.hpp"
#include "halo/parts/group_heads.hpp"
#include "halo/parts/particle_source.hpp"
#include "halo/parts/parts_finder.hpp"
#include "halo/ranks/device_loops.hpp"
#include "sim/comm/agreed.hpp"
#include "sim/core/spatial/ordered_bits.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {
namespace {

using comm::agreed;
using Clock = std::chrono::steady_clock;
using Begins = std::vector<std::size_t>;  ///< where what belongs to each rank begins, and the end

/// Lowest, highest and the rest of all ranks.
void agree_on(comm::Communicator& ranks, bool empty, ParticleScan& scan)
{
    FofExtent& e = scan.extent;
    Vec3* const low[] = {&e.low, &e.low_velocity};
    Vec3* const high[] = {&e.high, &e.high_velocity};
    std::vector<std::uint64_t> lowest, highest;
    for (int k = 0; k < 2; ++k)
        for (double Vec3::*axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
            lowest.push_back(empty ? ~std::uint64_t{0} : ordered_bits(low[k]->*axis));
            highest.push_back(empty ? 0 : ordered_bits(high[k]->*axis));
        }
    lowest.push_back(empty || scan.all_link ? 1 : 0);
    highest.push_back(scan.largest_id);
    ranks.all_reduce(lowest, comm::Reduction::min);
    ranks.all_reduce(highest, comm::Reduction::max);
    std::size_t at = 0;
    for (int k = 0; k < 2; ++k)
        for (double Vec3::*axis : {&Vec3::x, &Vec3::y, &Vec3::z}) {
            low[k]->*axis = from_ordered_bits(lowest[at]);
            high[k]->*axis = from_ordered_bits(highest[at++]);
        }
    scan.all_link = lowest[at] == 1;
    scan.largest_id = highest[at];
}

Begins begins_of(const std::vector<std::uint64_t>& counts)
{
    Begins begin{0};
    for (const std::uint64_t n : counts) begin.push_back(begin.back() + n);
    return begin;
}

/// What is used again from search to search.
struct SearchScratch {
    SpaceCuts cuts;
    EntryMaker::Scratch entries;
    PartLinker::Scratch linking;
    GroupHeads::Scratch groups;
    HeadSet joined;
    Buffer<std::byte> left, arrived;
    Buffer<std::uint8_t> core, returned_core, own_core;
    Buffer<std::int32_t> returned_label, own_label;
};

/// One search.
class Search {
public:
    Search(comm::Communicator& ranks, comm::DeviceMoves& moves, Exec exec, const FofConfig& config,
           SearchScratch& scratch)
        : ranks_(ranks), moves_(moves), exec_(exec), config_(config), scratch_(scratch)
    {
    }

    void survey(const ConstParticlesView& own);
    void move_entries();
    void link();
    void join();
    void label(Index n_own);

    const GroupsView& groups() const { return groups_; }
    std::size_t n_entries() const { return n_; }

private:
    std::size_t rank() const { return static_cast<std::size_t>(ranks_.rank()); }
    std::size_t size() const { return static_cast<std::size_t>(ranks_.size()); }

    /// Runs of `out` by rank to runs of `in`.
    template <class T>
    void prepare_exchange(const T* out, const Begins& out_begin, T* in, const Begins& in_begin)
    {
        for (std::size_t r = 0; r < size(); ++r)
            prepared_.push_back({out + out_begin[r], (out_begin[r + 1] - out_begin[r]) * sizeof(T),
                                 in + in_begin[r], (in_begin[r + 1] - in_begin[r]) * sizeof(T)});
    }
    /// The same array to all ranks, theirs one after the other.
    template <class T>
    void prepare_gather(const T* own, T* all, const Begins& begin)
    {
        const std::size_t bytes = (begin[rank() + 1] - begin[rank()]) * sizeof(T);
        for (std::size_t r = 0; r < size(); ++r)
            prepared_.push_back({own, bytes, all + begin[r], (begin[r + 1] - begin[r]) * sizeof(T)});
    }
    /// All that has been prepared, together.
    void exchange() { moves_.exchange(exec_.stream, std::exchange(prepared_, {})); }
    void share_core_flags();

    comm::Communicator& ranks_;
    comm::DeviceMoves& moves_;
    Exec exec_;
    FofConfig config_;
    SearchScratch& scratch_;

    ParticleScan scan_;
    std::uint64_t n_all_ = 0, n_shared_ = 0;
    Index first_index_ = 0;
    bool has_ids_ = false;
    EntryKind kind_;
    Batch batch_;
    EntryArrays entries_;
    Begins in_begin_{0};
    std::size_t n_ = 0;  ///< entries of the own part
    std::optional<PartLinker> linker_;
    std::optional<GroupHeads> heads_;
    GroupsView groups_{};
    std::vector<comm::Exchanged> prepared_;
};

void Search::survey(const ConstParticlesView& own)
{
    std::uint64_t sums[2] = {own.n, own.id ? own.n : 0u};
    const std::uint64_t first = ranks_.exclusive_sum(own.n);
    ranks_.all_reduce(sums, comm::Reduction::sum);
    n_all_ = sums[0];
    has_ids_ = sums[1] > 0;
    first_index_ = static_cast<Index>(first);

    std::optional<ParticleSource> source;
    ConstParticlesView there{};
    agreed(ranks_, [&] {
        AUREOLE_EXPECT(n_all_ <= max_particles,
                       "{} particles of all ranks, expected less than 2^32 where they are searched on GPUs",
                       n_all_);
        AUREOLE_EXPECT(sums[1] == 0 || sums[1] == n_all_,
                       "{} of {} particles have ids, expected all or none of all ranks", sums[1], n_all_);
        if (own.n == 0) return;
        source.emplace(exec_, own, config_, own.n, first_index_);
        scan_ = source->scan();
        there = source->batch(0, scan_);
    });
    agree_on(ranks_, own.n == 0, scan_);
    SpaceCuts& cuts = scratch_.cuts;
    cuts.set_space(config_.box, scan_.extent.low, scan_.extent.high, config_.linking_length);
    const auto stride = static_cast<Index>(std::max<std::uint64_t>(1, n_all_ / most_samples));
    std::vector<std::uint64_t> sample;
    agreed(ranks_, [&] { sample = cuts.sample(exec_, there, stride); });
    const std::vector<std::uint64_t> samples = comm::gathered(ranks_, sample);
    agreed(ranks_, [&] { cuts.cut_by(exec_, samples, ranks_.size(), own.n); });

    const bool pairs_alone = config_.min_friends <= 1 && scan_.all_link;
    kind_ = {in_phase_space(config_), has_ids_ || !pairs_alone};
    batch_.begin.assign(size() + 1, 0);
    agreed(ranks_, [&] {
        if (own.n == 0) return;
        EntryMaker maker(exec_, cuts, config_, kind_,
                         pairs_alone ? EntryMaker::Ghosts::of_later : EntryMaker::Ghosts::of_all,
                         scratch_.entries);
        batch_ = maker.make(there, first_index_, scratch_.left);
        batch_.begin.resize(size() + 1, batch_.n);  // domains that no sample has cut are empty
    });
}

void Search::move_entries()
{
    std::vector<std::uint64_t> own;
    for (std::size_t r = 0; r < size(); ++r) own.push_back(batch_.begin[r + 1] - batch_.begin[r]);
    own.push_back(batch_.n_ghosts);
    const std::vector<std::uint64_t> all = comm::gathered(ranks_, own);
    std::vector<std::uint64_t> counts;
    for (std::size_t r = 0; r < size(); ++r) {
        counts.push_back(all[r * (size() + 1) + rank()]);
        n_shared_ += 2 * all[r * (size() + 1) + size()];
    }
    in_begin_ = begins_of(counts);
    n_ = in_begin_.back();
    agreed(ranks_, [&] {
        AUREOLE_EXPECT(n_ <= max_particles, "{} particles in one domain, expected less than 2^32", n_);
        // never null: all ranks exchange the same arrays
        scratch_.arrived.require(exec_.backend, bytes_of_entries(n_, kind_) + 1);
    });
    entries_ = entry_arrays(scratch_.arrived.data(), n_, kind_);
    EntryArrays out = batch_.entries;
    if (batch_.n == 0) out = entries_;  // nothing of it goes: any place
    for_each_array(entries_, out,
                   [&](auto* to, const auto* from) { prepare_exchange(from, batch_.begin, to, in_begin_); });
    exchange();
    entries_.place = nullptr;  // labels lie as the entries do
}

/// All ranks hear the indices of shared core points.
void Search::share_core_flags()
{
    const auto n = static_cast<Index>(n_);
    std::vector<Index> own(1, 0);
    agreed(ranks_, [&] {
        Buffer<std::uint8_t> flag(exec_.backend, n_);
        Buffer<Index> list(exec_.backend, 2 * n_ + 1);
        Buffer<std::byte> scratch(exec_.backend, select_flagged_scratch_bytes(exec_.backend, n_));
        Index* const count = list.data() + 2 * n_;
        flag_shared_core(exec_, entries_, n, scratch_.core.data(), flag.data());
        if (n > 0) {
            select_flagged(exec_, n_, flag.data(), list.data(), count, scratch.data());
            fetch_in_order(exec_, own.data(), count, sizeof(Index));
        }
        own.resize(own[0]);
        list_indices(exec_, entries_, list.data(), static_cast<Index>(own.size()), list.data() + n_);
        fetch_in_order(exec_, own.data(), list.data() + n_, own.size() * sizeof(Index));
        if (exec_.backend == Backend::cuda) device::wait(exec_.stream);
    });
    std::vector<Index> all = comm::gathered(ranks_, own);
    agreed(ranks_, [&] {
        std::ranges::sort(all);
        Buffer<Index> rising(exec_.backend, std::span<const Index>(all));
        flag_core_ghosts(exec_, entries_, n, rising.data(), static_cast<Index>(all.size()),
                         scratch_.core.data());
        if (exec_.backend == Backend::cuda) device::wait(exec_.stream);
    });
}

void Search::link()
{
    const auto n = static_cast<Index>(n_);
    const bool counts_friends = config_.min_friends > 1;
    agreed(ranks_, [&] {
        linker_.emplace(exec_, config_, scan_.extent, scan_.all_link, n_, scratch_.linking);
        if (!counts_friends && !config_.core_flags) return;
        scratch_.core.require(exec_.backend, n_);
        if (counts_friends)
            linker_->flag_core(entries_, n, scratch_.core.data());
        else
            flag_linking_points(exec_, entries_, n, scratch_.core.data());
    });
    if (counts_friends) share_core_flags();
    agreed(ranks_, [&] {
        const std::size_t known = std::min<std::size_t>(n_, n_shared_);
        heads_.emplace(exec_, HeadSizes{n_all_, n_, n_, known}, config_,
                       Ids{nullptr, has_ids_ ? scan_.largest_id : 0}, scratch_.groups);
        const LinkedPart part = linker_->link(entries_, n, counts_friends ? scratch_.core.data() : nullptr);
        if (part.n > 0) heads_->add(part);
    });
    linker_.reset();
}

void Search::join()
{
    HeadSet& own = heads_->heads();
    const auto all = comm::gathered(ranks_, std::vector<std::uint64_t>{own.n_heads, own.n_shared});
    std::vector<std::uint64_t> n_heads, n_shared;
    for (std::size_t r = 0; r < size(); ++r) {
        n_heads.push_back(all[2 * r]);
        n_shared.push_back(all[2 * r + 1]);
    }
    const Begins heads = begins_of(n_heads), shared = begins_of(n_shared);
    HeadSet& joined = scratch_.joined;
    const auto first = static_cast<Index>(heads[rank()]);
    agreed(ranks_, [&] {
        joined.empty(exec_.backend, heads.back(), shared.back());
        shift_heads(exec_, own.n_shared, first, own.shared_head.data());
    });
    joined.n_heads = static_cast<Index>(heads.back());
    joined.n_shared = static_cast<Index>(shared.back());
    prepare_gather(own.n_members.data(), joined.n_members.data(), heads);
    if (has_ids_) prepare_gather(own.smallest_id.data(), joined.smallest_id.data(), heads);
    prepare_gather(own.smallest_index.data(), joined.smallest_index.data(), heads);
    prepare_gather(own.shared_index.data(), joined.shared_index.data(), shared);
    prepare_gather(own.shared_head.data(), joined.shared_head.data(), shared);
    exchange();
    agreed(ranks_, [&] {
        heads_->take_all(joined, first);
        groups_ = heads_->finish();
    });
}

void Search::label(Index n_own)
{
    SearchScratch& s = scratch_;
    const auto n_left = static_cast<Index>(batch_.n);
    agreed(ranks_, [&] {
        s.returned_label.require(exec_.backend, batch_.n);
        s.own_label.require(exec_.backend, n_own);
        if (!config_.core_flags) return;
        s.returned_core.require(exec_.backend, batch_.n);
        s.own_core.require(exec_.backend, n_own);
    });
    prepare_exchange(groups_.label, in_begin_, s.returned_label.data(), batch_.begin);
    if (config_.core_flags)
        prepare_exchange(static_cast<const std::uint8_t*>(s.core.data()), in_begin_, s.returned_core.data(),
                         batch_.begin);
    exchange();
    take_home(exec_, batch_.entries, n_left, first_index_, s.returned_label.data(), s.own_label.data());
    if (config_.core_flags) {
        take_home(exec_, batch_.entries, n_left, first_index_, s.returned_core.data(), s.own_core.data());
        groups_.core = s.own_core.data();
    }
    groups_.n = n_own;
    groups_.label = s.own_label.data();
}

}  // namespace

struct DeviceSearch::State {
    comm::Communicator& ranks;
    comm::DeviceMoves& moves;
    SearchScratch scratch;
    DeviceSearchTimes times;
};

DeviceSearch::DeviceSearch(comm::Communicator& ranks, comm::DeviceMoves& moves)
    : state_(new State{ranks, moves, {}, {}})
{
}
DeviceSearch::~DeviceSearch() = default;

const DeviceSearchTimes& DeviceSearch::times() const { return state_->times; }

GroupsView DeviceSearch::find(Exec exec, const ConstParticlesView& own, const FofConfig& config)
{
    State& s = *state_;
    agreed(s.ranks, [&] {
        expect_possible_by_parts(config);
        AUREOLE_EXPECT(s.ranks.size() <= most_parts, "{} ranks, expected at most {} where GPUs find groups",
                       s.ranks.size(), most_parts);
        if (own.n > 0) expect_read_arrays(own.where, own, config);
    });
    s.times = {};
    const std::uint64_t before = s.moves.moved_bytes();
    Clock::time_point last = Clock::now();
    const auto clock = [&](double& seconds) {
        if (exec.backend == Backend::cuda) device::wait(exec.stream);
        seconds = std::chrono::duration<double>(Clock::now() - last).count();
        last = Clock::now();
    };
    Search search(s.ranks, s.moves, exec, config, s.scratch);
    search.survey(own);
    clock(s.times.cut);
    search.move_entries();
    clock(s.times.move);
    search.link();
    clock(s.times.link);
    search.join();
    search.label(own.n);
    clock(s.times.label);
    s.times.n_entries = search.n_entries();
    s.times.moved_bytes = s.moves.moved_bytes() - before;
    return search.groups();
}

}  // namespace aureole::halo
