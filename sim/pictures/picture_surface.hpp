// Projected surface density on a square grid of pixels, smoothed by the local number of particles, computed
// where the particles are.
//
// A pyramid of grids: cells of 1, 2, 4, ... pixels. Each particle goes, by quadratic B-spline weights, into
// the two levels between which a cell around it holds `particles_per_cell` particles; then the levels are
// summed from coarse to fine, each refined by the subdivision rule of the cubic B-spline (Lane & Riesenfeld
// 1980). A particle of level l thus becomes a C2 bell of about 2^l pixels, mass is
// conserved to rounding, and the cost is O(N + pixels) whatever the smoothing lengths are. The counts that
// choose the level come from the transpose of the same rule. Sums are integers, so bits depend neither on the
// number of threads nor on the backend.
#pragma once

#include <optional>
#include <vector>

#include "sim/core/particles.hpp"
#include "sim/core/progress.hpp"
#include "sim/pictures/surface_loops.hpp"

namespace aureole {

/// Layers that share the pixels' light by colour, and what chooses them.
struct SurfaceParts {
    unsigned n = 0;
    pictures::PartChoice choice{};
};

/// The sums behind a picture, on one backend. Its memory is kept for the next picture.
class SurfacePyramid {
public:
    /// Sums the masses of particles in the memory of `exec`. Particles without mass, or with a mass or
    /// position that is not finite, are left out. Throws aureole::Error unless there are 16 to 8192 pixels of
    /// a positive width. Cost: O(N + pixels).
    void sum(Exec exec, const ConstParticlesView& particles, const PictureField& field,
             const SurfaceParts& parts, const Progress& progress = {});

    /// The largest number of a component; 0 without particles.
    std::size_t largest_component(Exec exec, const ConstParticlesView& particles);

    bool any_mass() const { return any_mass_; }  ///< of the particles that were summed

    /// Bytes that a picture takes.
    static std::size_t bytes(unsigned pixels, unsigned n_parts);

    /// Surface densities of the pixels on the host, rows from the top: layer 0 all of it, then the parts,
    /// each twice as smooth as the total.
    std::vector<double> densities(unsigned layer);

    /// The largest of them, and the mass of the pixels in each bin of densities in units of the largest.
    double largest_density();
    std::vector<double> mass_by_density(double largest);

    /// Pixels on the host.
    void paint(const pictures::Paint& colours, const ColourTables& tables, io::Rgb* pixels);

    double unit_density() const { return density_; }  ///< of one unit of the sums, as mass per area

private:
    void arrange(const PictureField& field, unsigned n_parts);
    void clear();
    pictures::MassScale mass_scale(const ConstParticlesView& particles, const PictureField& field);
    pictures::MassSurvey survey() const;

    Exec exec_;
    pictures::Pyramid pyramid_;
    bool any_mass_ = false;
    double density_ = 1;
    std::size_t deposited_ = 0;  ///< cells that must be zero before masses are added
    Buffer<std::int64_t> cells_;
    Buffer<std::uint32_t> counts_;
    Buffer<float> coarse_counts_;
    Buffer<pictures::MassSurvey> survey_;
    Buffer<ColourTables> tables_;  ///< a copy, where the host's cannot be read
    const ColourTables* copied_ = nullptr;
    Buffer<io::Rgb> pixels_;
    Buffer<double> densities_;
    Buffer<FixedSum> bins_;
};

/// Every stride-th particle: what centre, width and velocities are chosen from, on the host.
struct ParticleSample {
    std::vector<double> x, y, z, mass, recession;
    std::vector<Component> component;

    std::size_t size() const { return mass.size(); }
};
ParticleSample sample_of(Exec exec, const ConstParticlesView& particles, const PictureField& field,
                         std::size_t about);

/// Mass per area of every pixel, [row * pixels + column], rows from the top.
struct SurfaceDensity {
    std::vector<double> total;
    std::vector<std::vector<double>>
        parts;  ///< the surface density of each component, twice as smooth as the total
};

/// The surface density of particles, on the host. Particles of component c go to part c % n_parts, if
/// n_parts > 0.
SurfaceDensity projected_surface_density(Exec exec, const ConstParticlesView& particles,
                                         const PictureField& field, unsigned n_parts);

}  // namespace aureole
