// The colours of surface density: perceptually uniform maps made here, in CIELAB.
// The sequential map runs from near black through violet, red and orange to pale yellow: lightness rises
// all the way, hue turns steadily, chroma stays inside sRGB, and the path is cut into equal CIELAB steps.
// Component colours keep one hue each and share the lightness scale, so mixtures stay comparable.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "sim/io/images/image.hpp"

namespace aureole {

/// CIE 1976 L*a*b*, white point D65; L from 0 (black) to 100.
struct Lab {
    double l = 0, a = 0, b = 0;
};

Lab to_lab(io::Rgb colour);
io::Rgb to_rgb(Lab colour);  ///< channels outside sRGB are clipped

class ColourMap {
public:
    static constexpr unsigned n_hues = 6;  ///< component colours before they repeat

    ColourMap();

    /// The colour at t from 0 (background) to 1; outside that of the nearest end, for NaN that of 0.
    io::Rgb operator()(double t) const;

    /// The colour at t of a mixture of components: shares[k] >= 0 is the part of hue k, in any unit.
    io::Rgb mixed(double t, std::span<const double> shares) const;

private:
    static constexpr std::size_t steps = 256;

    std::vector<Lab> sequential_;
    std::array<std::vector<Lab>, n_hues> hues_;
};

}  // namespace aureole
