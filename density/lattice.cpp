#include "density/lattice.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

constexpr Index nobody = 0xffffffffu;

Index side_of_cube(Index n)
{
    const auto side = static_cast<Index>(std::llround(std::cbrt(static_cast<double>(n))));
    if (n == 0 || std::uint64_t{side} * side * side != n)
        throw Error(fmt::format(
            "density: {} particles are no complete lattice, expected a cube number as {}^3 = {}; phase-space "
            "elements need every particle of the initial lattice",
            n, side, std::uint64_t{side} * side * side));
    if (side < 2) throw Error("density: a lattice of one particle has no elements, expected at least 2^3");
    return side;
}

void expect_one_type(const ParticlesView& p)
{
    for (Index i = 0; i < p.n; ++i)
        if (p.type[i] != p.type[0])
            throw Error(fmt::format(
                "density: particles are of several types, {} (id {}) and {} (id {}); a lattice has "
                "one, --types chooses it",
                p.type[0], p.id[0], p.type[i], p.id[i]));
}

void expect_one_mass(const ParticlesView& p)
{
    for (Index i = 0; i < p.n; ++i)
        if (!(p.mass[i] == p.mass[0]) || !(p.mass[i] >= 0) || !std::isfinite(p.mass[i]))
            throw Error(fmt::format(
                "density: masses are {} (id {}) and {} (id {}), expected equal ones: an element's mass is a "
                "constant",
                p.mass[0], p.id[0], p.mass[i], p.id[i]));
}

/// 0 when there is such an id, else 1.
std::uint64_t detected_first_id(const ParticlesView& p)
{
    for (Index i = 0; i < p.n; ++i)
        if (p.id[i] == 0) return 0;
    return 1;
}

/// particle of each id, in the sequence of ids.
std::vector<Index> by_id(const ParticlesView& p, std::uint64_t first)
{
    std::vector<Index> particle(p.n, nobody);
    std::uint64_t outside = 0, repeated = 0, first_outside = 0, first_repeated = 0;
    for (Index i = 0; i < p.n; ++i) {
        if (p.id[i] < first || p.id[i] - first >= p.n) {
            if (outside++ == 0) first_outside = p.id[i];
            continue;
        }
        Index& slot = particle[p.id[i] - first];
        if (slot == nobody)
            slot = i;
        else if (repeated++ == 0)
            first_repeated = p.id[i];
    }
    if (outside + repeated == 0) return particle;
    std::uint64_t missing = 0;
    while (particle[missing] != nobody) ++missing;
    std::string also;
    if (repeated > 0)
        also += fmt::format("; {} ids repeat others, the first is {}", repeated, first_repeated);
    if (outside > 0) also += fmt::format("; {} are outside, the first is {}", outside, first_outside);
    throw Error(
        fmt::format("density: ids are no complete lattice: of {} to {}, {} are missing, the first is {}{}",
                    first, first + p.n - 1, outside + repeated, first + missing, also));
}

/// Mean separation, along each axis, of particles whose ids differ by `stride`, in lattice spacings. Around a
/// periodic lattice the separations of nearest images add up to whole boxes, so in the right order this is 1
/// along one axis and 0 along the others, however far particles have moved.
std::array<double, 3> mean_separation(const ParticlesView& p, Box box, const std::vector<Index>& particle,
                                      Index side, Index stride)
{
    std::array<double, 3> sum{};
    for (Index site = 0; site < p.n; ++site) {
        const Index along = site / stride % side;
        const Index next = along + 1 < side ? site + stride : site - along * stride;
        const Vec3 d = box.nearest(p.position.load(particle[next]) - p.position.load(particle[site]));
        sum[0] += d.x;
        sum[1] += d.y;
        sum[2] += d.z;
    }
    for (double& s : sum) s *= side / (box.side * p.n);
    return sum;
}

/// The axis along which neighbours by `stride` are neighbours in space; 3 when there is none.
std::size_t axis_of(const std::array<double, 3>& separation)
{
    std::size_t axis = 3;
    for (std::size_t a = 0; a < 3; ++a) {
        if (std::abs(separation[a]) < 0.3) continue;
        if (axis < 3 || std::abs(separation[a] - 1) > 0.3) return 3;
        axis = a;
    }
    return axis;
}

