// From counts in bins to densities: a thread for each profile.
#include "halo/substructure/phase_profile.hpp"

#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::halo {
namespace {

constexpr double least_in_shell = 24;  ///< a fifth of a dispersion's and of a density's noise
constexpr double least_shells = 4;     ///< members for fewer make a Plummer sphere
constexpr double most_shells = 32;
constexpr int outer_parts = 3;          ///< of the last shell, so that one far member says little
constexpr int widest_gap = 4;           ///< bins without members within a part of it
constexpr double reach_of_members = 2;  ///< in units of the farthest member's distance
constexpr double sphere_volume = 4.1887902047863905;
// per ln r^2 beyond the last shell: rho ~ r^-4, where M converges, and sigma ~ r^-1/2
constexpr double outer_density = -2, outer_sigma = -0.25;

AUREOLE_HD double log_of(double x) { return portable::log_in_loops(x > 1e-300 ? x : 1e-300); }

/// Makes the shells of one profile.
class ShellMaker {
public:
    AUREOLE_HD ShellMaker(const ProfileSums& sums, int base, const PhaseFloor& floor,
                          const ProfileUnits& units, ProfileShell* shells)
        : sums_(sums),
          base_(base),
          floor_(floor),
          per_unit_{1 / units.mass, 1 / units.motion},
          farthest_(std::sqrt(from_ordered_bits(sums.farthest))),
          shell_(shells)
    {
        n_ = count_of(0, profile_bins);
    }

    AUREOLE_HD double n() const { return n_; }
    AUREOLE_HD double farthest() const { return farthest_; }
    AUREOLE_HD double weight() const { return sums_of(0, profile_bins).weight(per_unit_); }
    AUREOLE_HD int size() const { return size_; }

    AUREOLE_HD void make()
    {
        double n_shells = std::floor(n_ / least_in_shell);
        if (n_shells > most_shells) n_shells = most_shells;
        if (n_shells < least_shells)
            make_plummer();
        else
            make_shells(n_ / n_shells);
        find_potential();
    }

private:
    /// What one unit of the sums is.
    struct PerUnit {
        double weight, motion;
    };
    /// Over some bins, exact: what all of them hold fits in each.
    struct BinSums {
        std::uint64_t weight_units = 0, motion_units = 0;

        AUREOLE_HD double weight(const PerUnit& per) const
        {
            return static_cast<double>(weight_units) * per.weight;
        }
        AUREOLE_HD double motion(const PerUnit& per) const
        {
            return static_cast<double>(motion_units) * per.motion;
        }
    };

    AUREOLE_HD double count(int b) const { return static_cast<double>(sums_.count[b]) * 0x1p-32; }
    AUREOLE_HD double count_of(int begin, int end) const
    {
        std::uint64_t sum = 0;
        for (int b = begin; b < end; ++b) sum += sums_.count[b];
        return static_cast<double>(sum) * 0x1p-32;
    }
    AUREOLE_HD void add_bin(BinSums& to, int b) const
    {
        to.weight_units += sums_.weight[b];
        to.motion_units += sums_.motion[b];
    }
    AUREOLE_HD BinSums sums_of(int begin, int end) const
    {
        BinSums sums;
        for (int b = begin; b < end; ++b) add_bin(sums, b);
        return sums;
    }
    /// One-dimensional, weighted by mass.
    AUREOLE_HD double dispersion(const BinSums& sums) const
    {
        const double weight = sums.weight(per_unit_);
        const double sigma = weight > 0 ? std::sqrt(sums.motion(per_unit_) / (3 * weight)) : 0;
        return sigma > floor_.speed ? sigma : floor_.speed;
    }
    /// Where half of the members in these bins lie inside.
    AUREOLE_HD double middle(int begin, int end) const
    {
        double left = 0.5 * count_of(begin, end);
        for (int b = begin; b < end; ++b) {
            if (count(b) >= left && count(b) > 0) {
                const double low = bin_edge(base_ + b), high = bin_edge(base_ + b + 1);
                const double at = std::sqrt(low + left / count(b) * (high - low));
                return at < farthest_ ? at : farthest_;
            }
            left -= count(b);
        }
        return farthest_;
    }

