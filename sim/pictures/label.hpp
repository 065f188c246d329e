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
    LabelBox grown(double by) const { return {left - by, top - by, right + by, bottom + by}; }
};

/// The pixels of a picture in a box, as they were before something was drawn over them.
class UnderLabel {
public:
    UnderLabel(const io::Image& image, const LabelBox& box);
    void put_back(io::Image& image) const;

private:
    unsigned left_, top_, columns_, rows_;
    std::vector<io::Rgb> pixels_;
};

/// Which parts of a picture are taken, in square cells.
class FreeSpace {
public:
    /// `cell`: side of a cell in pixels; those below 1 are 1.
    FreeSpace(unsigned width, unsigned height, double cell);

    void take(const LabelBox& box);
    /// The line of a circle, not what lies within it. O(cells along a side).
    void take_circle(io::Point centre, double radius);
    /// Whether the picture holds all of the box and nothing stands in it.
    bool has(const LabelBox& box) const;

private:
    void take_cells(double left, double right, std::size_t row);

    double width_, height_, cell_;
    std::size_t columns_, rows_;
    std::vector<bool> taken_;  ///< row by row
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
