#include "gravity/ranks/domains/cuts.hpp"

#include <algorithm>

#include "sim/core/error.hpp"

namespace aureole::gravity::domains {
namespace {

constexpr int all_bits = 63, round_bits = 10;
constexpr std::size_t bins = std::size_t{1} << round_bits;

/// Bits of a key below those of a round; the last round has fewer bits than the others.
constexpr int bits_below(int round) { return std::max(0, all_bits - round_bits * (round + 1)); }
constexpr std::size_t digits(int round)
{
    return std::size_t{1} << (all_bits - round_bits * round - bits_below(round));
}
constexpr std::size_t digit_of(std::uint64_t key, int round)
{
    return static_cast<std::size_t>(key >> bits_below(round)) & (digits(round) - 1);
}

/// Prefixes of keys that a cut lies in: node 0 has none of the bits, a child one more digit.
class Prefixes {
public:
    Prefixes() { add(); }

    std::size_t size() const { return child_.size() / bins; }

    std::size_t child(std::size_t node, std::size_t digit)
    {
        if (child_[node * bins + digit] == 0) {
            const auto fresh = static_cast<std::uint32_t>(add());
            child_[node * bins + digit] = fresh;
        }
        return child_[node * bins + digit];
    }

    /// The node of a key after so many rounds, or size() where no cut is in its prefix.
    std::size_t find(std::uint64_t key, int rounds) const
    {
        std::size_t node = 0;
        for (int round = 0; round < rounds; ++round) {
            node = child_[node * bins + digit_of(key, round)];
            if (node == 0) return size();
        }
        return node;
    }

private:
    std::size_t add()
    {
        child_.resize(child_.size() + bins);
        return size() - 1;
    }
    std::vector<std::uint32_t> child_;  ///< 0: none
};

/// A cut on its way: the node that it lies in, its first key and the weight of all smaller keys.
struct Cut {
    std::size_t node = 0;
    std::uint64_t prefix = 0, before = 0;
    bool is_found = false;
};

/// Weights by digit of the nodes from `first` on, of one part.
std::vector<std::uint64_t> histogram(const WeightedKeys& of, const Prefixes& prefixes, std::size_t first,
                                     int round)
{
    std::vector<std::uint64_t> sums((prefixes.size() - first) * bins);
    for (std::size_t i = 0; i < of.key.size(); ++i) {
        const std::size_t node = prefixes.find(of.key[i], round);
        if (node < first || node >= prefixes.size()) continue;
        sums[(node - first) * bins + digit_of(of.key[i], round)] +=
            of.weight.empty() ? 1 : weight_of(of.weight[i]);
    }
    return sums;
}

}  // namespace

std::vector<std::uint64_t> find_key_cuts(comm::Parts& parts, const std::vector<WeightedKeys>& held,
                                         std::span<const std::uint64_t> targets, std::uint64_t tolerance)
{
    std::vector<Cut> cuts(targets.size());
    Prefixes prefixes;
    std::size_t first = 0;  // nodes of this round begin here
    for (int round = 0; first < prefixes.size() && !cuts.empty(); ++round) {
        std::vector<std::vector<std::uint64_t>> of_part;
        parts.phase([&](int, int k) {
            of_part.push_back(histogram(held[static_cast<std::size_t>(k)], prefixes, first, round));
        });
        const std::vector<std::uint64_t> sums = parts.all_reduce(of_part, comm::Reduction::sum);
        const std::size_t first_of_next = prefixes.size();
        const int shift = bits_below(round);
        for (std::size_t k = 0; k < cuts.size(); ++k) {
            Cut& cut = cuts[k];
            if (cut.is_found) continue;
            const std::uint64_t* const of_node = &sums[(cut.node - first) * bins];
            std::size_t digit = 0;
            while (digit + 1 < digits(round) && cut.before + of_node[digit] <= targets[k])
                cut.before += of_node[digit++];
            const std::uint64_t step = std::uint64_t{1} << shift, weight = of_node[digit];
            cut.prefix += digit * step;
            if (weight > tolerance && shift > 0) {
                cut.node = prefixes.child(cut.node, digit);
                continue;
            }
            cut.is_found = true;
            // at the end of the bin that is nearer
            if (targets[k] > cut.before && targets[k] - cut.before > weight / 2) cut.prefix += step;
        }
        first = first_of_next;
    }
    std::vector<std::uint64_t> keys;
    for (const Cut& cut : cuts) keys.push_back(cut.prefix);
    for (std::size_t k = 1; k < keys.size(); ++k) keys[k] = std::max(keys[k], keys[k - 1]);
    return keys;
}

std::size_t domain_of(std::span<const std::uint64_t> key_cuts, std::uint64_t key)
{
    return static_cast<std::size_t>(std::ranges::upper_bound(key_cuts, key) - key_cuts.begin());
}

std::uint64_t nearest_cut(std::uint64_t place, std::uint64_t n)
{
    const std::uint64_t cut = (place + cut_unit / 2) / cut_unit * cut_unit;
    return std::min(cut, n);
}

void limit_counts(std::span<std::uint64_t> cuts, std::uint64_t n, std::uint64_t most)
{
    most = (most + cut_unit - 1) / cut_unit * cut_unit;
    std::uint64_t before = 0;
    for (std::size_t k = 0; k < cuts.size(); ++k) {
        const std::uint64_t behind = most * (cuts.size() - k);  // at most, in the parts behind the cut
        const std::uint64_t least = n > behind ? (n - behind + cut_unit - 1) / cut_unit * cut_unit : 0;
        const std::uint64_t low = std::max(before, std::min(least, n));
        cuts[k] = std::clamp(cuts[k], low, std::max(low, std::min(before + most, n)));
        before = cuts[k];
    }
}

}  // namespace aureole::gravity::domains
