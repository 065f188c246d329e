#include "sim/pictures/label.hpp"

#include <algorithm>

namespace aureole {
namespace {

constexpr double line_distance = 1.5;  ///< of baselines, in heights of a capital
constexpr double descent = 0.3;        ///< of letters below the baseline, in heights of a capital

}  // namespace

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
