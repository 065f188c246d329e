// Colours from tables with + - * / and sqrt alone, so that host and device give the same bytes.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "sim/core/backend.hpp"
#include "sim/io/images/image.hpp"

namespace aureole {

/// CIE 1976 L*a*b*, white point D65; L from 0 (black) to 100.
struct Lab {
    double l = 0, a = 0, b = 0;
};

struct LinearRgb {
    double r, g, b;
};

inline constexpr double white_x = 0.95047, white_z = 1.08883;  // D65

AUREOLE_HD inline double inverse_of_lab(double f)
{
    return f > 6.0 / 29 ? f * f * f : 3 * 36.0 / 841 * (f - 4.0 / 29);
}

AUREOLE_HD inline LinearRgb to_linear_rgb(Lab c)
{
    const double fy = (c.l + 16) * (1.0 / 116);
    const double x = white_x * inverse_of_lab(fy + c.a * (1.0 / 500)), y = inverse_of_lab(fy),
                 z = white_z * inverse_of_lab(fy - c.b * (1.0 / 200));
    return {3.2404542 * x - 1.5371385 * y - 0.4985314 * z, -0.9692660 * x + 1.8760108 * y + 0.0415560 * z,
            0.0556434 * x - 0.2040259 * y + 1.0572252 * z};
}

/// The byte of a linear channel: round(255 encoded(v)), where sRGB's encoding needs a power, found by
/// comparison with the least values of each byte.
struct ByteTable {
    static constexpr int cells = 4096;

    double least[257];              ///< the smallest value of each byte; beyond the last, infinity
    std::uint8_t first[cells + 1];  ///< the byte of k / cells

    AUREOLE_HD std::uint8_t byte(double v) const
    {
        if (!(v > 0)) return 0;
        if (v >= 1) return 255;
        int b = first[static_cast<int>(v * cells)];
        while (v >= least[b + 1]) ++b;
        return static_cast<std::uint8_t>(b);
    }
};

/// The two entries of a path around t and how far it is from the first.
struct PathPlace {
    std::size_t k;
    double share;

    AUREOLE_HD PathPlace(double t, std::size_t steps)
    {
        const double at = (t > 0 ? (t < 1 ? t : 1.0) : 0.0) * static_cast<double>(steps - 1);
        k = static_cast<std::size_t>(at);
        if (k > steps - 2) k = steps - 2;
        share = at - static_cast<double>(k);
    }
    AUREOLE_HD Lab in(const Lab* path) const
    {
        const Lab p = path[k], q = path[k + 1];
        return {p.l + share * (q.l - p.l), p.a + share * (q.a - p.a), p.b + share * (q.b - p.b)};
    }
};

/// Everything that colours need, in one block that a backend can hold.
struct ColourTables {
    static constexpr std::size_t steps = 256;
    static constexpr unsigned n_hues = 6;

    Lab sequential[steps];
    Lab hue[n_hues][steps];
    ByteTable bytes;

    AUREOLE_HD io::Rgb rgb(Lab colour) const
    {
        const LinearRgb c = to_linear_rgb(colour);
        return {bytes.byte(c.r), bytes.byte(c.g), bytes.byte(c.b)};
    }
    AUREOLE_HD io::Rgb at(double t) const { return rgb(PathPlace(t, steps).in(sequential)); }

    /// Of a mixture: shares[k] >= 0 is the part of hue k - n_grey; the first n_grey parts have none.
    AUREOLE_HD io::Rgb mixed(double t, const double* shares, unsigned n, unsigned n_grey) const
    {
        const PathPlace place(t, steps);
        Lab sum = place.in(hue[0]);
        double whole = 0;
        for (unsigned k = 0; k < n; ++k) whole += shares[k] > 0 ? shares[k] : 0;
        if (!(whole > 0) || whole - whole != 0) return rgb(sum);
        sum.a = sum.b = 0;
        const double to_share = 1 / whole;  // infinite for the smallest numbers: such shares show no hue
        if (to_share - to_share != 0) return rgb(sum);
        double chroma = 0;
        for (unsigned k = n_grey; k < n; ++k) {
            if (!(shares[k] > 0)) continue;
            const Lab one = place.in(hue[(k - n_grey) % n_hues]);
            const double share = shares[k] * to_share;
            sum.a += share * one.a;
            sum.b += share * one.b;
            chroma += share * std::sqrt(one.a * one.a + one.b * one.b);
        }
        const double left = std::sqrt(sum.a * sum.a + sum.b * sum.b);
        const double lift = left > 0 ? std::sqrt(chroma / left) : 1;  // hues cancel: half (in ratio) is back
        sum.a *= lift;
        sum.b *= lift;
        return rgb(sum);
    }
};

}  // namespace aureole
