// Bins of squared distance end at round binary numbers: a double's exponent and leading digits are the bin.
// A stable counting sort over parts of the input, one part per thread, gives the same order for any number.
#include "halo/properties/radial_bins.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "halo/properties/member_sums.hpp"

namespace aureole::halo {
namespace {

constexpr int mantissa_bits = 52;
constexpr int octaves = 24;  ///< of squared distance below the farthest; all that is nearer shares bin 0

/// Digits that make a bin hold few of `n` entries without having more bins than entries.
int leading_digits(std::size_t n) { return std::clamp((static_cast<int>(std::bit_width(n)) - 6) / 2, 0, 8); }

}  // namespace

double RadialBins::edge(std::size_t bin) const
{
    const std::uint64_t key = last_key_ + 1 - (n_bins() - bin);
    return std::bit_cast<double>(key << shift_);
}

std::size_t RadialBins::bin_of(double squared) const
{
    const std::uint64_t below = last_key_ - (std::bit_cast<std::uint64_t>(squared) >> shift_);
    return below < n_bins() ? n_bins() - 1 - below : 0;
}

void RadialBins::choose_edges(std::span<const RadialMass> entries, double squared_limit)
{
    double farthest = 0;
    std::size_t n = 0;
#pragma omp parallel for reduction(max : farthest) reduction(+ : n) if (entries.size() > long_list)
    for (const RadialMass& entry : entries) {
        if (entry.squared > squared_limit) continue;
        farthest = std::max(farthest, entry.squared);
        ++n;
    }
    farthest_ = farthest + 0.0;  // never -0, whose bits are those of no distance
    const int digits = leading_digits(n);
    shift_ = mantissa_bits - digits;
    last_key_ = std::bit_cast<std::uint64_t>(farthest_) >> shift_;
    const std::uint64_t most = n < 64 ? 1 : std::uint64_t{octaves} << digits;
    mass_.assign(std::min(most, last_key_ + 1), 0.0);
    binned_.resize(n);
}

void RadialBins::fill(std::span<const RadialMass> entries, double squared_limit)
{
    choose_edges(entries, squared_limit);
    const std::size_t n = entries.size(), bins = n_bins();
    const auto parts = static_cast<std::size_t>(n > long_list ? omp_get_max_threads() : 1);
    place_.assign(parts * bins, 0);
    const auto for_part = [&](std::size_t part, auto body) {
        for (std::size_t i = part * n / parts; i < (part + 1) * n / parts; ++i)
            if (entries[i].squared <= squared_limit)
                body(entries[i], place_[part * bins + bin_of(entries[i].squared)]);
    };
#pragma omp parallel for if (parts > 1)
    for (std::size_t part = 0; part < parts; ++part)
        for_part(part, [](const RadialMass&, std::uint64_t& count) { ++count; });
    begin_.assign(bins + 1, 0);
    std::uint64_t next = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        begin_[bin] = next;
        for (std::size_t part = 0; part < parts; ++part) {
            const std::uint64_t count = place_[part * bins + bin];
            place_[part * bins + bin] = next;
            next += count;
        }
    }
    begin_[bins] = next;
#pragma omp parallel for if (parts > 1)
    for (std::size_t part = 0; part < parts; ++part)
        for_part(part, [&](const RadialMass& entry, std::uint64_t& place) { binned_[place++] = entry; });
#pragma omp parallel for schedule(dynamic, 16) if (parts > 1)
    for (std::size_t bin = 0; bin < bins; ++bin)
        for (std::uint64_t i = begin_[bin]; i < begin_[bin + 1]; ++i) mass_[bin] += binned_[i].mass;
}

std::span<const RadialMass> RadialBins::sorted(std::size_t bin)
{
    const auto nearer = [](const RadialMass& a, const RadialMass& b) { return a.squared < b.squared; };
    const std::span<RadialMass> entries = std::span(binned_).subspan(begin_[bin], size(bin));
    if (!std::is_sorted(entries.begin(), entries.end(), nearer))
        std::stable_sort(entries.begin(), entries.end(), nearer);
    return entries;
}

}  // namespace aureole::halo
