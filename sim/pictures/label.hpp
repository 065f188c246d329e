// Texts on pictures, fitted to the width that a small picture leaves them.
#pragma once

#include <string>
#include <vector>

#include "sim/io/images/draw.hpp"

namespace aureole {

/// Where no label is drawn again, in pixels.
struct LabelBox {
    double left, top, right, bottom;

    bool overlaps(const LabelBox& o) const
    {
        return left < o.right && o.left < right && top < o.bottom && o.top < bottom;
    }
};

/// A text in lines, with the height of its capitals in pixels.
struct Label {
    std::vector<std::string> lines;
    double height = 0;

    double width() const;  ///< of the longest line

    /// What it covers when the baseline of its first line begins at `at`.
    LabelBox box(io::Point at) const;
};

/// `text` in one line of capitals of this height where `width` pixels hold it; else broken before a
/// parenthesis, "t = 21" above "(99 Myr)", and smaller where even that is too long.
Label fitted_label(const std::string& text, double height, double width);

/// Draws the lines below each other; `at` is a point of the first baseline. The label's height replaces that
/// of `style`.
void draw_label(io::Image& image, io::Point at, const Label& label, io::TextStyle style);

}  // namespace aureole
