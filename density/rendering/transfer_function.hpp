// The emission and absorption of a value: a table of equal bins and its integral from the first bin on, so
// that the mean over a range of values is one difference (Max, Hanrahan & Crawfis 1990).
#pragma once

#include <span>
#include <vector>

#include "sim/core/vec3.hpp"

namespace aureole::density {

/// Emission in three colours (linear, any unit of radiance) and extinction, per length.
struct alignas(16) Medium {
    float red = 0, green = 0, blue = 0, extinction = 0;
};

AUREOLE_HD constexpr Medium operator+(Medium a, Medium b)
{
    return {a.red + b.red, a.green + b.green, a.blue + b.blue, a.extinction + b.extinction};
}
AUREOLE_HD constexpr Medium operator-(Medium a, Medium b)
{
    return {a.red - b.red, a.green - b.green, a.blue - b.blue, a.extinction - b.extinction};
}
AUREOLE_HD constexpr Medium operator*(float s, Medium a)
{
    return {s * a.red, s * a.green, s * a.blue, s * a.extinction};
}

/// The map from the value of a cell to the number that is interpolated and looked up.
struct ValueScale {
    bool logarithmic = true;  ///< decimal logarithm
    double floor = 0;         ///< smaller values, and NaN, count as this one; above 0 if logarithmic

    double operator()(double value) const;
};

/// Bins of equal width on [low, high] of the numbers of the scale. The first and the last bin extend beyond
/// the ends.
struct TransferFunction {
    double low = 0, high = 1;
    std::vector<Medium> bins;
};

/// A bin of the table in the device's memory.
struct TransferBin {
    Medium medium;
    Medium before;  ///< sum over the bins before it
};

/// Throws aureole::Error for an empty range, no bins, and numbers that are negative or not finite.
std::vector<TransferBin> transfer_table(const TransferFunction& transfer);

/// The table as kernels see it.
struct TransferView {
    const TransferBin* bins;
    Index n_bins;
    float low, bins_per_unit;
    const Index* seen_before;  ///< [n_bins + 1]: how many of the bins before emit or absorb

    /// The position of a number in bins; numbers beyond the ends are at the ends.
    AUREOLE_HD float position(float number) const
    {
        const float x = (number - low) * bins_per_unit;
        const float end = static_cast<float>(n_bins);
        return x > 0 ? (x < end ? x : end) : 0;
    }
    AUREOLE_HD Index index(float position) const
    {
        const Index i = static_cast<Index>(position);
        return i < n_bins ? i : n_bins - 1;
    }
    /// Whether anything emits or absorbs between two numbers.
    AUREOLE_HD bool sees(float smallest, float largest) const
    {
        return seen_before[index(position(largest)) + 1] > seen_before[index(position(smallest))];
    }
};

/// The medium that a table of colours stands for.
struct GlowStyle {
    double opacity = 1;    ///< optical depth of `reach` filled with the largest value
    double reach = 1;      ///< a length, as the side of the box
    double steepness = 3;  ///< opacity grows as this power of the place in the range
    double glow = 1;       ///< emission over extinction: above 1, depth outshines the colour itself
};

/// A table of 1024 bins on [low, high]: linear colours, evenly spaced and at least two, in that style.
TransferFunction glowing(double low, double high, std::span<const Vec3f> colours, const GlowStyle& style);

}  // namespace aureole::density
