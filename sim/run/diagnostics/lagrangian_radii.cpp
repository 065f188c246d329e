#include "sim/run/diagnostics/lagrangian_radii.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

using namespace detail;

/// A particle whose bin holds one of the radii.
struct Shell {
    std::uint64_t key, mass;
};

/// A set of particles, and the mass in each bin of distance.
class Shells {
public:
    Shells(const ConstParticlesView& host, IndexRange range, Vec3 centre)
        : p_(host), range_(range), centre_(centre), many_(range.size() > parallel_threshold)
    {
        find_limits();
        shift_ = bits_below_bin(limits_);
        scale_ = mass_scale(limits_, range_.size());
        fill_histogram();
    }

    /// The key of the particle with which the mass inside reaches each value; nothing for a value of 0.
    std::vector<std::optional<std::uint64_t>> keys_of(const std::vector<std::uint64_t>& wanted) const
    {
        std::vector<unsigned> bins;
        for (const std::uint64_t mass : wanted) bins.push_back(bin_that_reaches(mass));
        std::vector<Shell> shells = shells_in(bins);
        std::ranges::sort(shells, {}, &Shell::key);
        std::vector<std::optional<std::uint64_t>> keys(wanted.size());
        for (std::size_t f = 0; f < wanted.size(); ++f) {
            std::uint64_t inside =
                std::accumulate(histogram_.begin(), histogram_.begin() + bins[f], std::uint64_t{0});
            for (const Shell& shell : shells) {
                if (bin_of(shell.key, limits_, shift_) != bins[f]) continue;
                if (inside >= wanted[f]) break;
                inside += shell.mass;
                keys[f] = shell.key;
            }
        }
        return keys;
    }

    std::uint64_t total() const
    {
        return std::accumulate(histogram_.begin(), histogram_.end(), std::uint64_t{0});
    }

private:
    std::uint64_t key_at(Index i) const { return radius_key(p_.position.load(i), centre_); }
    std::uint64_t mass_at(Index i) const { return static_cast<std::uint64_t>(p_.mass[i] * scale_); }

    void find_limits()
    {
        std::uint64_t least = limits_.least, largest = 0, mass = 0;
#pragma omp parallel for reduction(min : least) reduction(max : largest, mass) if (many_)
        for (Index i = range_.begin; i < range_.end; ++i) {
            const std::uint64_t key = key_at(i);
            least = std::min(least, key);
            largest = std::max(largest, key);
            mass = std::max(mass, ordered_bits(p_.mass[i]));
        }
        limits_ = {least, largest, mass};
    }

    void fill_histogram()
    {
        histogram_.assign(radius_bins, 0);
#pragma omp parallel if (many_)
        {
            std::vector<std::uint64_t> own(radius_bins);
#pragma omp for
            for (Index i = range_.begin; i < range_.end; ++i)
                own[bin_of(key_at(i), limits_, shift_)] += mass_at(i);
#pragma omp critical(lagrangian_radii)
            for (unsigned b = 0; b < radius_bins; ++b) histogram_[b] += own[b];
        }
    }

    unsigned bin_that_reaches(std::uint64_t mass) const
    {
        std::uint64_t inside = 0;
        for (unsigned b = 0; b < radius_bins; ++b)
            if ((inside += histogram_[b]) >= mass) return b;
        return radius_bins - 1;
    }

    std::vector<Shell> shells_in(const std::vector<unsigned>& bins) const
    {
        std::vector<char> is_wanted(radius_bins);
        for (const unsigned b : bins) is_wanted[b] = true;
        std::vector<Shell> shells;
#pragma omp parallel if (many_)
        {
            std::vector<Shell> own;
#pragma omp for
            for (Index i = range_.begin; i < range_.end; ++i)
                if (const std::uint64_t key = key_at(i); is_wanted[bin_of(key, limits_, shift_)])
                    own.push_back({key, mass_at(i)});
#pragma omp critical(lagrangian_radii)
            shells.insert(shells.end(), own.begin(), own.end());
        }
        return shells;
    }

    const ConstParticlesView& p_;
    IndexRange range_;
    Vec3 centre_;
    bool many_;
    RadiusLimits limits_;
    int shift_ = 0;
    double scale_ = 1;
    std::vector<std::uint64_t> histogram_;
};

}  // namespace

std::vector<double> lagrangian_radii(const ConstParticlesView& host, IndexRange range, Vec3 centre,
                                     std::span<const double> fractions)
{
    AUREOLE_EXPECT(host.where == Backend::cpu, "Lagrangian radii of host particles, got {}",
                   name_of(host.where));
    const Shells shells(host, range.clipped(host.n), centre);
    std::vector<std::uint64_t> wanted;
    for (const double fraction : fractions) wanted.push_back(mass_wanted(fraction, shells.total()));
    std::vector<double> radii;
    for (const auto& key : shells.keys_of(wanted))
        radii.push_back(key ? std::sqrt(from_ordered_bits(*key)) : std::numeric_limits<double>::quiet_NaN());
    return radii;
}

}  // namespace aureole::run
