// The search for the spheres about one centre, by who owns it: it says which distances it wants masses of,
// and takes what all parts answer.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "halo/overdensity/mass_sum.hpp"
#include "halo/overdensity/overdensity.hpp"

namespace aureole::halo {

/// Bits of squared distances from `low` to `high`, both inclusive, in bins of 2^shift of them.
struct DistanceRange {
    std::uint64_t low, high;
    int shift;

    static constexpr std::uint64_t most_bins = 256, few = 512;
    /// Fine enough to decide at once where there are at most `few` points.
    static DistanceRange of(std::uint64_t low, std::uint64_t high, std::uint64_t n_points);
    std::uint64_t bin(std::uint64_t bits) const { return (bits - low) >> shift; }
};

/// The points of a bin, or of what is nearer than a range.
struct MassBin {
    std::uint64_t first = ~std::uint64_t{0}, last = 0;  ///< smallest and largest bits of squared distances
    MassSum mass{0, 0};
    std::uint64_t count = 0;

    void add(const MassBin& other);
};

/// Nodes of trees whose nearest place is in one range of distances.
struct NodeMasses {
    double squared;  ///< the range begins there
    double mass;     ///< of the nodes, by sums of doubles
    std::uint64_t points;
};

struct SphereDensity {
    double density;
    std::size_t place;  ///< in results
};

class SphereSearch {
public:
    /// What all centres have in common.
    struct Setting {
        std::span<const SphereDensity> densities;  ///< finite, by falling density
        double widest;                             ///< radius; infinite in open space
        int mass_exponent;                         ///< of exact sums
    };

    /// `nodes`: of all parts, by rising distance; together they hold all points within the widest radius, or
    /// within the one that all mass together can reach. `result`: has a place for each density.
    SphereSearch(const Setting& setting, std::span<const NodeMasses> nodes, OverdensitySphere* result);

    /// Goes on as far as what is known allows, and returns the ranges that are wanted next, each once;
    /// without any all spheres are written.
    std::vector<DistanceRange> advance();

    /// An answer: bins by rising distance, and all that is nearer than the range.
    void take(const DistanceRange& range, std::vector<MassBin> bins, const MassBin& nearer);

private:
    struct Answer {
        std::vector<MassBin> bins;
        MassBin nearer;
    };
    enum class Outcome { found, nowhere, unknown };
    using Key = std::pair<std::uint64_t, std::uint64_t>;

    bool settle(const SphereDensity& density);
    const Answer* answer_of(const DistanceRange& range);
    Outcome look(const Answer& answer, double density, MassSum& mass);
    bool reached(MassSum mass, double density, std::uint64_t bits) const;

    const Setting* setting_;
    OverdensitySphere* result_;
    std::vector<SphereDensity> left_;
    std::uint64_t outermost_ = 0;  ///< bits of the squared distance beyond which no sphere ends
    std::uint64_t n_points_ = 0;   ///< at most so many within it
    bool is_widest_ = false;
    std::map<Key, Answer> answers_;
    std::map<Key, DistanceRange> wanted_;
};

/// Bits of a squared distance, which rise with it.
inline std::uint64_t bits_of_squared(double squared) { return std::bit_cast<std::uint64_t>(squared); }

}  // namespace aureole::halo