/// Axes of the strides n^2, n, 1.
std::string detected_axes(const ParticlesView& p, Box box, const std::vector<Index>& particle, Index side)
{
    std::string axes;
    for (const Index stride : {side * side, side, Index{1}}) {
        const auto separation = mean_separation(p, box, particle, side, stride);
        const std::size_t axis = axis_of(separation);
        if (axis == 3 || axes.find("xyz"[axis]) != std::string::npos)
            throw Error(
                fmt::format("density: ids that differ by {} are ({:.3g}, {:.3g}, {:.3g}) lattice spacings "
                            "apart in the mean, "
                            "expected 1 along one axis and 0 along the others: ids do not number a lattice "
                            "of the box of side "
                            "{}",
                            stride, separation[0], separation[1], separation[2], box.side));
        axes += "xyz"[axis];
    }
    return axes;
}

void expect_axes(const std::string& axes)
{
    const bool all = axes.size() == 3 && axes.find('x') != std::string::npos &&
                     axes.find('y') != std::string::npos && axes.find('z') != std::string::npos;
    if (!all)
        throw Error(
            fmt::format("density: the order of axes is '{}', expected x, y and z from slowest to fastest, "
                        "as xyz",
                        axes));
}

/// Particles of every k-th site in the sequence of x, y, z.
Buffer<Index> in_sequence(const std::vector<Index>& particle, Index side, const std::string& axes,
                          Index every)
{
    const Index n = side / every;
    std::array<std::uint64_t, 3> stride{};
    std::uint64_t step = std::uint64_t{side} * side;
    for (const char axis : axes) {
        stride[static_cast<std::size_t>(axis - 'x')] = step * every;
        step /= side;
    }
    Buffer<Index> result(Backend::cpu, std::size_t{n} * n * n);
    Index* to = result.data();
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
            for (Index k = 0; k < n; ++k) *to++ = particle[i * stride[0] + j * stride[1] + k * stride[2]];
    return result;
}

}  // namespace

void expect_inside(const ParticlesView& p, Box box)
{
    for (Index i = 0; i < p.n; ++i) {
        const Vec3 x = p.position.load(i);
        for (const double c : {x.x, x.y, x.z}) {
            if (!std::isfinite(c))
                throw Error(
                    fmt::format("density: particle {} (id {}) is at ({}, {}, {}), expected finite numbers", i,
                                p.id[i], x.x, x.y, x.z));
            if (box.periodic() && !(c >= -box.side && c <= 2 * box.side))
                throw Error(
                    fmt::format("density: particle {} (id {}) is at ({}, {}, {}), farther than a box outside "
                                "the box of side "
                                "{}; is that the box of these positions?",
                                i, p.id[i], x.x, x.y, x.z, box.side));
        }
    }
}

Lattice make_lattice(const ParticlesView& p, Box box, const LatticeChoice& choice)
{
    AUREOLE_EXPECT(p.where == Backend::cpu, "the lattice is found in host memory, not in {}",
                   name_of(p.where));
    if (!(box.periodic() && std::isfinite(box.side)))
        throw Error("density: the box has no side; phase-space elements need a periodic box");
    expect_one_type(p);
    const Index side = side_of_cube(p.n);
    if (choice.every < 1 || side % choice.every != 0 || side / choice.every < 2)
        throw Error(
            fmt::format("density: every {}-th of {} sites a side was asked for, expected a divisor of {} "
                        "that leaves at least 2",
                        choice.every, side, side));
    expect_one_mass(p);
    expect_inside(p, box);
    Lattice lattice;
    lattice.first_id = choice.first_id.value_or(detected_first_id(p));
    const std::vector<Index> particle = by_id(p, lattice.first_id);
    if (choice.axes) expect_axes(*choice.axes);
    lattice.axes = choice.axes ? *choice.axes : detected_axes(p, box, particle, side);
    lattice.side = side / choice.every;
    lattice.particle = in_sequence(particle, side, lattice.axes, choice.every);
    lattice.particle_mass = p.mass[0];
    lattice.tetrahedron_mass =
        p.mass[0] * choice.every * choice.every * choice.every / 6;  // of tetrahedra_per_cube
    return lattice;
}

}  // namespace aureole::density
