#include "density/rendering/transfer_function.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

bool sound(float number) { return number >= 0 && std::isfinite(number); }

}  // namespace

double ValueScale::operator()(double value) const
{
    const double kept = value > floor ? value : floor;  // NaN too
    return logarithmic ? std::log10(kept) : kept;
}

std::vector<TransferBin> transfer_table(const TransferFunction& transfer)
{
    AUREOLE_EXPECT(transfer.low < transfer.high && std::isfinite(transfer.high - transfer.low),
                   "a transfer function from {} to {}: expected a range", transfer.low, transfer.high);
    AUREOLE_EXPECT(!transfer.bins.empty() && transfer.bins.size() <= 1u << 20,
                   "a transfer function of {} bins: expected 1 to {}", transfer.bins.size(), 1u << 20);
    std::vector<TransferBin> table;
    double red = 0, green = 0, blue = 0, extinction = 0;
    for (const Medium& m : transfer.bins) {
        AUREOLE_EXPECT(
            sound(m.red) && sound(m.green) && sound(m.blue) && sound(m.extinction),
            "bin {} of a transfer function holds ({}, {}, {}, {}): expected finite numbers from 0 on",
            table.size(), m.red, m.green, m.blue, m.extinction);
        table.push_back({m,
                         {static_cast<float>(red), static_cast<float>(green), static_cast<float>(blue),
                          static_cast<float>(extinction)}});
        red += m.red;
        green += m.green;
        blue += m.blue;
        extinction += m.extinction;
    }
    return table;
}

TransferFunction glowing(double low, double high, std::span<const Vec3f> colours, const GlowStyle& style)
{
    constexpr std::size_t n_bins = 1024;
    AUREOLE_EXPECT(colours.size() >= 2, "found {} colours, expected two or more", colours.size());
    AUREOLE_EXPECT(style.opacity > 0 && style.reach > 0 && style.steepness >= 0 && style.glow > 0 &&
                       std::isfinite(style.opacity + style.reach + style.steepness + style.glow),
                   "opacity {} over {}, steepness {}, glow {}: expected finite numbers above 0",
                   style.opacity, style.reach, style.steepness, style.glow);
    TransferFunction transfer{low, high, {}};
    for (std::size_t k = 0; k < n_bins; ++k) {
        const double t = (static_cast<double>(k) + 0.5) / n_bins;
        const double place = t * static_cast<double>(colours.size() - 1);
        const auto c = std::min(static_cast<std::size_t>(place), colours.size() - 2);
        const auto share = static_cast<float>(place - static_cast<double>(c));
        const Vec3f colour = (1 - share) * colours[c] + share * colours[c + 1];
        // the first bin holds all that is fainter than the range, too: nothing of it is seen
        const double extinction = k == 0 ? 0 : style.opacity / style.reach * std::pow(t, style.steepness);
        const auto emission = static_cast<float>(style.glow * extinction);
        transfer.bins.push_back(
            {emission * colour.x, emission * colour.y, emission * colour.z, static_cast<float>(extinction)});
    }
    return transfer;
}

}  // namespace aureole::density
