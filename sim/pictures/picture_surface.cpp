#include "sim/pictures/picture_surface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "sim/core/spatial/box.hpp"

namespace aureole {
namespace {

constexpr double particles_per_cell = 16;  // 80 in the area of a bell: noise of 11 %, 0.05 dex
constexpr double part_coarsening = 1;      // levels: colour may be softer than light, and shares are noisier
constexpr unsigned parallel_rows = 400;    // smaller grids stay on one thread
constexpr int fixed_point_bits = 61;       // a layer's sum stays below 2^63

/// A square grid of nodes on the padded field; node (i, j) of level l lies at pixel centre (i 2^l, j 2^l).
struct Level {
    unsigned nodes = 0;
    double scale = 1;                               // 2^-l
    std::vector<float> count;                       // particles per cell
    std::vector<std::vector<std::int64_t>> layers;  // mass in fixed point: all of it, then the parts
};

/// Where a particle falls between four nodes.
struct Footprint {
    std::size_t node;
    double fx, fy;

    Footprint(PlanePoint u, const Level& level)
    {
        const double x = u.x * level.scale, y = u.y * level.scale;
        const auto i = static_cast<std::size_t>(x), j = static_cast<std::size_t>(y);
        node = j * level.nodes + i;
        fx = x - static_cast<double>(i);
        fy = y - static_cast<double>(j);
    }
};

double interpolated_count(const Level& level, PlanePoint u)
{
    const Footprint at(u, level);
    const float* c = level.count.data() + at.node;
    return (1 - at.fy) * ((1 - at.fx) * c[0] + at.fx * c[1]) +
           at.fy * ((1 - at.fx) * c[level.nodes] + at.fx * c[level.nodes + 1]);
}

void add(std::int64_t& cell, double amount)
{
    const auto rounded = static_cast<std::int64_t>(amount + 0.5);
#pragma omp atomic
    cell += rounded;
}

/// Quadratic B-spline weights of the three nodes nearest to x; the first of them is returned.
std::size_t nearest_three(double x, std::array<double, 3>& weight)
{
    const auto middle = static_cast<std::size_t>(x + 0.5);
    const double d = x - static_cast<double>(middle);
    weight = {0.5 * (0.5 - d) * (0.5 - d), 0.75 - d * d, 0.5 * (0.5 + d) * (0.5 + d)};
    return middle - 1;
}

/// Nine nodes: with four, a lattice of particles beats visibly against the grid.
void add_quadratic(Level& level, std::size_t layer, PlanePoint u, double mass)
{
    std::array<double, 3> wx, wy;
    const std::size_t i = nearest_three(u.x * level.scale, wx), j = nearest_three(u.y * level.scale, wy);
    std::int64_t* cell = level.layers[layer].data() + j * level.nodes + i;
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
            add(cell[row * level.nodes + column], mass * wy[row] * wx[column]);
}

/// to += factor * from, for rows of the same length.
template <class T>
void add_row(T* to, const T* from, T factor, unsigned n)
{
    for (unsigned i = 0; i < n; ++i) to[i] += factor * from[i];
}

/// Particles per cell of the next level: the transpose of `refined`, so that a cell weighs with the bell.
std::vector<float> coarsened(const std::vector<float>& fine, unsigned n_fine, unsigned n_coarse)
{
    constexpr std::array<float, 5> rule{1.f / 8, 4.f / 8, 6.f / 8, 4.f / 8, 1.f / 8};
    std::vector<float> result(std::size_t{n_coarse} * n_coarse);
#pragma omp parallel for if (n_coarse > parallel_rows)
    for (unsigned k = 0; k < n_coarse; ++k) {
        std::vector<float> row(n_fine + 4);  // two empty cells on either side
        for (unsigned m = 0; m < 5; ++m) {
            const unsigned j = 2 * k + m;  // two more than the fine row
            if (j >= 2 && j < n_fine + 2)
                add_row(row.data() + 2, fine.data() + std::size_t{j - 2} * n_fine, rule[m], n_fine);
        }
        for (unsigned i = 0; i < n_coarse && 2 * i < n_fine; ++i)
            for (unsigned m = 0; m < 5; ++m)
                result[std::size_t{k} * n_coarse + i] += rule[m] * row[2 * i + m];
    }
    return result;
}

/// Masses of the next finer level, by the subdivision rule of the cubic B-spline in both directions.
std::vector<double> refined(const std::vector<double>& coarse, unsigned n_coarse, unsigned n_fine)
{
    std::vector<double> result(std::size_t{n_fine} * n_fine);
#pragma omp parallel for if (n_fine > parallel_rows)
    for (unsigned j = 0; j < n_fine; ++j) {
        const unsigned k = j / 2;
        std::vector<double> row(n_coarse + 2);  // an empty cell on either side
        const auto add_coarse = [&](unsigned from, double factor) {
            add_row(row.data() + 1, coarse.data() + std::size_t{from} * n_coarse, factor, n_coarse);
        };
        add_coarse(k, j % 2 == 0 ? 6.0 / 16 : 4.0 / 16);
        if (j % 2 == 0 && k > 0) add_coarse(k - 1, 1.0 / 16);
        if (k + 1 < n_coarse) add_coarse(k + 1, j % 2 == 0 ? 1.0 / 16 : 4.0 / 16);
        double* fine = result.data() + std::size_t{j} * n_fine;
        for (unsigned i = 0; i < n_fine; i += 2)
            fine[i] = (row[i / 2] + 6 * row[i / 2 + 1] + row[i / 2 + 2]) / 16;
        for (unsigned i = 1; i < n_fine; i += 2) fine[i] = (row[i / 2 + 1] + row[i / 2 + 2]) / 4;
    }
    return result;
}

class Pyramid {
public:
    Pyramid(const Particles& host, const PictureField& field, unsigned n_parts);

