// From the outside in: all mass within a distance is known, so that taking off bins gives the mass within any
// nearer one, exactly. A bin that even with all of that mass does not reach the density at its nearest point
// holds no crossing and is passed; another one is looked at in finer bins, until all of its points are at one
// distance.
#include "halo/ranks/sphere_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halo/overdensity/outermost_bound.hpp"

namespace aureole::halo {
namespace {

constexpr double near_share = 1.0 / 16;  ///< the first look is at r^2 from there on

double squared_of_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

/// The next range inward from its far end on.
DistanceRange inward(std::uint64_t high, std::uint64_t n_points)
{
    const std::uint64_t low =
        n_points <= DistanceRange::few ? 0 : bits_of_squared(squared_of_bits(high) * near_share);
    return DistanceRange::of(low, high, n_points);
}

}  // namespace

DistanceRange DistanceRange::of(std::uint64_t low, std::uint64_t high, std::uint64_t n_points)
{
    DistanceRange range{low, high, 0};
    while (n_points > few && (high - low) >> range.shift >= most_bins) ++range.shift;
    return range;
}

void MassBin::add(const MassBin& other)
{
    first = std::min(first, other.first);
    last = std::max(last, other.last);
    mass = mass + other.mass;
    count += other.count;
}

SphereSearch::SphereSearch(const Setting& setting, std::span<const NodeMasses> nodes,
                           OverdensitySphere* result)
    : setting_(&setting), result_(result), left_(setting.densities.begin(), setting.densities.end())
{
    if (left_.empty()) return;
    constexpr double up = OutermostBound::round_up;
    std::vector<double> mass_before{0};
    for (const NodeMasses& node : nodes) {
        mass_before.push_back(mass_before.back() + node.mass);
        n_points_ += node.points;
    }
    const auto reach = [&](std::size_t n) {
        return up * radius_of(up * mass_before[n], left_.back().density);
    };
    std::size_t n = nodes.size();
    double radius = reach(n);
    for (; n > 0 && nodes[n - 1].squared > radius * radius; radius = reach(n)) {
        --n;  // what begins beyond the radius that all mass together reaches is not inside of any sphere
        n_points_ -= nodes[n].points;
    }
    is_widest_ = std::isfinite(setting.widest) && radius >= setting.widest;
    radius = std::min(radius, setting.widest);
    outermost_ = bits_of_squared(radius * radius);
}

std::vector<DistanceRange> SphereSearch::advance()
{
    wanted_.clear();
    std::erase_if(left_, [&](const SphereDensity& density) { return settle(density); });
    std::vector<DistanceRange> ranges;
    for (const auto& [key, range] : wanted_) ranges.push_back(range);
    return ranges;
}

void SphereSearch::take(const DistanceRange& range, std::vector<MassBin> bins, const MassBin& nearer)
{
    answers_[{range.low, range.high}] = {std::move(bins), nearer};
}

const SphereSearch::Answer* SphereSearch::answer_of(const DistanceRange& range)
{
    const Key key{range.low, range.high};
    const auto found = answers_.find(key);
    if (found != answers_.end()) return &found->second;
    wanted_.emplace(key, range);
    return nullptr;
}

bool SphereSearch::reached(MassSum mass, double density, std::uint64_t bits) const
{
    return reaches(to_mass(mass, setting_->mass_exponent), density, squared_of_bits(bits));
}

/// The outermost distance in the bins that reaches the density. `mass`: of all up to the last bin, on return
/// up to that distance, or of what is nearer than all bins.
SphereSearch::Outcome SphereSearch::look(const Answer& answer, double density, MassSum& mass)
{
    for (auto bin = answer.bins.rbegin(); bin != answer.bins.rend(); ++bin) {
        if (!reached(mass, density, bin->first)) {
            mass = mass - bin->mass;
            continue;
        }
        if (bin->first == bin->last) return Outcome::found;
        const Answer* const finer = answer_of(DistanceRange::of(bin->first, bin->last, bin->count));
        if (!finer) return Outcome::unknown;
        const Outcome outcome = look(*finer, density, mass);
        if (outcome != Outcome::nowhere) return outcome;
    }
    return Outcome::nowhere;
}

/// False: something has to be known first.
bool SphereSearch::settle(const SphereDensity& of)
{
    OverdensitySphere& sphere = result_[of.place];
    sphere = {0, 0};
    std::uint64_t high = outermost_, n_points = n_points_;
    MassSum mass{0, 0};
    while (n_points > 0) {
        const DistanceRange range = inward(high, n_points);
        const Answer* const answer = answer_of(range);
        if (!answer) return false;
        if (high == outermost_) {
            mass = answer->nearer.mass;
            for (const MassBin& bin : answer->bins) mass = mass + bin.mass;
            if (is_widest_ && reached(mass, of.density, high)) {
                constexpr double nan = std::numeric_limits<double>::quiet_NaN();
                sphere = {nan, nan};  // wider than the box: not known
                return true;
            }
        }
        const Outcome outcome = look(*answer, of.density, mass);
        if (outcome == Outcome::unknown) return false;
        if (outcome == Outcome::found) {
            const double found = to_mass(mass, setting_->mass_exponent);
            sphere = {found, radius_of(found, of.density)};
            return true;
        }
        high = answer->nearer.last;
        n_points = answer->nearer.count;
    }
    return true;
}

}  // namespace aureole::halo
