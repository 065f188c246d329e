// The colours of surface density: perceptually uniform maps made here, in CIELAB.
// The sequential map runs from near black through violet, red and orange to pale yellow: lightness rises
// all the way, hue turns steadily, chroma stays inside sRGB, and the path is cut into equal CIELAB steps.
// Component colours keep one hue each and share the lightness scale, so mixtures stay comparable.
#pragma once

#include <memory>
#include <span>

#include "sim/pictures/colour_tables.hpp"

namespace aureole {

Lab to_lab(io::Rgb colour);
io::Rgb to_rgb(Lab colour);  ///< channels outside sRGB are clipped

class ColourMap {
public:
    static constexpr unsigned n_hues = ColourTables::n_hues;  ///< component colours before they repeat

    ColourMap();

    /// The colour at t from 0 (background) to 1; outside that of the nearest end, for NaN that of 0.
    io::Rgb operator()(double t) const;

    /// The colour at t of a mixture of components: shares[k] >= 0 is the part of hue k, in any unit.
    io::Rgb mixed(double t, std::span<const double> shares) const;

    const ColourTables& tables() const { return *tables_; }

private:
    std::unique_ptr<ColourTables> tables_;
};

/// The map of all pictures of particles, made once.
const ColourMap& particle_colours();

}  // namespace aureole
