#include "sim/pictures/label.hpp"

#include <algorithm>
#include <cmath>

namespace aureole {
namespace {

constexpr double line_distance = 1.5;  ///< of baselines, in heights of a capital
constexpr double descent = 0.3;        ///< of letters below the baseline, in heights of a capital

/// The pixel that a coordinate is in, of a side of so many.
unsigned pixel_at(double x, unsigned side) { return static_cast<unsigned>(std::clamp(x, 0.0, double(side))); }

}  // namespace

UnderLabel::UnderLabel(const io::Image& image, const LabelBox& box)
    : left_(pixel_at(std::floor(box.left), image.width())),
      top_(pixel_at(std::floor(box.top), image.height())),
      columns_(pixel_at(std::ceil(box.right), image.width()) - left_),
      rows_(pixel_at(std::ceil(box.bottom), image.height()) - top_)
{
    pixels_.reserve(std::size_t{columns_} * rows_);
    for (unsigned y = 0; y < rows_; ++y)
        for (unsigned x = 0; x < columns_; ++x) pixels_.push_back(image.at(left_ + x, top_ + y));
}

void UnderLabel::put_back(io::Image& image) const
{
    for (unsigned y = 0; y < rows_; ++y)
        for (unsigned x = 0; x < columns_; ++x)
            image.at(left_ + x, top_ + y) = pixels_[std::size_t{y} * columns_ + x];
}

FreeSpace::FreeSpace(unsigned width, unsigned height, double cell)
    : width_(width),
      height_(height),
      cell_(std::max(cell, 1.0)),
      columns_(static_cast<std::size_t>(width / cell_) + 1),
      rows_(static_cast<std::size_t>(height / cell_) + 1),
      taken_(columns_ * rows_)
{
}

void FreeSpace::take_cells(double left, double right, std::size_t row)
{
    if (!(right >= 0 && left < width_)) return;
    const auto first = static_cast<std::size_t>(std::max(left, 0.0) / cell_),
               last = static_cast<std::size_t>(std::min(right, width_) / cell_);
    for (std::size_t k = first; k <= last; ++k) taken_[row * columns_ + k] = true;
}

void FreeSpace::take(const LabelBox& box)
{
    if (!(box.bottom >= 0 && box.top < height_)) return;
    const auto last = static_cast<std::size_t>(std::min(box.bottom, height_) / cell_);
    for (auto row = static_cast<std::size_t>(std::max(box.top, 0.0) / cell_); row <= last; ++row)
        take_cells(box.left, box.right, row);
}

void FreeSpace::take_circle(io::Point centre, double radius)
{
    for (std::size_t row = 0; row < rows_; ++row) {
        const double above = static_cast<double>(row) * cell_ - centre.y, below = above + cell_;
        const double nearest = above > 0 ? above : std::max(-below, 0.0),
                     farthest = std::max(std::abs(above), std::abs(below));
        if (!(nearest <= radius)) continue;
        const double outer = std::sqrt(radius * radius - nearest * nearest),
                     inner = std::sqrt(std::max(radius * radius - farthest * farthest, 0.0));
        take_cells(centre.x - outer, centre.x - inner, row);
        take_cells(centre.x + inner, centre.x + outer, row);
    }
}

bool FreeSpace::has(const LabelBox& box) const
{
    if (!(box.left >= 0 && box.top >= 0 && box.right <= width_ && box.bottom <= height_)) return false;
    const auto last_row = static_cast<std::size_t>(box.bottom / cell_),
               last = static_cast<std::size_t>(box.right / cell_);
    for (auto row = static_cast<std::size_t>(box.top / cell_); row <= last_row; ++row)
        for (auto k = static_cast<std::size_t>(box.left / cell_); k <= last; ++k)
            if (taken_[row * columns_ + k]) return false;
    return true;
}

double Label::width() const
{
    double widest = 0;
    for (const std::string& line : lines) widest = std::max(widest, io::text_width(line, height));
    return widest;
}

LabelBox Label::box(io::Point at) const
{
    const double below = (static_cast<double>(lines.size()) - 1) * line_distance + descent;
    return {at.x, at.y - height, at.x + width(), at.y + below * height};
}

Label fitted_label(const std::string& text, double height, double width)
{
    Label label{{text}, height};
    if (label.width() <= width) return label;
    if (const std::size_t at = text.find(" ("); at != std::string::npos)
        label.lines = {text.substr(0, at), text.substr(at + 1)};
    if (const double wide = label.width(); wide > width) label.height *= std::max(width, 0.0) / wide;
    return label;
}

void draw_label(io::Image& image, io::Point at, const Label& label, io::TextStyle style)
{
    style.height = label.height;
    for (const std::string& line : label.lines) {
        io::draw_text(image, at, line, style);
        at.y += line_distance * label.height;
    }
}

}  // namespace aureole