    AUREOLE_HD void make_shells(double target)
    {
        int begin = 0;
        double inner = 0, left = n_, now = 0;
        BinSums sums;
        for (int b = 0; b < profile_bins; ++b) {
            now += count(b);
            add_bin(sums, b);
            if (now < target || left - now < target) continue;
            add_part(begin, b + 1, sums.weight(per_unit_), dispersion(sums), inner);
            left -= now;
            now = 0;
            sums = {};
            begin = b + 1;
        }
        const double sigma = dispersion(sums), part = left / outer_parts;
        int last = begin;  // bin with members
        now = 0;
        sums = {};
        for (int b = begin; b < profile_bins; ++b) {
            if (count(b) == 0) continue;
            // what lies beyond a gap says nothing of what lies before it
            if (now > 0 && (b > last + widest_gap || now >= part)) {
                add_part(begin, last + 1, sums.weight(per_unit_), sigma, inner);
                now = 0;
                sums = {};
                begin = b;
            }
            now += count(b);
            add_bin(sums, b);
            left -= count(b);
            last = b;
        }
        if (now > 0) add_part(begin, last + 1, sums.weight(per_unit_), sigma, inner);
    }

    AUREOLE_HD void add_part(int begin, int end, double weight, double sigma, double& inner)
    {
        while (begin + 1 < end && count(begin) == 0) ++begin;
        if (size_ > 0 && inner < std::sqrt(bin_edge(base_ + begin)))
            inner = std::sqrt(bin_edge(base_ + begin));
        double outer = std::sqrt(bin_edge(base_ + end));
        if (outer > farthest_) outer = farthest_;
        if (outer < inner + floor_.length) outer = inner + floor_.length;
        const double volume = sphere_volume * (outer * outer * outer - inner * inner * inner);
        add_shell(middle(begin, end), weight / volume, sigma, outer, weight);
        inner = outer;
    }

    /// A Plummer sphere of the members' mass, half-mass radius and dispersion.
    AUREOLE_HD void make_plummer()
    {
        constexpr double half_mass_radius = 1.3048, mean_squared_sigma = 0.589;  // of b, of sigma(0)^2
        const BinSums sums = sums_of(0, profile_bins);
        const double mass = sums.weight(per_unit_), half = middle(0, profile_bins) / half_mass_radius;
        const double b = half > floor_.length ? half : floor_.length;
        const double sigma = dispersion(sums);
        double enclosed = 0;
        for (double s = 0.125; s < 12; s *= 1.5) {  // radii in units of b
            const double outer = 1.25 * s, square = 1 + s * s, beyond = 1 + 1 / (outer * outer);
            const double within = mass / (beyond * std::sqrt(beyond));
            const double density = mass / (sphere_volume * b * b * b) / (square * square * std::sqrt(square));
            const double local = sigma / std::sqrt(mean_squared_sigma * std::sqrt(square));
            add_shell(s * b, density, local > floor_.speed ? local : floor_.speed, outer * b,
                      within - enclosed);
            enclosed = within;
        }
    }

    AUREOLE_HD void add_shell(double radius, double density, double sigma, double outer, double mass)
    {
        const double r = radius > floor_.length ? radius : floor_.length;
        shell_[size_++] = {log_of(r * r), log_of(density), log_of(sigma), outer, mass, 0};
    }

    /// From outside in: a shell's mass counts as lying halfway through it.
    AUREOLE_HD void find_potential()
    {
        double enclosed = 0;
        for (int k = 0; k < size_; ++k) enclosed += shell_[k].mass;
        double potential = -enclosed / shell_[size_ - 1].outer_radius;
        for (int k = size_ - 1; k >= 0; --k) {
            shell_[k].potential = potential;
            if (k == 0) break;
            enclosed -= shell_[k].mass;
            const double inner = shell_[k - 1].outer_radius, outer = shell_[k].outer_radius;
            potential -= (enclosed + 0.5 * shell_[k].mass) * (1 / inner - 1 / outer);
        }
    }

