// Slices and projections of a field along an axis, in host memory. A slice shows the cell at the centre of
// every pixel. A projection is exact for cells of constant value: each cell gives every pixel the integral
// over the area that the two share. Cost: a slice, pixels times depth of the tree; a projection, all cells
// once, every column of a leaf times the pixels it overlaps, and a look at every leaf for every row of
// pixels; it holds 8 bytes for each column of a leaf in view.
#pragma once

#include <vector>

#include "density/rendering/cell_field.hpp"
#include "sim/core/progress.hpp"

namespace aureole::density {

/// A view along an axis. Along z, x points right and y up; along y, x right and z up; along x, y right and z
/// up.
struct PlaneView {
    int axis = 2;    ///< of sight: 0, 1, 2
    Vec3 low, high;  ///< the part of the field that is shown, along the axis of sight as well
    unsigned width = 0, height = 0;

    int right() const { return axis == 0 ? 1 : 0; }
    int up() const { return axis == 2 ? 1 : 2; }
    double pixel_width() const { return (along(high, right()) - along(low, right())) / width; }
    double pixel_height() const { return (along(high, up()) - along(low, up())) / height; }
};

// All images are [row * width + column] with rows from the top. All functions throw aureole::Error when the
// view is empty or reaches out of the field, and Stopped when `progress` asks for it between bands of rows
// and blocks of leaves or layers of cells.

/// The values of the cells at the coordinate `at` along the axis of sight.
std::vector<double> slice(const CellField& field, const PlaneView& view, double at,
                          const Progress& progress = {});

/// The integral of the field along the axis of sight, mean over the pixel: times the pixels' areas it adds
/// up to the integral over the volume. Values of NaN count as 0.
std::vector<double> projection(const CellField& field, const PlaneView& view, const Progress& progress = {});

/// The mean of the field over each pixel's column, weighted by a field of the same cells; NaN where there is
/// no weight. Cells without weight or of NaN do not count.
std::vector<double> weighted_mean(const CellField& field, const CellField& weight, const PlaneView& view,
                                  const Progress& progress = {});

}  // namespace aureole::density
