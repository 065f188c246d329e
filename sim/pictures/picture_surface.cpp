#include "sim/pictures/picture_surface.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/core/memory/device_transfer.hpp"

namespace aureole {

using pictures::Level;
using pictures::MassScale;
using pictures::MassSurvey;

namespace {

constexpr int fixed_point_bits = 61;  // a layer's sum stays below 2^63
constexpr int survey_bits = 30;       // of SumMasses

/// Copies what `exec` has computed to the host.
template <class T>
void fetch(Exec exec, T* to, const T* from, std::size_t n)
{
    if (exec.backend == Backend::cpu) {
        std::copy_n(from, n, to);
        return;
    }
    device::wait(exec.stream);
    device::download(to, from, n * sizeof(T));
}

template <class T>
std::vector<T> fetched(Exec exec, const Buffer<T>& from, std::size_t n)
{
    std::vector<T> result(n);
    if (n > 0) fetch(exec, result.data(), from.data(), n);
    return result;
}

unsigned padding(unsigned pixels) { return pixels / 4 + 8; }

/// The nodes of every level, and those whose masses reach the field.
pictures::Pyramid arranged(unsigned pixels, unsigned n_parts)
{
    pictures::Pyramid pyramid;
    pyramid.pad = padding(pixels);
    pyramid.n_parts = n_parts;
    const Index nodes = pixels + 2 * pyramid.pad;
    const auto padding_holds = [&](int l) {
        return Index{4} << l <= pyramid.pad;
    };  // a bell reaches 3.5 cells
    for (int l = 0; l < pictures::most_levels && (l == 0 || padding_holds(l)); ++l) {
        Level& level = pyramid.level[l];
        level.scale = std::ldexp(1.0, -l);
        level.nodes = l == 0 ? nodes : ((nodes - 1) >> l) + 2;
        const Level& finer = pyramid.level[std::max(l - 1, 0)];
        const Index last_of_finer = finer.origin + finer.side - 1;
        level.origin = l == 0 ? pyramid.pad : std::max<Index>(finer.origin / 2, 1) - 1;
        level.side = l == 0 ? pixels : std::min(last_of_finer / 2 + 1, level.nodes - 1) - level.origin + 1;
        pyramid.n_levels = l + 1;
    }
    return pyramid;
}

/// Cells that masses are added to, and all of them.
struct CellCounts {
    std::size_t deposited = 0, all = 0, coarse_counts = 0, counts = 0;

