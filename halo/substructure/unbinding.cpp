#include "halo/substructure/unbinding.hpp"

#include <algorithm>

#include "halo/copy_bytes.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {
namespace {

constexpr Index no_list = ~Index{0};

/// Potentials are summed anew once a list has lost more than this part of the members that they were last
/// summed for. Until then what left is taken off: errors of the tree, of parts of the whole, stay as small.
constexpr Index most_lost_share = 2;

/// What the host decides in an iteration, one array after the other.
struct Decisions {
    std::uint64_t* begin;         ///< of the lists that go on, and the end
    std::uint64_t* source_begin;  ///< of their sources, and the end
    Index* new_list;              ///< per list: its number among those that go on, or no_list
    Verdicts verdicts;
    std::uint8_t* renewed;  ///< per list that goes on

    Decisions(std::byte* block, Index n_lists)
        : begin(reinterpret_cast<std::uint64_t*>(block)),
          source_begin(begin + n_lists + 1),
          new_list(reinterpret_cast<Index*>(source_begin + n_lists + 1)),
          verdicts{reinterpret_cast<Verdict*>(new_list + n_lists), nullptr, nullptr}
    {
        verdicts.all_leave = reinterpret_cast<std::uint8_t*>(verdicts.verdict + n_lists);
        verdicts.renews = verdicts.all_leave + n_lists;
        renewed = verdicts.renews + n_lists;
    }
    static std::size_t bytes(std::size_t n_lists)
    {
        return 2 * sizeof(std::uint64_t) +
               n_lists * (2 * sizeof(std::uint64_t) + sizeof(Index) + sizeof(Verdict) + 3);
    }
};

/// Iterations over what is left, in two sets of arrays in turn.
class Unbinding {
public:
    Unbinding(const UnbindingTask& task, const UnbindingConfig& config, Arena& arena)
        : task_(task),
          config_(config),
          arena_(arena),
          left_(task.input.n_lists),
          state_{new_state(), new_state()},
          order_(arena.take<Index>(task.input.n)),
          flag_(arena.take<std::uint8_t>(task.input.n)),
          source_flag_(arena.take<std::uint8_t>(task.input.n)),
          selected_(arena.take<Index>(task.input.n)),
          n_selected_(arena.take<Index>(1)),
          scratch_(arena.take<std::byte>(select_flagged_scratch_bytes(task.exec.backend, task.input.n))),
          count_(arena.take<UnboundCount>(task.input.n_lists)),
          decisions_{arena.take<std::byte>(Decisions::bytes(task.input.n_lists)),
                     arena.take<std::byte>(Decisions::bytes(task.input.n_lists))}
    {
    }

    void run(const Progress& progress)
    {
        find_frames(task_, config_.softening, arena_);
        UnbindingState& first = state_[0];
        first.lists = task_.input;
        first.lists.point = first.point;
        order_along_curves(task_, first, arena_);
        row_.resize(first.lists.n_lists);
        begin_.resize(first.lists.n_lists + 1);
        fetch_in_order(task_.exec, begin_.data(), first.lists.begin, begin_.size() * sizeof begin_[0]);
        summed_for_.resize(first.lists.n_lists);
        for (Index l = 0; l < first.lists.n_lists; ++l) {
            row_[l] = l;
            summed_for_[l] = static_cast<Index>(begin_[l + 1] - begin_[l]);
        }
        find_potentials_of(first, {first.lists, first.body, nullptr});
        set_energies(task_, first, false);
        find_cores(task_, first, order_, arena_);
        for (int turn = 0; state_[turn].lists.n_lists > 0; turn = 1 - turn) {
            progress.at(0, "subhalos of large groups");
            iterate(state_[turn], state_[1 - turn], decisions_[turn]);
        }
    }

    /// Of members that were kept, per list.
    const std::vector<Index>& left() const { return left_; }

private:
    UnbindingState new_state()
    {
        const Index n = task_.input.n, n_lists = task_.input.n_lists;
        UnbindingState state{};
        state.point = arena_.take<Index>(n);
        state.slot = arena_.take<Index>(n);
        state.body = arena_.take<ForceBody>(n);
        state.potential = arena_.take<float>(n);
        state.energy = arena_.take<float>(n);
        state.list = arena_.take<Index>(n);
        state.row = arena_.take<Index>(n_lists);
        state.leaves = arena_.take<std::uint8_t>(n);
        return state;
    }

    void find_potentials_of(const UnbindingState& state, const ForceSources& sources)
    {
        const Arena::Frame frame(arena_);
        auto* const eps2 = arena_.take<float>(state.lists.n_lists);
        gather_softening(task_, state, eps2);
        ForceLists forces{{state.lists.view(), state.body},
                          {sources.lists.view(), sources.body},
                          sources.renewed,
                          eps2,
                          state.potential};
        take_force_nodes(forces, sources.lists.longest, arena_);
        find_potentials(task_.exec, forces);
    }

