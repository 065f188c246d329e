#include "halo/overdensity/contained_centres.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

/// Centres by the cells of a grid over the box, or over all centres in open space.
class CentreGrid {
public:
    CentreGrid(const Box& box, std::span<const Vec3> centre) : box_(box), centre_(centre)
    {
        const double halos = static_cast<double>(centre.size());
        n_ = static_cast<long>(std::clamp(std::cbrt(halos), 1.0, 256.0));
        side_ = box.side;
        if (!box.periodic()) cover_all();
        cells_.resize(static_cast<std::size_t>(n_ * n_ * n_));
        for (std::size_t i = 0; i < centre.size(); ++i) cells_[cell_of(centre[i])].push_back(i);
    }

    /// visit(halo) for all halos within `radius` of a place.
    template <class Visit>
    void visit_within(const Vec3& place, double radius, Visit visit) const
    {
        const Vec3 at = box_.wrap(place);
        const double x[3] = {at.x, at.y, at.z};
        std::array<long, 3> first, count;
        for (std::size_t k = 0; k < 3; ++k) {
            const double low = (x[k] - radius - origin_) / side_ * static_cast<double>(n_),
                         high = (x[k] + radius - origin_) / side_ * static_cast<double>(n_);
            if (high - low + 2 >= static_cast<double>(n_) || !box_.periodic()) {
                first[k] = clamped(low);
                count[k] = clamped(high) - first[k] + 1;
                if (box_.periodic()) first[k] = 0, count[k] = n_;
            } else {
                first[k] = static_cast<long>(std::floor(low));
                count[k] = static_cast<long>(std::floor(high)) - first[k] + 1;
            }
        }
        for (long i = 0; i < count[0]; ++i)
            for (long j = 0; j < count[1]; ++j)
                for (long l = 0; l < count[2]; ++l)
                    for (const std::size_t halo : cells_[number(first[0] + i, first[1] + j, first[2] + l)]) {
                        const Vec3 d = box_.nearest(centre_[halo] - place);
                        if (dot(d, d) < radius * radius) visit(halo);
                    }
    }

private:
    void cover_all()
    {
        double low = 0, high = 0;
        for (const Vec3& c : centre_) {
            low = std::min({low, c.x, c.y, c.z});
            high = std::max({high, c.x, c.y, c.z});
        }
        origin_ = low;
        side_ = high > low ? high - low : 1;
    }
    long clamped(double cell) const
    {
        return static_cast<long>(std::clamp(std::floor(cell), 0.0, static_cast<double>(n_ - 1)));
    }
    std::size_t number(long i, long j, long l) const
    {
        const auto inside = [this](long cell) { return (cell % n_ + n_) % n_; };
        return static_cast<std::size_t>((inside(i) * n_ + inside(j)) * n_ + inside(l));
    }
    std::size_t cell_of(const Vec3& place) const
    {
        const Vec3 at = box_.wrap(place);
        const auto along = [this](double x) {
            return clamped((x - origin_) / side_ * static_cast<double>(n_));
        };
        return number(along(at.x), along(at.y), along(at.z));
    }

    const Box& box_;
    std::span<const Vec3> centre_;
    long n_ = 1;
    double origin_ = 0, side_ = 1;
    std::vector<std::vector<std::size_t>> cells_;
};

}  // namespace

std::vector<bool> centres_in_larger_spheres(const Box& box, std::span<const Vec3> centre,
                                            std::span<const double> radius, std::span<const double> mass)
{
    AUREOLE_EXPECT(radius.size() == centre.size() && mass.size() == centre.size(),
                   "{} centres, {} radii and {} masses of halos, expected as many of each", centre.size(),
                   radius.size(), mass.size());
    std::vector<bool> inside(centre.size());
    std::vector<std::size_t> order(centre.size()), rank(centre.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return mass[a] > mass[b]; });
    for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = k;
    const CentreGrid grid(box, centre);
    for (const std::size_t halo : order) {
        if (inside[halo] || !(radius[halo] > 0)) continue;
        grid.visit_within(centre[halo], radius[halo], [&](std::size_t other) {
            if (rank[other] > rank[halo]) inside[other] = true;
        });
    }
    return inside;
}

}  // namespace aureole::halo
