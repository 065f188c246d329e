#include "density/sheet/lattice.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <vector>

#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

constexpr Index no_particle = 0xffffffffu;

}  // namespace

Index side_of_cube(std::uint64_t n)
{
    const auto side = static_cast<Index>(std::llround(std::cbrt(static_cast<double>(n))));
    if (n == 0 || std::uint64_t{side} * side * side != n)
        throw Error(fmt::format(
            "density: {} particles are no complete lattice, expected a cube number as {}^3 = {}; phase-space "
            "tetrahedra need every particle of the initial lattice",
            n, side, std::uint64_t{side} * side * side));
    if (side < 2) throw Error("density: a lattice of one particle has no tetrahedra, expected at least 2^3");
    return side;
}

namespace {

/// The first particle for which bad(i) is true, or n.
template <class Bad>
Index first_bad(Index n, Bad&& bad)
{
    Index first = n;
#pragma omp parallel for reduction(min : first) if (n > parallel_threshold)
    for (Index i = 0; i < n; ++i)
        if (i < first && bad(i)) first = i;
    return first;
}

void expect_one_type(const ConstParticlesView& p)
{
    const Index i = first_bad(p.n, [&](Index k) { return p.type_of(k) != p.type_of(0); });
    if (i < p.n)
        throw Error(fmt::format(
            "density: particles are of several types, {} (id {}) and {} (id {}); a lattice has one, --types "
            "chooses it",
            p.type_of(0), p.id[0], p.type_of(i), p.id[i]));
}

void expect_one_mass(const ConstParticlesView& p)
{
    const Index i = first_bad(p.n, [&](Index k) {
        return !(p.mass[k] == p.mass[0]) || !(p.mass[k] >= 0) || !std::isfinite(p.mass[k]);
    });
    if (i < p.n)
        throw Error(fmt::format(
            "density: masses are {} (id {}) and {} (id {}), expected equal ones: all tetrahedra have "
            "one mass",
            p.mass[0], p.id[0], p.mass[i], p.id[i]));
}

/// 0 when there is an id 0, else 1.
std::uint64_t detected_first_id(const ConstParticlesView& p)
{
    return first_bad(p.n, [&](Index i) { return p.id[i] == 0; }) < p.n ? 0 : 1;
}

/// Throws an error that says how ids differ from `first` .. `first` + n - 1.
[[noreturn]] void refuse_ids(const ConstParticlesView& p, std::uint64_t first)
{
    std::vector<Index> particle(p.n, no_particle);
    std::uint64_t outside = 0, repeated = 0, first_outside = 0, first_repeated = 0;
    for (Index i = 0; i < p.n; ++i) {
        if (p.id[i] < first || p.id[i] - first >= p.n) {
            if (outside++ == 0) first_outside = p.id[i];
            continue;
        }
        Index& slot = particle[p.id[i] - first];
        if (slot == no_particle)
            slot = i;
        else if (repeated++ == 0)
            first_repeated = p.id[i];
    }
    std::uint64_t missing = 0;
    while (particle[missing] != no_particle) ++missing;
    std::string also;
    if (repeated > 0)
        also += fmt::format("; {} ids repeat others, the first is {}", repeated, first_repeated);
    if (outside > 0) also += fmt::format("; {} are outside, the first is {}", outside, first_outside);
    throw Error(
        fmt::format("density: ids are no complete lattice: of {} to {}, {} are missing, the first is {}{}",
                    first, first + p.n - 1, outside + repeated, first + missing, also));
}

/// The particle of each id, in the order of ids.
Buffer<Index> by_id(const ConstParticlesView& p, std::uint64_t first)
{
    Buffer<Index> result(Backend::cpu, p.n);
    Index* const particle = result.data();
    const auto outside = [&](Index i) { return p.id[i] < first || p.id[i] - first >= p.n; };
    if (first_bad(p.n, outside) < p.n) refuse_ids(p, first);
#pragma omp parallel for if (p.n > parallel_threshold)
    for (Index i = 0; i < p.n; ++i)
        std::atomic_ref<Index>(particle[p.id[i] - first]).store(i, std::memory_order_relaxed);
    // a particle that shares its id with another finds that other one in its place
    if (first_bad(p.n, [&](Index i) { return particle[p.id[i] - first] != i; }) < p.n) refuse_ids(p, first);
    return result;
}

/// The axis along which neighbours by `stride` are neighbours in space, or 3 if that holds along no single
/// axis.
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

}  // namespace

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

void expect_every(Index every, Index side)
{
    if (every < 1 || side % every != 0 || side / every < 2)
        throw Error(
            fmt::format("density: every {}-th of {} sites a side was asked for, expected a divisor of {} "
                        "that leaves at least 2",
                        every, side, side));
}

LineSample::LineSample(Index side, Index of_stride) : side_(side), stride_(of_stride)
{
    constexpr Index enough = 4096;
    const Index lines = side * side;
    step_ = lines > enough ? lines / enough : 1;
    count_ = (lines - 1) / step_ + 1;
}

