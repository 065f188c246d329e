#include "ics/disk/disk_potential.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ics/disk/bessel.hpp"
#include "sim/core/numerics/gauss_legendre.hpp"
#include "sim/core/numerics/portable_math.hpp"

namespace aureole::ics {
namespace {

using std::numbers::pi;

/// Half-periods of the Bessel functions over which partial sums are averaged.
constexpr int averaged = 24;

/// 2 pi G S(k).
double surface_transform(const DiskProfile& disk, double k)
{
    const double x = 1 + k * k * disk.scale_length * disk.scale_length;
    return disk.mass / (x * std::sqrt(x));
}

/// Euler's transformation of the sums of an alternating series: means of neighbours, again and again.
double limit_of(std::vector<double>& sums)
{
    for (std::size_t n = sums.size(); n > 1; --n)
        for (std::size_t k = 0; k + 1 < n; ++k) sums[k] = (sums[k] + sums[k + 1]) / 2;
    return sums[0];
}

/// Calls visit(k, weight) at the nodes of every half period, and end_of_panel() after the last `averaged` of
/// them. Where the transforms change faster than the Bessel function, panels are divided.
void integrate_over_k(const DiskProfile& disk, double radius, auto visit, auto end_of_panel)
{
    const double half_period = pi / radius;
    const double smooth_from = 10 / disk.scale_length;  // terms alternate with slowly varying sizes
    const int first_averaged = static_cast<int>(smooth_from / half_period) + 2;
    for (int panel = 0; panel < first_averaged + averaged; ++panel) {
        double from = panel * half_period;
        const double end = (panel + 1) * half_period;
        while (from < end) {
            double to = from + std::fmax(0.6 / disk.scale_length, 0.6 * from);
            if (to > end - 0.1 * (to - from)) to = end;
            for (const auto& [at, weight] : gauss_legendre_24)
                visit(from + at * (to - from), weight * (to - from));
            from = to;
        }
        if (panel >= first_averaged) end_of_panel();
    }
}

/// I(k, z) and dI/dz at heights 0 = z_0 < z_1 < ...: what lies below and what lies above a height, each
/// carried from one height to the next.
class VerticalTransform {
public:
    VerticalTransform(const VerticalProfile& profile, std::vector<double> heights)
        : profile_(profile), z_(std::move(heights)), below_(z_.size()), above_(z_.size())
    {
        for (std::size_t i = 0; i + 1 < z_.size(); ++i) {
            const auto add = [&, from = z_[i], width = z_[i + 1] - z_[i]](const auto& rule, auto& to) {
                for (const auto& [at, weight] : rule)
                    to.push_back(weight * width * profile.density(from + at * width));
            };
            add(gauss_legendre, few_);
            add(gauss_legendre_24, many_);
        }
    }

    void evaluate(double k)
    {
        const std::size_t last = z_.size() - 1;
        below_[0] = profile_.transform(k) / 2;
        above_[last] = profile_.density(z_[last]) / (k + profile_.decay());
        from_below_.resize(last);
        from_above_.resize(last);
        for (std::size_t i = 0; i < last; ++i) integrate_cell(i, k);
        for (std::size_t i = 0; i < last; ++i)
            below_[i + 1] = below_[i] * decayed(-k * (z_[i + 1] - z_[i])) + from_below_[i];
        for (std::size_t i = last; i-- > 0;)
            above_[i] = above_[i + 1] * decayed(-k * (z_[i + 1] - z_[i])) + from_above_[i];
    }

