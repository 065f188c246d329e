#include "sim/run/picture_surface.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sim/core/box.hpp"

namespace aureole {
namespace {

constexpr float particles_per_cell = 8;  // 40 in the bell's effective area: noise of 15 %, 0.07 dex
constexpr int fixed_point_bits = 61;     // a layer's sum stays below 2^63

/// A square grid of nodes on the padded field; node (i, j) of level l lies at pixel centre (i 2^l, j 2^l).
struct Level {
    unsigned nodes = 0;
    std::vector<float> count;                       // particles per cell
    std::vector<std::vector<std::int64_t>> layers;  // mass in fixed point
};

/// Where a particle falls between four nodes.
struct Footprint {
    std::size_t node;
    double fx, fy;

    Footprint(PlanePoint u, int level, unsigned nodes)
    {
        const double x = std::ldexp(u.x, -level), y = std::ldexp(u.y, -level);
        const auto i = static_cast<std::size_t>(x), j = static_cast<std::size_t>(y);
        node = j * nodes + i;
        fx = x - static_cast<double>(i);
        fy = y - static_cast<double>(j);
    }
};

double interpolated_count(const Level& level, PlanePoint u, int l)
{
    const Footprint at(u, l, level.nodes);
    const float* c = level.count.data() + at.node;
    return (1 - at.fy) * ((1 - at.fx) * c[0] + at.fx * c[1]) +
           at.fy * ((1 - at.fx) * c[level.nodes] + at.fx * c[level.nodes + 1]);
}

void add(std::int64_t& cell, double amount)
{
    const auto rounded = static_cast<std::int64_t>(std::llrint(amount));
#pragma omp atomic
    cell += rounded;
}

/// The transpose of `refined`, along one line: fine -> coarse, stride in elements.
void coarsen_line(const float* fine, unsigned n_fine, float* coarse, unsigned n_coarse, std::size_t stride)
{
    constexpr float rule[5] = {1.f / 8, 4.f / 8, 6.f / 8, 4.f / 8, 1.f / 8};
    for (unsigned k = 0; k < n_coarse; ++k) {
        float sum = 0;
        for (int m = -2; m <= 2; ++m) {
            const std::int64_t j = 2 * std::int64_t{k} + m;
            if (j >= 0 && j < n_fine) sum += rule[m + 2] * fine[static_cast<std::size_t>(j) * stride];
        }
        coarse[k * stride] = sum;
    }
}

std::vector<float> coarsened(const std::vector<float>& fine, unsigned n_fine, unsigned n_coarse)
{
    std::vector<float> columns(std::size_t{n_coarse} * n_fine), result(std::size_t{n_coarse} * n_coarse);
#pragma omp parallel for
    for (unsigned j = 0; j < n_fine; ++j)
        coarsen_line(fine.data() + std::size_t{j} * n_fine, n_fine,
                     columns.data() + std::size_t{j} * n_coarse, n_coarse, 1);
    // down the columns: fine row j of `columns` starts at j * n_coarse
    for (unsigned i = 0; i < n_coarse; ++i)
        coarsen_line(columns.data() + i, n_fine, result.data() + i, n_coarse, n_coarse);
    return result;
}

/// Cubic B-spline subdivision of one line of masses: half of a coarse node's mass per fine node pair.
double refined_at(const double* coarse, unsigned n_coarse, unsigned j, std::size_t stride)
{
    const unsigned k = j / 2;
    const double here = coarse[k * stride], next = k + 1 < n_coarse ? coarse[(k + 1) * stride] : 0.0;
    if (j % 2 == 1) return (here + next) / 4;
    const double before = k > 0 ? coarse[(k - 1) * stride] : 0.0;
    return (before + 6 * here + next) / 16;
}

std::vector<double> refined(const std::vector<double>& coarse, unsigned n_coarse, unsigned n_fine)
{
    std::vector<double> rows(std::size_t{n_coarse} * n_fine), result(std::size_t{n_fine} * n_fine);
#pragma omp parallel for
    for (unsigned j = 0; j < n_coarse; ++j)
        for (unsigned i = 0; i < n_fine; ++i)
            rows[std::size_t{j} * n_fine + i] =
                refined_at(coarse.data() + std::size_t{j} * n_coarse, n_coarse, i, 1);
#pragma omp parallel for
    for (unsigned j = 0; j < n_fine; ++j)
        for (unsigned i = 0; i < n_fine; ++i)
            result[std::size_t{j} * n_fine + i] = refined_at(rows.data() + i, n_coarse, j, n_fine);
    return result;
}

class Pyramid {
public:
    Pyramid(const Particles& host, const PictureField& field, unsigned n_layers);

    SurfaceDensity collapsed() const;

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
    double level_at(PlanePoint u) const;

    /// visit(u) for every periodic image of particle i on the padded grid; u in units of its nodes.
    template <class Visit>
    void for_each_image(std::size_t i, Visit visit) const;

