#include "halo/substructure/hierarchy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "halo/copy_bytes.hpp"
#include "sim/core/memory/pages.hpp"

namespace aureole::halo {
namespace {

constexpr Index main_core_share = 20;
constexpr std::size_t most_branches_a_group = 2;  ///< usually: memory for more is taken when there are more

/// Whether two pieces lie farther apart than the scatter of their means explains.
bool are_distinct(const Moments& a, double n_a, const Moments& b, double n_b, double distinct)
{
    const auto variance = [&](double sigma_a, double sigma_b) {
        return sigma_a * sigma_a / n_a + sigma_b * sigma_b / n_b;
    };
    const Vec3 dx = a.position - b.position, dv = a.velocity - b.velocity;
    const double var_x = variance(a.size, b.size), var_v = variance(a.speed, b.speed);
    const auto squares = [](double d2, double var) { return d2 > 0 ? d2 / var : 0; };  // 1 / 0: distinct
    return squares(dot(dx, dx), var_x) + squares(dot(dv, dv), var_v) > distinct * distinct;
}

/// Parts of all pieces of a level, on the host.
struct Parts {
    std::vector<PartRow> row;
    std::vector<Moments> moments;
    std::vector<std::uint64_t> begin;

    Index length(std::size_t p) const { return static_cast<Index>(begin[p + 1] - begin[p]); }
};

/// Level after level.
class LevelSplitter {
public:
    LevelSplitter(Exec exec, const PhasePoints& points, const HierarchyConfig& config, Index* owner,
                  Arena& arena)
        : exec_(exec),
          points_(points),
          config_(config),
          owner_(owner),
          arena_(arena),
          point_(arena.take<Index>(points.n)),
          piece_(arena.take<Index>(points.n)),
          parted_(arena.take<Index>(points.n))
    {
    }

    BranchForest run(const Progress& progress)
    {
        begin();
        for (int level = 1; branch_of_.size() > 0; ++level) {
            progress.at(0, "groups in phase space");
            split(level);
        }
        return std::move(result_);
    }

private:
    /// Every group is a branch; those that can fall apart are pieces.
    void begin()
    {
        std::vector<std::uint64_t> begin(points_.n_groups + std::size_t{1});
        fetch_in_order(exec_, begin.data(), points_.begin, begin.size() * sizeof begin[0]);
        fill_identity(exec_, points_, owner_, point_, piece_);
        const Arena::Frame frame(arena_);
        const PointLists whole = make_lists(exec_, begin, point_, arena_);
        const std::vector<Moments> moments = moments_of(whole);
        result_.branch.reserve(most_branches_a_group * points_.n_groups);
        memory::touch_pages(result_.branch.data(), result_.branch.capacity() * sizeof(Branch));
        result_.core.reserve(points_.n_groups);
        branch_of_.reserve(points_.n_groups);
        for (Index g = 0; g < points_.n_groups; ++g) {
            result_.branch.push_back(
                {-1, 0, g, static_cast<Index>(begin[g + 1] - begin[g]), moments[g], {}, 0});
            result_.core.push_back({moments[g].position, moments[g].velocity});
            branch_of_.push_back(g);
        }
        begin_ = std::move(begin);
    }

    std::vector<Moments> moments_of(const PointLists& lists)
    {
        const Arena::Frame frame(arena_);
        auto* const row = arena_.take<Moments>(lists.n_lists);
        find_moments(exec_, points_, lists, arena_, row);
        std::vector<Moments> moments(lists.n_lists);
        fetch_in_order(exec_, moments.data(), row, moments.size() * sizeof(Moments));
        return moments;
    }

    void split(int level)
    {
        const Arena::Frame frame(arena_);
        const PointLists lists = make_lists(exec_, begin_, point_, arena_);
        const Index n = lists.n;
        Pieces pieces{lists, piece_, arena_.take<PhaseSite>(n)};
        auto* const moments = arena_.take<Moments>(lists.n_lists);
        find_moments(exec_, points_, lists, arena_, moments);
        scale_members(exec_, points_, pieces, moments);
        auto* const label = arena_.take<Index>(n);
        link_pieces(exec_, pieces, begin_, config_.linked_fraction, label, arena_);

        auto* const flag = arena_.take<std::uint8_t>(n);
        SortBuffers pairs{arena_.take<std::uint64_t>(n), arena_.take<std::uint64_t>(n), arena_.take<Index>(n),
                          arena_.take<Index>(n)};
        const Index n_left = long_parts(label, n, flag, pairs);
        if (n_left == 0) {
            branch_of_.clear();
            return;
        }
        Parts parts = parts_of(pieces, pairs, n_left, flag);
        follow(parts, level, label, flag, pairs);
    }

    /// Entries of long parts, part after part, in pairs.value; returns their number.
    Index long_parts(const Index* label, Index n, std::uint8_t* flag, SortBuffers& pairs)
    {
        const Arena::Frame frame(arena_);
        auto* const length = arena_.take<Index>(n);
        flag_long_parts(exec_, n, label, config_.min_piece, length, flag);
        const Index n_left = select_numbers(exec_, n, flag, pairs.value, arena_);
        auto* const scratch = arena_.take<std::byte>(sort_pairs_scratch_bytes(exec_.backend, n));
        key_by_part(exec_, label, n_left, pairs);
        sort_pairs(exec_, n_left, pairs, static_cast<int>(std::bit_width(n)), scratch);
        return n_left;
    }