    double value(std::size_t i) const { return below_[i] + above_[i]; }
    double slope_over_k(std::size_t i) const { return above_[i] - below_[i]; }  ///< dI/dz / k

private:
    /// The mass of cell i as its upper and its lower end feel it.
    void integrate_cell(std::size_t i, double k)
    {
        const double width = z_[i + 1] - z_[i];
        double up = 0, down = 0;
        const auto add = [&](const auto& rule, const std::vector<double>& densities) {
            const std::size_t n = rule.size();
            for (std::size_t g = 0; g < n; ++g) {  // nodes lie evenly about the middle
                const double e = portable::exp_in_loops(-k * rule[g].at * width);
                down += densities[i * n + g] * e;
                up += densities[i * n + n - 1 - g] * e;
            }
        };
        if ((k + profile_.decay()) * width <= one_scale)
            add(gauss_legendre, few_);
        else if (k * width <= many_scales)
            add(gauss_legendre_24, many_);
        else {  // only what is near counts
            const double reach = many_scales / k;
            for (const auto& [at, weight] : gauss_legendre_24) {
                const double t = at * reach, factor = weight * reach * portable::exp(-k * t);
                down += factor * profile_.density(z_[i] + t);
                up += factor * profile_.density(z_[i + 1] - t);
            }
        }
        from_below_[i] = up;
        from_above_[i] = down;
    }

    static constexpr double one_scale = 1.2, many_scales = 38;
    VerticalProfile profile_;
    std::vector<double> z_, few_, many_;  ///< heights; mass at the nodes of the cells
    std::vector<double> below_, above_, from_below_, from_above_;
};

/// The heights, with 0 before them and more between and beyond them where the profile still has mass, so that
/// cells are small; `wanted[i]` is where heights[i] stands.
std::vector<double> refined(const VerticalProfile& profile, std::span<const double> heights,
                            std::vector<std::size_t>& wanted)
{
    std::vector<double> z{0.0};
    const auto go_to = [&](double next) {
        while (z.back() < next) {
            const double step = std::fmax(profile.height() / 2, z.back() / 6);
            z.push_back(z.back() + 1.1 * step < next ? z.back() + step : next);
        }
    };
    for (double height : heights) {
        go_to(height);
        wanted.push_back(z.size() - 1);
    }
    go_to(profile.edge());
    return z;
}

}  // namespace

PlaneField field_in_plane(const DiskProfile& disk, double radius)
{
    PlaneField sum{};
    std::array<std::vector<double>, 3> partial;
    integrate_over_k(
        disk, radius,
        [&](double k, double weight) {
            const double term = weight * surface_transform(disk, k) * disk.vertical.transform(k);
            const auto [j0, j1] = bessel(k * radius);
            sum.potential -= term * j0;
            sum.slope += term * k * j1;
            sum.curvature += term * k * k * (j0 - j1 / (k * radius));
        },
        [&] {
            partial[0].push_back(sum.potential);
            partial[1].push_back(sum.slope);
            partial[2].push_back(sum.curvature);
        });
    return {limit_of(partial[0]), limit_of(partial[1]), limit_of(partial[2])};
}

std::vector<DiskField> field_above(const DiskProfile& disk, double radius, std::span<const double> heights)
{
    std::vector<std::size_t> wanted;
    VerticalTransform transform(disk.vertical, refined(disk.vertical, heights, wanted));
    const std::size_t n = heights.size();
    std::vector<DiskField> sum(n, DiskField{});
    std::vector<std::array<std::vector<double>, 3>> partial(n);
    integrate_over_k(
        disk, radius,
        [&](double k, double weight) {
            const double term = weight * surface_transform(disk, k);
            const auto [j0, j1] = bessel(k * radius);
            transform.evaluate(k);
            for (std::size_t i = 0; i < n; ++i) {
                const double value = term * transform.value(wanted[i]);
                sum[i].potential -= value * j0;
                sum[i].radial += value * k * j1;
                sum[i].vertical -= term * k * transform.slope_over_k(wanted[i]) * j0;
            }
        },
        [&] {
            for (std::size_t i = 0; i < n; ++i) {
                partial[i][0].push_back(sum[i].potential);
                partial[i][1].push_back(sum[i].radial);
                partial[i][2].push_back(sum[i].vertical);
            }
        });
    std::vector<DiskField> result;
    for (auto& p : partial) result.push_back({limit_of(p[0]), limit_of(p[1]), limit_of(p[2])});
    return result;
}

}  // namespace aureole::ics