    const Particles& host_;
    const PictureField field_;
    const unsigned pad_;                 // pixels around the field, wider than any bell
    double largest_mass_ = 0, sum_ = 0;  // sum in units of the largest
    std::vector<Level> levels_;
};

Pyramid::Pyramid(const Particles& host, const PictureField& field, unsigned n_layers)
    : host_(host), field_(field), pad_(field.pixels / 4 + 4)
{
    const unsigned nodes = field.pixels + 2 * pad_;
    const auto padding_holds = [&](unsigned l) { return 3u << l <= pad_; };  // a bell reaches three cells
    for (unsigned l = 0; l == 0 || padding_holds(l); ++l) {
        Level& level = levels_.emplace_back();
        level.nodes = l == 0 ? nodes : ((nodes - 1) >> l) + 2;
        level.layers.assign(n_layers, std::vector<std::int64_t>(std::size_t{level.nodes} * level.nodes));
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
    const double last = levels_[0].nodes - 1;
    const int images = field_.side > 0 ? 1 : 0;
    for (int ky = -images; ky <= images; ++ky)
        for (int kx = -images; kx <= images; ++kx) {
            const PlanePoint p = field_.pixel({d.x + kx * field_.side, d.y + ky * field_.side});
            const PlanePoint u{p.x - 0.5 + pad_, p.y - 0.5 + pad_};
            if (u.x >= 0 && u.y >= 0 && u.x < last && u.y < last) visit(u);
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
            std::uint32_t& cell = count[Footprint({u.x + 0.5, u.y + 0.5}, 0, nodes).node];
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
    double finer = interpolated_count(levels_[0], u, 0);
    if (finer >= particles_per_cell) return 0;
    for (std::size_t l = 1; l < levels_.size(); ++l) {
        const double count = interpolated_count(levels_[l], u, static_cast<int>(l));
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
    const double whole = std::ldexp(host_.mass.data()[i] / largest_mass_ / sum_, fixed_point_bits);
    for_each_image(i, [&](PlanePoint u) {
        const double exact = level_at(u);
        const int lower = static_cast<int>(exact);
        const double upper_share = exact - lower;
        for (int l = lower; l <= lower + (upper_share > 0 ? 1 : 0); ++l) {
            Level& level = levels_[static_cast<std::size_t>(l)];
            const double mass = whole * (l == lower ? 1 - upper_share : upper_share);
            const Footprint at(u, l, level.nodes);
            std::int64_t* cell =
                level.layers[host_.component.data()[i] % level.layers.size()].data() + at.node;
            add(cell[0], mass * (1 - at.fx) * (1 - at.fy));
            add(cell[1], mass * at.fx * (1 - at.fy));
            add(cell[level.nodes], mass * (1 - at.fx) * at.fy);
            add(cell[level.nodes + 1], mass * at.fx * at.fy);
        }
    });
}

SurfaceDensity Pyramid::collapsed() const
{
    const double quantum = std::ldexp(sum_, -fixed_point_bits) * largest_mass_;
    const double density = quantum / field_.pixel_size() / field_.pixel_size();
    SurfaceDensity surface;
    for (std::size_t layer = 0; layer < levels_[0].layers.size(); ++layer) {
        std::vector<double> sum;
        for (std::size_t l = levels_.size(); l-- > 0;) {
            if (!sum.empty()) sum = refined(sum, levels_[l + 1].nodes, levels_[l].nodes);
            const std::vector<std::int64_t>& own = levels_[l].layers[layer];
            sum.resize(own.size());
            for (std::size_t k = 0; k < own.size(); ++k) sum[k] += static_cast<double>(own[k]);
        }
        std::vector<double>& pixels = surface.layers.emplace_back();
        pixels.reserve(std::size_t{field_.pixels} * field_.pixels);
        for (unsigned y = 0; y < field_.pixels; ++y)
            for (unsigned x = 0; x < field_.pixels; ++x)
                pixels.push_back(density * sum[std::size_t{y + pad_} * levels_[0].nodes + x + pad_]);
    }
    return surface;
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

std::vector<double> SurfaceDensity::total() const
{
    std::vector<double> sum(layers.empty() ? 0 : layers.front().size());
    for (const std::vector<double>& layer : layers)
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += layer[k];
    return sum;
}

SurfaceDensity projected_surface_density(const Particles& host, const PictureField& field, unsigned n_layers)
{
    AUREOLE_EXPECT(host.where() == Backend::cpu, "a picture needs particles in host memory");
    AUREOLE_EXPECT(field.pixels >= 16 && field.pixels <= 8192 && field.width > 0 && n_layers > 0,
                   "a picture of {} pixels and width {}: 16 to 8192 pixels and a positive width",
                   field.pixels, field.width);
    return Pyramid(host, field, n_layers).collapsed();
}

}  // namespace aureole