    /// `there`: memory for the decisions, which `next` goes on reading.
    void iterate(UnbindingState& state, UnbindingState& next, std::byte* there)
    {
        const Arena::Frame frame(arena_);
        set_energies(task_, state, true);
        find_cores(task_, state, order_, arena_);
        find_unbound(task_, state, order_, count_);
        const Decisions decisions = judge(state, there);
        apply_verdicts(task_, state, decisions.verdicts, flag_, source_flag_);
        select_flagged(task_.exec, state.lists.n, flag_, selected_, n_selected_, scratch_);
        next.lists = {static_cast<Index>(begin_.back()), static_cast<Index>(row_.size()), longest_,
                      decisions.begin, next.point};
        if (row_.empty()) return;
        gather_rest(task_, state, selected_, next, decisions.new_list);
        select_flagged(task_.exec, state.lists.n, source_flag_, selected_, n_selected_, scratch_);
        const ForceSources sources{
            {n_sources_, next.lists.n_lists, most_sources_, decisions.source_begin, nullptr},
            arena_.take<ForceBody>(n_sources_),
            decisions.renewed};
        gather_sources(task_.exec, state, selected_, sources);
        find_potentials_of(next, sources);
    }

    /// Decides on the host what becomes of each list; `begin_` and `row_` become those of the lists that go
    /// on. The decisions go where the lists are, in one copy.
    Decisions judge(const UnbindingState& state, std::byte* there)
    {
        const Index n = state.lists.n_lists;
        std::vector<UnboundCount> count(n);
        fetch_in_order(task_.exec, count.data(), count_, n * sizeof(UnboundCount));
        std::vector<std::byte> here(Decisions::bytes(n));
        const Decisions decisions(here.data(), n);
        std::vector<Index> row;
        std::vector<std::uint64_t> begin{0};
        longest_ = most_sources_ = n_sources_ = 0;
        decisions.source_begin[0] = 0;
        for (Index l = 0; l < n; ++l) {
            const auto length = static_cast<Index>(begin_[l + 1] - begin_[l]);
            if (!config_.remove) count[l] = {0, 0};
            // the worst of the energies about the last velocity may be bound about this one
            const bool all = count[l].leaving == 0;
            const Index leaving = all ? count[l].unbound : count[l].leaving, left = length - leaving;
            const Verdict verdict = verdict_on(length, leaving);
            decisions.verdicts.all_leave[l] = all;
            decisions.verdicts.verdict[l] = verdict;
            decisions.verdicts.renews[l] = 0;
            decisions.new_list[l] = no_list;
            left_[row_[l]] = verdict == Verdict::keeps_nothing ? 0 : left;
            if (verdict != Verdict::goes_on) continue;
            const bool renews = renews_potentials(row_[l], left);
            decisions.verdicts.renews[l] = decisions.renewed[row.size()] = renews;
            const Index sources = renews ? left : leaving;
            n_sources_ += sources;
            most_sources_ = std::max(most_sources_, sources);
            decisions.new_list[l] = static_cast<Index>(row.size());
            row.push_back(row_[l]);
            decisions.source_begin[row.size()] = n_sources_;
            begin.push_back(begin.back() + left);
            longest_ = std::max<std::uint64_t>(longest_, left);
        }
        std::ranges::copy(begin, decisions.begin);
        copy_in_order(task_.exec, there, here.data(), here.size());
        begin_ = std::move(begin);
        row_ = std::move(row);
        return {there, n};
    }

    /// Of the list of the input, of which so many are left.
    bool renews_potentials(Index row, Index left)
    {
        if (left >= summed_for_[row] - summed_for_[row] / most_lost_share) return false;
        summed_for_[row] = left;
        return true;
    }

    Verdict verdict_on(Index length, Index leaving) const
    {
        if (length - leaving < std::max<std::size_t>(config_.least, 1)) return Verdict::keeps_nothing;
        if (leaving == 0) return Verdict::keeps_all;
        if (static_cast<double>(leaving) <= config_.last_part * static_cast<double>(length))
            return Verdict::ends_without;
        return Verdict::goes_on;
    }

    UnbindingTask task_;
    UnbindingConfig config_;
    Arena& arena_;
    std::vector<Index> left_;
    UnbindingState state_[2];
    std::vector<std::uint64_t> begin_;
    std::vector<Index> row_;
    std::vector<Index> summed_for_;  ///< per list of the input: members when potentials were last summed
    std::uint64_t longest_ = 0;
    Index n_sources_ = 0, most_sources_ = 0;  ///< of all lists that go on, of one
    Index* order_;
    std::uint8_t *flag_, *source_flag_;
    Index *selected_, *n_selected_;
    std::byte* scratch_;
    UnboundCount* count_;
    std::byte* decisions_[2];
};

}  // namespace

std::vector<BoundList> unbind(Exec exec, const PhasePoints& points, const PointLists& lists,
                              const UnbindingConfig& config, const BoundEntries& result, Arena& arena,
                              const Progress& progress)
{
    std::vector<BoundList> rows(lists.n_lists);
    if (lists.n == 0) return rows;
    const Arena::Frame frame(arena);
    UnbindingTask task{exec,
                       points,
                       lists,
                       arena.take<segments::ListFrame>(lists.n_lists),
                       arena.take<float>(lists.n_lists),
                       arena.take<PhaseCentre>(lists.n_lists),
                       result};
    Unbinding unbinding(task, config, arena);
    unbinding.run(progress);
    std::vector<PhaseCentre> centre(lists.n_lists);
    fetch_in_order(exec, centre.data(), task.centre, centre.size() * sizeof(PhaseCentre));
    for (std::size_t l = 0; l < rows.size(); ++l) rows[l] = {unbinding.left()[l], centre[l]};
    return rows;
}

}  // namespace aureole::halo