/// Around a periodic lattice the separations of nearest images along a line of sites add up to whole boxes,
/// so in the right order the mean is 1 along one axis and 0 along the others, however far particles have
/// moved.
std::string detected_axes(Box box, Index side, const std::function<Vec3(std::size_t site)>& position)
{
    std::string axes;
    for (const Index stride : {side * side, side, Index{1}}) {
        const LineSample lines(side, stride);
        double x = 0, y = 0, z = 0;
#pragma omp parallel for reduction(+ : x, y, z)
        for (Index k = 0; k < lines.count(); ++k)
            for (Index i = 0; i < side; ++i) {
                const Vec3 d =
                    box.nearest(position(lines.site(k, (i + 1) % side)) - position(lines.site(k, i)));
                x += d.x;
                y += d.y;
                z += d.z;
            }
        const double scale = side / (box.side * lines.count() * side);
        const std::array<double, 3> separation{x * scale, y * scale, z * scale};
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

namespace {

/// Particles of every k-th site in the sequence of x, y, z.
Buffer<Index> in_sequence(const Index* particle, Index side, const std::string& axes, Index every)
{
    const Index n = side / every;
    std::array<std::uint64_t, 3> stride{};
    std::uint64_t step = std::uint64_t{side} * side;
    for (const char axis : axes) {
        stride[static_cast<std::size_t>(axis - 'x')] = step * every;
        step /= side;
    }
    Buffer<Index> result(Backend::cpu, std::size_t{n} * n * n);
#pragma omp parallel for
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
            for (Index k = 0; k < n; ++k)
                result.data()[(std::size_t{i} * n + j) * n + k] =
                    particle[i * stride[0] + j * stride[1] + k * stride[2]];
    return result;
}

/// What the sites of a lattice are found from: particles of the host with ids, of one type, in a periodic
/// box.
void expect_sites(const ConstParticlesView& p, Box box)
{
    AUREOLE_EXPECT(p.where == Backend::cpu, "the lattice needs particles in host memory, found them on {}",
                   name_of(p.where));
    if (!(box.periodic() && std::isfinite(box.side)))
        throw Error("density: the box has no side; phase-space tetrahedra need a periodic box");
    if (p.n > 0 && !p.id)
        throw Error("density: the particles have no ids, which number the sites of the lattice");
    expect_one_type(p);
}

}  // namespace

void expect_inside(const ConstParticlesView& p, Box box)
{
    const auto any = [&p](Index i, auto&& bad) {
        const Vec3 x = p.position.load(i);
        return bad(x.x) || bad(x.y) || bad(x.z);
    };
    Index i = first_bad(p.n, [&](Index k) { return any(k, [](double c) { return !std::isfinite(c); }); });
    if (i < p.n)
        throw Error(fmt::format("density: particle {} (id {}) is at ({}, {}, {}), expected finite numbers", i,
                                p.id_of(i), p.position.x[i], p.position.y[i], p.position.z[i]));
    if (!box.periodic()) return;
    i = first_bad(p.n, [&](Index k) {
        return any(k, [&](double c) { return !(c >= -box.side && c <= 2 * box.side); });
    });
    if (i < p.n)
        throw Error(
            fmt::format("density: particle {} (id {}) is at ({}, {}, {}), farther than a box outside the box "
                        "of side {}; is that the box of these positions?",
                        i, p.id_of(i), p.position.x[i], p.position.y[i], p.position.z[i], box.side));
}

void expect_of_one_sheet(const ConstParticlesView& p, Box box)
{
    expect_sites(p, box);
    expect_one_mass(p);
    expect_inside(p, box);
}

double tetrahedron_mass_of(double particle_mass, Index every)
{
    return particle_mass * every * every * every / 6;  // of tetrahedra_per_cube
}

Lattice make_lattice(const ConstParticlesView& p, Box box, const LatticeChoice& choice)
{
    expect_sites(p, box);
    const Index side = side_of_cube(p.n);
    expect_every(choice.every, side);
    expect_one_mass(p);
    expect_inside(p, box);
    Lattice lattice;
    lattice.first_id = choice.first_id.value_or(detected_first_id(p));
    const Buffer<Index> particle = by_id(p, lattice.first_id);
    if (choice.axes) expect_axes(*choice.axes);
    lattice.axes = choice.axes ? *choice.axes : detected_axes(box, side, [&](std::size_t site) {
        return p.position.load(particle.data()[site]);
    });
    lattice.side = side / choice.every;
    lattice.particle = in_sequence(particle.data(), side, lattice.axes, choice.every);
    lattice.particle_mass = p.mass[0];
    lattice.tetrahedron_mass = tetrahedron_mass_of(p.mass[0], choice.every);
    return lattice;
}

}  // namespace aureole::density
