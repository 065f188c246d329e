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
    const double cube = f * f * f, line = 3 * 36.0 / 841 * (f - 4.0 / 29);  // both: loops keep in step
    return f > 6.0 / 29 ? cube : line;
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
        const int b = first[static_cast<int>(v * cells)];
        return static_cast<std::uint8_t>(b + (v >= least[b + 1]));
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

    /// Of n_pixels mixtures: shares[k][i] >= 0 is the part of hue k - n_grey; the first n_grey parts have
    /// none. Without branches on single pixels, so that a compiler takes several at once.
    template <unsigned n_pixels>
    AUREOLE_HD void mix(const double (&t)[n_pixels], const double (*shares)[n_pixels], unsigned n,
                        unsigned n_grey, io::Rgb* colours) const
    {
        std::size_t place[n_pixels];
        double between[n_pixels], whole[n_pixels], to_share[n_pixels];
        for (unsigned i = 0; i < n_pixels; ++i) {
            const PathPlace at(t[i], steps);
            place[i] = at.k;
            between[i] = at.share;
            whole[i] = 0;
        }
        for (unsigned k = 0; k < n; ++k)
            for (unsigned i = 0; i < n_pixels; ++i) whole[i] += shares[k][i] > 0 ? shares[k][i] : 0;
        for (unsigned i = 0; i < n_pixels; ++i) to_share[i] = 1 / whole[i];

        double a[n_pixels] = {}, b[n_pixels] = {}, chroma[n_pixels] = {};
        for (unsigned k = n_grey; k < n; ++k) {
            const Lab* path = hue[(k - n_grey) % n_hues];
            double low_a[n_pixels], low_b[n_pixels], high_a[n_pixels], high_b[n_pixels];
            for (unsigned i = 0; i < n_pixels; ++i) {
                const Lab &p = path[place[i]], &q = path[place[i] + 1];
                low_a[i] = p.a;
                low_b[i] = p.b;
                high_a[i] = q.a;
                high_b[i] = q.b;
            }
            for (unsigned i = 0; i < n_pixels; ++i) {
                const double own = shares[k][i] > 0 ? shares[k][i] : 0, share = own * to_share[i];
                const double one_a = low_a[i] + between[i] * (high_a[i] - low_a[i]),
                             one_b = low_b[i] + between[i] * (high_b[i] - low_b[i]);
                a[i] += share * one_a;
                b[i] += share * one_b;
                chroma[i] += share * std::sqrt(one_a * one_a + one_b * one_b);
            }
        }
        double l[n_pixels], first_a[n_pixels], first_b[n_pixels];
        for (unsigned i = 0; i < n_pixels; ++i) {
            const Lab &p = hue[0][place[i]], &q = hue[0][place[i] + 1];
            l[i] = p.l + between[i] * (q.l - p.l);
            first_a[i] = p.a + between[i] * (q.a - p.a);
            first_b[i] = p.b + between[i] * (q.b - p.b);
        }
        for (unsigned i = 0; i < n_pixels; ++i) {
            const double left = std::sqrt(a[i] * a[i] + b[i] * b[i]), back = std::sqrt(chroma[i] / left);
            const double lift = left > 0 ? back : 1;  // hues cancel: half (in ratio) is back
            // infinite shares of the smallest numbers show no hue; without a finite whole the first hue is
            // seen
            const bool shows = to_share[i] - to_share[i] == 0;
            const double mixed_a = shows ? a[i] * lift : 0, mixed_b = shows ? b[i] * lift : 0;
            const double finite = whole[i] - whole[i] == 0 ? whole[i] : 0;
            a[i] = finite > 0 ? mixed_a : first_a[i];
            b[i] = finite > 0 ? mixed_b : first_b[i];
        }
        LinearRgb linear[n_pixels];
        for (unsigned i = 0; i < n_pixels; ++i) linear[i] = to_linear_rgb({l[i], a[i], b[i]});
        for (unsigned i = 0; i < n_pixels; ++i)
            colours[i] = {bytes.byte(linear[i].r), bytes.byte(linear[i].g), bytes.byte(linear[i].b)};
    }
};

}  // namespace aureole