    explicit CellCounts(const pictures::Pyramid& p)
        : deposited(p.level[0].cells()), counts(std::size_t{p.level[0].nodes} * p.level[0].nodes)
    {
        for (int l = 1; l < p.n_levels; ++l) {
            deposited += p.level[l].cells() * (1 + p.n_parts);
            coarse_counts += std::size_t{p.level[l].nodes} * p.level[l].nodes;
        }
        all = deposited + p.level[0].cells() * p.n_parts;
        coarse_counts += std::size_t{p.level[1].nodes} * p.level[0].nodes;  // scratch
    }
};

}  // namespace

std::size_t SurfacePyramid::bytes(unsigned pixels, unsigned n_parts)
{
    const CellCounts n(arranged(pixels, n_parts));
    return n.all * sizeof(std::int64_t) + (n.counts + 1) * sizeof(std::uint32_t) +
           n.coarse_counts * sizeof(float) + std::size_t{pixels} * pixels * sizeof(io::Rgb) +
           pictures::n_bins * sizeof(FixedSum) + sizeof(ColourTables) + sizeof(MassSurvey);
}

void SurfacePyramid::arrange(const PictureField& field, unsigned n_parts)
{
    AUREOLE_EXPECT(
        field.pixels >= 16 && field.pixels <= 8192 && field.width > 0,
        "the picture has {} pixels and the width {}, expected 16 to 8192 pixels and a positive width",
        field.pixels, field.width);
    pyramid_ = arranged(field.pixels, n_parts);
    const CellCounts n(pyramid_);
    deposited_ = n.deposited;
    cells_.require(exec_.backend, n.all);
    counts_.require(exec_.backend, n.counts + n.counts % 2);  // whole words to clear
    coarse_counts_.require(exec_.backend, n.coarse_counts);
    survey_.require(exec_.backend, 1);
    std::int64_t* cell = cells_.data();
    float* count = coarse_counts_.data();
    for (int l = 0; l < pyramid_.n_levels; ++l) {
        Level& level = pyramid_.level[l];
        level.mass = cell;
        cell += level.cells();
        if (l == 0) continue;
        level.parts = cell;
        cell += level.cells() * n_parts;
        level.count = count;
        count += std::size_t{level.nodes} * level.nodes;
    }
    pyramid_.level[0].parts = cell;
    pyramid_.counts = counts_.data();
    pyramid_.scratch = count;
}

void SurfacePyramid::clear()
{
    pictures::fill_zero(exec_, cells_.data(), deposited_ * sizeof(std::int64_t));
    pictures::fill_zero(exec_, counts_.data(), counts_.size() * sizeof(std::uint32_t));
    pictures::fill_zero(exec_, survey_.data(), sizeof(MassSurvey));
}

MassSurvey SurfacePyramid::survey() const
{
    MassSurvey result;
    fetch(exec_, &result, survey_.data(), 1);
    return result;
}

/// A power of two for which all mass together is below 2^61.
MassScale SurfacePyramid::mass_scale(const ConstParticlesView& particles, const PictureField& field)
{
    pictures::survey_largest(exec_, particles, survey_.data());
    int exponent = 0;  // the largest mass is below 2^exponent
    const double largest = std::bit_cast<double>(survey().largest);
    any_mass_ = largest > 0;
    if (!any_mass_) return {};
    std::frexp(largest, &exponent);
    pictures::survey_sum(exec_, particles, exponent, survey_.data());
    const int sum_exponent = static_cast<int>(std::bit_width(survey().units)) + exponent - survey_bits;
    const int power = fixed_point_bits - sum_exponent;
    density_ = std::ldexp(1 / field.pixel_size() / field.pixel_size(), -power);
    return {std::ldexp(1.0, power / 2), std::ldexp(1.0, power - power / 2)};
}

std::size_t SurfacePyramid::largest_component(Exec exec, const ConstParticlesView& particles)
{
    exec_ = exec;
    survey_.require(exec.backend, 1);
    pictures::fill_zero(exec, survey_.data(), sizeof(MassSurvey));
    pictures::survey_largest(exec, particles, survey_.data());
    return survey().component;
}

void SurfacePyramid::sum(Exec exec, const ConstParticlesView& particles, const PictureField& field,
                         const SurfaceParts& parts, const Progress& progress)
{
    AUREOLE_EXPECT(particles.where == exec.backend, "a picture on {} needs particles there, found them on {}",
                   name_of(exec.backend), name_of(particles.where));
    exec_ = exec;
    arrange(field, parts.n);
    clear();
    const MassScale scale = mass_scale(particles, field);
    if (any_mass_) {
        progress.at(0.2, "surface densities");
        pictures::count_particles(exec, particles, field, pyramid_);
        progress.at(0.5, "surface densities");
        pictures::deposit_masses(exec, particles, field, pyramid_, scale, parts.choice);
    }
    progress.at(0.9, "surface densities");
    pictures::sum_levels(exec, pyramid_);
}

std::vector<double> SurfacePyramid::densities(unsigned layer)
{
    const std::size_t n = pyramid_.level[0].cells();
    densities_.require(exec_.backend, n);
    pictures::copy_densities(exec_, pyramid_, layer, density_, densities_.data());
    return fetched(exec_, densities_, n);
}

double SurfacePyramid::largest_density()
{
    pictures::fill_zero(exec_, survey_.data(), sizeof(MassSurvey));
    pictures::find_largest_density(exec_, pyramid_, density_, &survey_.data()->largest);
    return std::bit_cast<double>(survey().largest);
}

std::vector<double> SurfacePyramid::mass_by_density(double largest)
{
    bins_.require(exec_.backend, pictures::n_bins);
    pictures::fill_zero(exec_, bins_.data(), pictures::n_bins * sizeof(FixedSum));
    pictures::sum_mass_by_density(exec_, pyramid_, density_, largest, bins_.data());
    std::vector<double> result;
    for (const FixedSum& sum : fetched(exec_, bins_, pictures::n_bins)) result.push_back(sum.value());
    return result;
}

void SurfacePyramid::paint(const pictures::Paint& colours, const ColourTables& tables, io::Rgb* pixels)
{
    if (exec_.backend == Backend::cpu)
        return pictures::paint_pixels(exec_, pyramid_, colours, &tables, pixels);
    if (copied_ != &tables || tables_.where() != exec_.backend)
        tables_ = Buffer<ColourTables>(exec_.backend, std::span(&tables, 1));
    copied_ = &tables;
    const std::size_t n = pyramid_.level[0].cells();
    pixels_.require(exec_.backend, n);
    pictures::paint_pixels(exec_, pyramid_, colours, tables_.data(), pixels_.data());
    fetch(exec_, pixels, pixels_.data(), n);
}

ParticleSample sample_of(Exec exec, const ConstParticlesView& particles, const PictureField& field,
                         std::size_t about)
{
    if (particles.n == 0) return {};
    const Index stride = static_cast<Index>(particles.n / about + 1), n = (particles.n - 1) / stride + 1;
    Buffer<double> numbers(exec.backend, std::size_t{n} * 5);
    Buffer<Component> components(exec.backend, n);
    const auto column = [&](std::size_t k) { return numbers.data() + k * n; };
    pictures::sample_particles(
        exec, particles, field, n,
        {stride, column(0), column(1), column(2), column(3), column(4), components.data()});
    const std::vector<double> all = fetched(exec, numbers, numbers.size());
    const auto values = [&](std::ptrdiff_t k) {
        return std::vector<double>(all.begin() + k * n, all.begin() + (k + 1) * n);
    };
    return {values(0), values(1), values(2), values(3), values(4), fetched(exec, components, n)};
}

SurfaceDensity projected_surface_density(Exec exec, const ConstParticlesView& particles,
                                         const PictureField& field, unsigned n_parts)
{
    SurfacePyramid pyramid;
    pyramid.sum(exec, particles, field,
                {n_parts, {n_parts > 0 ? pictures::PartRule::component : pictures::PartRule::none}});
    SurfaceDensity result{pyramid.densities(0), {}};
    for (unsigned k = 1; k <= n_parts; ++k) result.parts.push_back(pyramid.densities(k));
    return result;
}

}  // namespace aureole