    SurfaceDensity surface() const;

private:
    bool counts(std::size_t i) const
    {
        const Vec3 x = position_of(i);
        const double m = host_.mass.data()[i];
        return m > 0 && std::isfinite(m) && std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z);
    }
    Vec3 position_of(std::size_t i) const
    {
        return {host_.position.x.data()[i], host_.position.y.data()[i], host_.position.z.data()[i]};
    }
    void measure_masses();
    void count_particles();
    void deposit(std::size_t i);
    void spread(std::size_t layer, PlanePoint u, double exact_level, double mass);
    std::vector<double> collapsed(std::size_t layer) const;
    double level_at(PlanePoint u) const;

    /// visit(u) for every periodic image of particle i on the padded grid; u in units of its nodes.
    template <class Visit>
    void for_each_image(std::size_t i, Visit visit) const;

    const Particles& host_;
    const PictureField field_;
    const std::size_t n_parts_;
    const unsigned pad_;                 // pixels around the field, wider than any bell
    double largest_mass_ = 0, sum_ = 0;  // sum in units of the largest
    std::vector<Level> levels_;
};

Pyramid::Pyramid(const Particles& host, const PictureField& field, unsigned n_parts)
    : host_(host), field_(field), n_parts_(n_parts), pad_(field.pixels / 4 + 8)
{
    const unsigned nodes = field.pixels + 2 * pad_;
    const auto padding_holds = [&](unsigned l) { return 4u << l <= pad_; };  // a bell reaches 3.5 cells
    for (unsigned l = 0; l == 0 || padding_holds(l); ++l) {
        Level& level = levels_.emplace_back();
        level.scale = std::ldexp(1.0, -static_cast<int>(l));
        level.nodes = l == 0 ? nodes : ((nodes - 1) >> l) + 2;
        level.layers.assign(1 + n_parts, std::vector<std::int64_t>(std::size_t{level.nodes} * level.nodes));
    }
    measure_masses();
    if (!(sum_ > 0)) return;
    count_particles();
    const std::size_t n = host.size();
#pragma omp parallel for if (n > parallel_threshold)
    for (std::size_t i = 0; i < n; ++i) deposit(i);
}

void Pyramid::measure_masses()
{
    for (std::size_t i = 0; i < host_.size(); ++i)
        if (counts(i)) largest_mass_ = std::max(largest_mass_, host_.mass.data()[i]);
    for (std::size_t i = 0; i < host_.size(); ++i)
        if (counts(i)) sum_ += host_.mass.data()[i] / largest_mass_;
}

template <class Visit>
void Pyramid::for_each_image(std::size_t i, Visit visit) const
{
    if (!counts(i)) return;
    const PlanePoint d = field_.offset(position_of(i));
    const double first = 0.5 / levels_.back().scale, last = levels_[0].nodes - 1 - first;  // three nodes fit
    const int images = field_.side > 0 ? 1 : 0;
    for (int ky = -images; ky <= images; ++ky)
        for (int kx = -images; kx <= images; ++kx) {
            const PlanePoint p = field_.pixel({d.x + kx * field_.side, d.y + ky * field_.side});
            const PlanePoint u{p.x - 0.5 + pad_, p.y - 0.5 + pad_};
            if (u.x >= first && u.y >= first && u.x < last && u.y < last) visit(u);
        }
}

void Pyramid::count_particles()
{
    const unsigned nodes = levels_[0].nodes;
    std::vector<std::uint32_t> count(std::size_t{nodes} * nodes);
    const std::size_t n = host_.size();
#pragma omp parallel for if (n > parallel_threshold)
    for (std::size_t i = 0; i < n; ++i)
        for_each_image(i, [&](PlanePoint u) {
            std::uint32_t& cell = count[Footprint({u.x + 0.5, u.y + 0.5}, levels_[0]).node];
#pragma omp atomic
            ++cell;
        });
    levels_[0].count.assign(count.begin(), count.end());
    for (std::size_t l = 1; l < levels_.size(); ++l)
        levels_[l].count = coarsened(levels_[l - 1].count, levels_[l - 1].nodes, levels_[l].nodes);
}

/// The level, with a fraction, at which a cell around `u` holds particles_per_cell.
double Pyramid::level_at(PlanePoint u) const
{
    double finer = interpolated_count(levels_[0], u);
    if (finer >= particles_per_cell) return 0;
    for (std::size_t l = 1; l < levels_.size(); ++l) {
        const double count = interpolated_count(levels_[l], u);
        if (count >= particles_per_cell) {
            finer = std::max(finer, 0.01);
            return static_cast<double>(l) - 1 +
                   std::log(particles_per_cell / finer) / std::log(count / finer);
        }
        finer = count;
    }
    return static_cast<double>(levels_.size() - 1);
}

void Pyramid::deposit(std::size_t i)
{
    const double mass = std::ldexp(host_.mass.data()[i] / largest_mass_ / sum_, fixed_point_bits);
    const double coarsest = static_cast<double>(levels_.size() - 1);
    for_each_image(i, [&](PlanePoint u) {
        const double level = level_at(u);
        spread(0, u, level, mass);
        if (n_parts_ > 0)
            spread(1 + host_.component.data()[i] % n_parts_, u, std::min(level + part_coarsening, coarsest),
                   mass);
    });
}

void Pyramid::spread(std::size_t layer, PlanePoint u, double exact_level, double mass)
{
    const auto lower = static_cast<std::size_t>(exact_level);
    const double upper_share = exact_level - static_cast<double>(lower);
    for (std::size_t l = lower; l <= lower + (upper_share > 0 ? 1 : 0); ++l) {
        const double part = mass * (l == lower ? 1 - upper_share : upper_share);
        add_quadratic(levels_[l], layer, u, part);
    }
}

/// The field's pixels of one layer, all levels summed from coarse to fine.
std::vector<double> Pyramid::collapsed(std::size_t layer) const
{
    std::vector<double> sum;
    for (std::size_t l = levels_.size(); l-- > 0;) {
        if (!sum.empty()) sum = refined(sum, levels_[l + 1].nodes, levels_[l].nodes);
        const std::vector<std::int64_t>& own = levels_[l].layers[layer];
        sum.resize(own.size());
        for (std::size_t k = 0; k < own.size(); ++k) sum[k] += static_cast<double>(own[k]);
    }
    const double quantum = std::ldexp(sum_, -fixed_point_bits) * largest_mass_;
    const double density = quantum / field_.pixel_size() / field_.pixel_size();
    std::vector<double> pixels;
    pixels.reserve(std::size_t{field_.pixels} * field_.pixels);
    for (unsigned y = 0; y < field_.pixels; ++y)
        for (unsigned x = 0; x < field_.pixels; ++x)
            pixels.push_back(density * sum[std::size_t{y + pad_} * levels_[0].nodes + x + pad_]);
    return pixels;
}

SurfaceDensity Pyramid::surface() const
{
    SurfaceDensity result{collapsed(0), {}};
    for (std::size_t k = 0; k < n_parts_; ++k) result.parts.push_back(collapsed(1 + k));
    return result;
}

}  // namespace

PlanePoint PictureField::plane(Vec3 x) const
{
    if (axis == 'x') return {x.y, x.z};
    if (axis == 'y') return {x.x, x.z};
    return {x.x, x.y};
}

PlanePoint PictureField::offset(Vec3 x) const { return plane(Box{side}.nearest(x - centre)); }

PlanePoint PictureField::pixel(PlanePoint d) const
{
    return {(0.5 + d.x / width) * pixels, (0.5 - d.y / width) * pixels};
}

SurfaceDensity projected_surface_density(const Particles& host, const PictureField& field, unsigned n_parts)
{
    AUREOLE_EXPECT(host.where() == Backend::cpu, "a picture needs particles in host memory, found them on {}",
                   name_of(host.where()));
    AUREOLE_EXPECT(
        field.pixels >= 16 && field.pixels <= 8192 && field.width > 0,
        "the picture has {} pixels and the width {}, expected 16 to 8192 pixels and a positive width",
        field.pixels, field.width);
    return Pyramid(host, field, n_parts).surface();
}

}  // namespace aureole
