#include "ics/quiet_start.hpp"

#include <fmt/format.h>

#include "ics/check_config.hpp"
#include "sim/core/random.hpp"

namespace aureole::ics {
namespace {

constexpr std::uint32_t jitter = 0x71756574, shifts = 0x71756575;

/// The digits of `n` mirrored at the point (van der Corput 1935).
double mirrored_digits(std::uint64_t n, std::uint64_t base)
{
    double result = 0, digit = 1;
    for (; n > 0; n /= base) {
        digit /= static_cast<double>(base);
        result += digit * static_cast<double>(n % base);
    }
    return result;
}

/// x + shift within (0, 1).
double shifted(double x, double shift)
{
    const double sum = x + shift, inside = sum < 1 ? sum : sum - 1;
    constexpr double least = 0x1p-53;
    return inside > least ? inside : least;
}

}  // namespace

std::array<double, 3> QuietStart::place(std::uint64_t orbit, std::uint64_t seed, std::uint64_t id) const
{
    // a shift for each component, whose first orbit has the id of its first particle
    Random stratum(seed, id, jitter), shift(seed, id - orbit, shifts);
    const double first = (static_cast<double>(orbit) + stratum.uniform()) / static_cast<double>(orbits());
    const double second = shift.uniform(), third = shift.uniform();
    return {first, shifted(mirrored_digits(orbit, 2), second), shifted(mirrored_digits(orbit, 3), third)};
}

PhaseSpacePoint QuietStart::image(std::uint64_t particle, const PhaseSpacePoint& point) const
{
    const std::uint64_t image = particle % (2 * copies_);
    PhaseSpacePoint p = point;
    if (image >= copies_) {
        const double radius2 = p.position.x * p.position.x + p.position.y * p.position.y;
        const double share =
            radius2 > 0 ? (p.position.x * p.velocity.x + p.position.y * p.velocity.y) / radius2 : 0;
        p.velocity.x -= 2 * share * p.position.x;
        p.velocity.y -= 2 * share * p.position.y;
        p.position.z = -p.position.z;
        p.velocity.z = -p.velocity.z;
    }
    const auto turn =
        portable::sin_cos_of_turns(static_cast<double>(image % copies_) / static_cast<double>(copies_));
    const auto turned = [&](Vec3 v) {
        return Vec3{turn.cos * v.x - turn.sin * v.y, turn.sin * v.x + turn.cos * v.y, v.z};
    };
    return {turned(p.position), turned(p.velocity)};
}

void check_quiet(const std::string& where, const Component& c)
{
    const int copies = c.own.get<QuietConfig>().copies;
    if (copies != 0 && (copies < 2 || copies > most_copies))
        refuse(where,
               fmt::format("quiet is {}, expected 2 to {}, or 0 for independent draws", copies, most_copies));
}

std::string quiet_note(const QuietConfig& config, std::uint64_t particles)
{
    const QuietStart quiet(config, particles);
    if (!quiet.given()) return {};
    std::string text = fmt::format(
        "quiet start: {} orbits, each {} times at equal azimuths and as often mirrored; bars and arms, which "
        "noise seeds, come later",
        quiet.orbits(), config.copies);
    if (quiet.left_over() > 0)
        text += fmt::format("; {} particles are no multiple of {}: the last orbit lacks some images",
                            particles, 2 * config.copies);
    return text;
}

}  // namespace aureole::ics
