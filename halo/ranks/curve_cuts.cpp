#include "halo/ranks/curve_cuts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/core/buffer.hpp"
#include "sim/core/spatial/curve_keys.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {
namespace {

using Counts = std::vector<std::uint64_t>;

/// How many keys of all parts lie below each of the bounds.
Counts number_below(comm::Parts& parts, const std::vector<SortedKeys>& held, const Counts& bounds)
{
    std::vector<Counts> of_part;
    for (const SortedKeys& keys : held) {
        Counts& counts = of_part.emplace_back();
        for (const std::uint64_t bound : bounds) counts.push_back(keys.number_below(bound));
    }
    return parts.all_reduce(of_part, comm::Reduction::sum);
}

std::uint64_t difference(std::uint64_t a, std::uint64_t b) { return a < b ? b - a : a - b; }

/// Finds all cuts at once, three bits of each in a round: the highest keys with at most so many below them as
/// wanted.
class CutSearch {
public:
    CutSearch(comm::Parts& parts, const std::vector<SortedKeys>& held) : parts_(parts), held_(held)
    {
        const auto n_parts = static_cast<std::uint64_t>(parts.size());
        const std::uint64_t n = number_below(parts, held, {~std::uint64_t{0}})[0];
        tolerance_ = n / n_parts / 128;
        for (std::uint64_t cut = 1; cut < n_parts; ++cut)
            wanted_.push_back(n / n_parts * cut + n % n_parts * cut / n_parts);
        cut_.resize(wanted_.size());
        below_.resize(wanted_.size());
    }

    Counts cuts()
    {
        for (int shift = 3 * key_bits - bits; shift >= 0 && !are_near(); shift -= bits) refine(shift);
        if (!are_near()) pass_heavy_keys();
        return cut_;
    }

private:
    static constexpr int bits = 3;
    static constexpr std::uint64_t digits = 1 << bits;

    bool are_near() const
    {
        for (std::size_t c = 0; c < cut_.size(); ++c)
            if (difference(below_[c], wanted_[c]) > tolerance_) return false;
        return true;
    }

    void refine(int shift)
    {
        Counts bounds;
        for (const std::uint64_t cut : cut_)
            for (std::uint64_t digit = 1; digit < digits; ++digit) bounds.push_back(cut + (digit << shift));
        const Counts below = number_below(parts_, held_, bounds);
        for (std::size_t k = 0; k < bounds.size(); ++k) {
            const std::size_t c = k / (digits - 1);
            if (below[k] > wanted_[c]) continue;
            cut_[c] = bounds[k];  // bounds of one cut rise
            below_[c] = below[k];
        }
    }

    /// Keys that many points share go to the side where they disturb less.
    void pass_heavy_keys()
    {
        Counts behind = cut_;
        for (std::uint64_t& cut : behind) ++cut;
        const Counts below = number_below(parts_, held_, behind);
        for (std::size_t c = 0; c < cut_.size(); ++c)
            if (difference(below[c], wanted_[c]) < difference(below_[c], wanted_[c])) cut_[c] = behind[c];
    }

    comm::Parts& parts_;
    const std::vector<SortedKeys>& held_;
    std::uint64_t tolerance_ = 0;
    Counts wanted_;       ///< keys below each cut
    Counts cut_, below_;  ///< so far, and keys below
};

}  // namespace

std::uint64_t CurveFrame::key(Vec3 x) const
{
    const Vec3 d = cells_per_length * (x - low);
    std::uint32_t cell[3] = {cell_number(d.x, key_bits), cell_number(d.y, key_bits),
                             cell_number(d.z, key_bits)};
    return hilbert_key(cell, key_bits);
}

SortedKeys SortedKeys::of(std::vector<std::uint64_t> keys)
{
    const std::size_t n = keys.size();
    std::vector<Index> place(n);
    std::iota(place.begin(), place.end(), Index{0});
    if (std::ranges::is_sorted(keys)) return {std::move(keys), std::move(place)};
    std::vector<std::uint64_t> spare(n);
    std::vector<Index> spare_place(n);
    Buffer<std::byte> scratch(Backend::cpu, sort_pairs_scratch_bytes(Backend::cpu, n));
    SortBuffers pairs{keys.data(), spare.data(), place.data(), spare_place.data()};
    sort_pairs({}, n, pairs, 3 * key_bits, scratch.data());
    return {std::move(pairs.key == spare.data() ? spare : keys),
            std::move(pairs.value == spare_place.data() ? spare_place : place)};
}

std::uint64_t SortedKeys::number_below(std::uint64_t bound) const
{
    return static_cast<std::uint64_t>(std::ranges::lower_bound(key, bound) - key.begin());
}

std::vector<std::uint64_t> even_cuts(comm::Parts& parts, const std::vector<SortedKeys>& held)
{
    return CutSearch(parts, held).cuts();
}

}  // namespace aureole::halo
