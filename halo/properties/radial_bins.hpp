// Masses by distance from a centre: put into bins of rising distance in linear time, and sorted inside a bin
// only where they are read. What searches for a radius (rotation curves, overdensities) rules out most bins
// by their edges alone, so it stays exact to the particle without sorting everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace aureole::halo {

/// A mass at a squared distance from the centre.
struct RadialMass {
    double squared, mass;
};

/// Memory is kept from fill to fill. All threads work on a fill of more than long_list entries; the result
/// does not depend on their number.
class RadialBins {
public:
    /// Sorts into bins the entries of squared distance <= `squared_limit`. Distances are finite.
    void fill(std::span<const RadialMass> entries, double squared_limit);

    std::size_t n_bins() const { return mass_.size(); }
    std::size_t size() const { return binned_.size(); }
    std::size_t size(std::size_t bin) const { return begin_[bin + 1] - begin_[bin]; }
    double mass(std::size_t bin) const { return mass_[bin]; }
    double farthest_squared() const { return farthest_; }

    /// Squared distances in a bin are at least low() and less than high().
    double low(std::size_t bin) const { return bin == 0 ? 0 : edge(bin); }
    double high(std::size_t bin) const { return edge(bin + 1); }

    /// The entries of a bin by rising distance, equals in the order of the input.
    std::span<const RadialMass> sorted(std::size_t bin);

private:
    double edge(std::size_t bin) const;
    std::size_t bin_of(double squared) const;
    void choose_edges(std::span<const RadialMass> entries, double squared_limit);

    int shift_ = 0;               ///< bits of a double that do not matter for its bin
    std::uint64_t last_key_ = 0;  ///< of the farthest entry
    double farthest_ = 0;
    std::vector<std::uint64_t> begin_, place_;
    std::vector<RadialMass> binned_;
    std::vector<double> mass_;
};

}  // namespace aureole::halo
