#include "sim/pictures/halo_circles.hpp"

namespace aureole::run {

std::vector<HaloCircle> halo_circles(const Table& groups, double scale)
{
    std::vector<HaloCircle> circles;
    const Column* centre = groups.find("GroupPos");
    const Column* radius = groups.find("GroupRadius");
    if (!centre || !radius) return circles;
    const auto& x = std::get<std::vector<double>>(centre->values);
    const auto& r = std::get<std::vector<double>>(radius->values);
    for (std::size_t k = 0; k < groups.rows; ++k)
        circles.push_back(
            {scale * Vec3{x[3 * k], x[3 * k + 1], x[3 * k + 2]}, scale * r[k], static_cast<std::int64_t>(k)});
    return circles;
}

}  // namespace aureole::run