    const ProfileSums& sums_;
    int base_;
    PhaseFloor floor_;
    PerUnit per_unit_;
    double farthest_, n_ = 0;
    ProfileShell* shell_;
    int size_ = 0;
    static_assert(static_cast<int>(most_shells) + outer_parts + profile_bins / widest_gap <
                  ProfileShells::most);
};

/// One edge of the table.
AUREOLE_HD void tabulate(const ProfileShells& shells, int j, PhaseProfile& p)
{
    const ProfileShell* const shell = shells.shell;
    const int n = shells.n;
    double edge = bin_edge(p.base + j);
    if (edge < p.squared_floor) edge = p.squared_floor;
    const double log_edge = log_of(edge);
    int above = 0;  // the first shell farther out than the edge
    while (above < n && shell[above].log_radius <= log_edge) ++above;
    double log_density = shell[0].log_density, log_sigma = shell[0].log_sigma;
    if (above == n) {
        const double beyond = log_edge - shell[n - 1].log_radius;
        log_density = shell[n - 1].log_density + outer_density * beyond;
        log_sigma = shell[n - 1].log_sigma + outer_sigma * beyond;
    } else if (above > 0) {
        const ProfileShell &a = shell[above - 1], &b = shell[above];
        const double t = (log_edge - a.log_radius) / (b.log_radius - a.log_radius);
        log_density = a.log_density + t * (b.log_density - a.log_density);
        log_sigma = a.log_sigma + t * (b.log_sigma - a.log_sigma);
    }
    p.log_density[j] = log_density - 3 * log_sigma;
    p.per_variance[j] = 0.5 * portable::exp_in_loops(-2 * log_sigma);
    if (j == profile_bins) return;
    const double radius = std::sqrt(edge);
    int around = 0;  // the shell that the edge is in
    while (around < n && shell[around].outer_radius < radius) ++around;
    p.potential[j] = around == 0   ? -1e300
                     : around == n ? shell[n - 1].potential * shell[n - 1].outer_radius / radius
                                   : shell[around - 1].potential;
}

AUREOLE_HD void make_shells(const ProfileSums& sums, const PhaseFloor& floor, const ProfileUnits& units,
                            double least_top, ProfileShells& to, PhaseProfile& p)
{
    ShellMaker shells(sums, p.base, floor, units, to.shell);
    p.n_before = p.n;
    p.n = shells.n();
    to.n = 0;
    if (!(p.n > 0)) return;
    shells.make();
    to.n = shells.size();
    p.has_mass = units.massive && shells.weight() > 0;
    const double reach =
        reach_of_members * (shells.farthest() > floor.length ? shells.farthest() : floor.length);
    p.squared_reach = reach * reach;
    p.squared_floor = floor.length * floor.length;
    p.base = radial_place(p.squared_reach > least_top ? p.squared_reach : least_top).bin - (profile_bins - 1);
}

}  // namespace

void fit_profiles(Exec exec, Index n_profiles, const ProfileSums* sums, const Index* group,
                  const PhaseFloor* floor, const ProfileUnits* units, const double* least_top,
                  const std::uint8_t* active, ProfileShells* shells, PhaseProfile* profile)
{
    for_each_uneven(exec, n_profiles, [=] AUREOLE_HD(Index h) {
        const Index g = group[h];
        if (active[g]) make_shells(sums[h], floor[g], units[g], least_top[h], shells[h], profile[h]);
    });
    constexpr Index edges = profile_bins + 1;
    for_each(exec, n_profiles * edges, [=] AUREOLE_HD(Index k) {
        const Index h = k / edges;
        if (active[group[h]] && shells[h].n > 0) tabulate(shells[h], static_cast<int>(k % edges), profile[h]);
    });
}

}  // namespace aureole::halo