    Parts parts_of(const Pieces& pieces, const SortBuffers& pairs, Index n_left, std::uint8_t* flag)
    {
        flag_beginnings(exec_, pairs.key, n_left, flag);
        const Index n_parts = select_numbers(exec_, n_left, flag, pairs.spare_value, arena_);
        Parts parts;
        parts.row.resize(n_parts);
        {
            const Arena::Frame frame(arena_);
            auto* const row = arena_.take<PartRow>(n_parts);
            fill_parts(exec_, pieces, pairs.value, pairs.spare_value, n_parts, row);
            fetch_in_order(exec_, parts.row.data(), row, n_parts * sizeof(PartRow));
        }
        for (const PartRow& row : parts.row) parts.begin.push_back(row.begin);
        parts.begin.push_back(n_left);
        gather_points(exec_, pairs.value, pieces.lists.point, n_left, parted_);
        const Arena::Frame frame(arena_);
        parts.moments = moments_of(make_lists(exec_, parts.begin, parted_, arena_));
        return parts;
    }

    /// Carries branches on with the longest part of each piece, and begins one for every other that is
    /// distinct.
    std::vector<PartFate> fates(const Parts& parts, int level, std::vector<Index>& branch_of,
                                std::vector<std::uint64_t>& begin)
    {
        const std::size_t n = parts.row.size();
        std::vector<PartFate> fate(n, {-1, -1});
        std::vector<std::int32_t> branch(n, -1);  // that goes on with the part
        std::vector<std::size_t> order;           // of the parts of a piece, the longest first
        for (std::size_t first = 0, end = 0; first < n; first = end) {
            const Index piece = parts.row[first].piece;
            while (end < n && parts.row[end].piece == piece) ++end;
            order.resize(end - first);
            std::iota(order.begin(), order.end(), first);
            std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
                return parts.length(a) != parts.length(b) ? parts.length(a) > parts.length(b) : a < b;
            });
            const std::size_t main = order.front();
            const auto old = static_cast<std::int32_t>(branch_of_[piece]);
            branch[main] = old;
            if (old < static_cast<std::int32_t>(points_.n_groups) &&
                parts.length(main) * std::size_t{main_core_share} >=
                    result_.branch[branch_of_[piece]].n_members)
                result_.core[static_cast<std::size_t>(old)] = {parts.moments[main].position,
                                                               parts.moments[main].velocity};
            for (const std::size_t p : std::span(order).subspan(1)) {
                if (!are_distinct(parts.moments[main], parts.length(main), parts.moments[p], parts.length(p),
                                  config_.distinct))
                    continue;
                branch[p] = fate[p].branch = static_cast<std::int32_t>(result_.branch.size());
                result_.branch.push_back({old, level, result_.branch[branch_of_[piece]].group,
                                          parts.length(p), parts.moments[p], parts.moments[main],
                                          parts.length(main)});
            }
        }
        begin.assign(1, 0);
        for (std::size_t p = 0; p < n; ++p) {
            // two parts need twice the members, and what has not shrunk never will
            const Index length = parts.length(p), piece = parts.row[p].piece;
            if (branch[p] < 0 || length < 2 * config_.min_piece ||
                length >= begin_[piece + 1] - begin_[piece])
                continue;
            fate[p].piece = static_cast<std::int32_t>(branch_of.size());
            branch_of.push_back(static_cast<Index>(branch[p]));
            begin.push_back(begin.back() + length);
        }
        return fate;
    }

    void follow(const Parts& parts, int level, Index* piece, std::uint8_t* flag, const SortBuffers& pairs)
    {
        std::vector<Index> branch_of;
        std::vector<std::uint64_t> begin;
        const std::vector<PartFate> fate = fates(parts, level, branch_of, begin);
        const Arena::Frame frame(arena_);
        const PointLists lists = make_lists(exec_, parts.begin, parted_, arena_);
        auto* const there = arena_.take<PartFate>(fate.size());
        copy_in_order(exec_, there, fate.data(), fate.size() * sizeof(PartFate));
        follow_parts(exec_, lists, there, owner_, flag, piece);
        const Index n_next = select_numbers(exec_, lists.n, flag, pairs.spare_value, arena_);
        gather_pieces(exec_, pairs.spare_value, n_next, parted_, piece, point_, piece_);
        branch_of_ = std::move(branch_of);
        begin_ = std::move(begin);
    }

    Exec exec_;
    PhasePoints points_;
    HierarchyConfig config_;
    Index* owner_;
    Arena& arena_;
    BranchForest result_;
    Index *point_, *piece_;             ///< of the present level
    Index* parted_;                     ///< points, part after part
    std::vector<Index> branch_of_;      ///< per piece
    std::vector<std::uint64_t> begin_;  ///< of the pieces
};

}  // namespace

BranchForest find_branches(Exec exec, const PhasePoints& points, const HierarchyConfig& config, Index* owner,
                           Arena& arena, const Progress& progress)
{
    const Arena::Frame frame(arena);
    return LevelSplitter(exec, points, config, owner, arena).run(progress);
}

void link_pieces(Exec exec, const Pieces& pieces, [[maybe_unused]] const std::vector<std::uint64_t>& begin,
                 double fraction, Index* label, [[maybe_unused]] Arena& arena)
{
    if (exec.backend == Backend::cpu) return link_pieces_cpu(pieces, fraction, label);
    if constexpr (with_cuda)
        link_pieces_cuda(exec.stream, pieces, begin, fraction, label, arena);
    else
        throw_not_built(exec.backend);
}

}  // namespace aureole::halo
