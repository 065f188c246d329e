#include "density/points/sheet_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "density/points/point_search.hpp"
#include "density/sheet/orientation.hpp"
#include "density/sheet/tessellation.hpp"
#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
constexpr Index blocks_between_reports = 1 << 10;

void expect_near(std::span<const Vec3> points, Box box)
{
    for (std::size_t i = 0; i < points.size(); ++i)
        for (const double c : {points[i].x, points[i].y, points[i].z})
            if (!(c >= -box.side && c <= 2 * box.side))
                throw Error(fmt::format(
                    "density: point {} is at ({}, {}, {}), expected finite numbers no farther than a box "
                    "outside the box of side {}",
                    i, points[i].x, points[i].y, points[i].z, box.side));
}

void expect_finite_velocities(const ConstParticlesView& p)
{
    if (p.velocity.absent()) return;
    for (Index i = 0; i < p.n; ++i) {
        const Vec3 v = p.velocity.load(i);
        if (!std::isfinite(v.x + v.y + v.z))
            throw Error(
                fmt::format("density: particle {} (id {}) has the velocity ({}, {}, {}), expected finite "
                            "numbers",
                            i, p.id_of(i), v.x, v.y, v.z));
    }
}

struct Hit {
    std::size_t point;
    Stream stream;
};

/// The sheet and the points, in cells of the box.
struct PointQuery {
    const ConstParticlesView& particles;
    const Lattice& lattice;
    CellCoordinates cells;
    double cell_volume;  ///< of the box
    const PointTree& tree;
};

/// The search of one thread in one block after the other.
class BlockSearch {
public:
    explicit BlockSearch(const PointQuery& query)
        : q_(query),
          position_(corners_per_block),
          velocity_(corners_per_block, Vec3{undefined, undefined, undefined})
    {
    }

    std::vector<Hit> hits;

    void operator()(Index block)
    {
        const BlockExtent extent = LatticeBlocks{q_.lattice.side}.extent(block);
        gather(extent);
        const std::uint64_t n = q_.lattice.side;
        for (Index i = 0; i < extent.cubes[0]; ++i)
            for (Index j = 0; j < extent.cubes[1]; ++j)
                for (Index k = 0; k < extent.cubes[2]; ++k)
                    search_cube(lattice_cube(position_.data(), q_.cells, i, j, k),
                                ((extent.first[0] + i) * n + extent.first[1] + j) * n + extent.first[2] + k);
    }

    /// Adds a stream that the search on a device found.
    void operator()(const FoundPoint& found, Vec3 place)
    {
        const std::uint64_t n = q_.lattice.side, number = found.tetrahedron / tetrahedra_per_cube;
        const BlockExtent cube{{static_cast<Index>(number / (n * n)), static_cast<Index>(number / n % n),
                                static_cast<Index>(number % n)},
                               {1, 1, 1}};
        gather(cube);
        add(lattice_cube(position_.data(), q_.cells, 0, 0, 0), found,
            place - image_shift(found.image, q_.cells.period()));
    }

private:
    void gather(const BlockExtent& extent)
    {
        gather_corners(q_.lattice.view(), extent, q_.particles.position, position_.data());
        if (!q_.particles.velocity.absent())
            gather_corners(q_.lattice.view(), extent, q_.particles.velocity, velocity_.data());
    }

    void search_cube(const LatticeCube& cube, std::uint64_t number)
    {
        for_each_held_point(
            q_.tree.view(), cube, q_.cells, [&](int t, Index point, Vec3 place, int image, int orientation) {
                add(cube,
                    {number * tetrahedra_per_cube + static_cast<std::uint64_t>(t), point,
                     static_cast<std::int16_t>(image), static_cast<std::int16_t>(orientation)},
                    place);
            });
    }

    /// `place` is the image of the point that is near the cube.
    void add(const LatticeCube& cube, const FoundPoint& found, Vec3 place)
    {
        const Vec3 quantum = q_.cells.quantum();
        const int t = static_cast<int>(found.tetrahedron % tetrahedra_per_cube);
        const PlaceInTetrahedron at = place_in(cube.tetrahedron(t), place, quantum);
        const CornerVelocities v = cube.velocities(velocity_.data(), t, 1);
        Vec3 velocity{};
        for (int c = 0; c < 4; ++c) velocity = velocity + at.weight[c] * v.corner[c];
        const double volume = at.volume * quantum.x * quantum.y * quantum.z * q_.cell_volume;
        hits.push_back(
            {found.point,
             {found.tetrahedron, q_.lattice.tetrahedron_mass / volume, velocity, found.orientation}});
    }

    const PointQuery& q_;
    std::vector<Vec3> position_, velocity_;
};

std::vector<Hit> all_hits(const PointQuery& query, const Progress& progress)
{
    const Index n_blocks = LatticeBlocks{query.lattice.side}.count();
    std::vector<Hit> hits;
    for (Index begin = 0; begin < n_blocks; begin += blocks_between_reports) {
        const Index end = std::min(begin + blocks_between_reports, n_blocks);
#pragma omp parallel
        {
            BlockSearch search_block(query);
#pragma omp for schedule(dynamic)
            for (Index block = begin; block < end; ++block) search_block(block);
#pragma omp critical
            hits.insert(hits.end(), search_block.hits.begin(), search_block.hits.end());
        }
        progress.at(static_cast<double>(end) / n_blocks, "points");
    }
    return hits;
}

/// The same search on a device. The host computes the numbers, so bits agree with those of all_hits().
std::vector<Hit> all_hits_cuda(const PointQuery& query, std::span<const Vec3> places,
                               const Progress& progress)
{
    const std::vector<FoundPoint> found = points_found_cuda(
        query.tree.view(), query.cells, query.lattice.view(), query.particles.position, progress);
    std::vector<Hit> hits;
#pragma omp parallel
    {
        BlockSearch add_stream(query);
#pragma omp for
        for (std::size_t k = 0; k < found.size(); ++k) add_stream(found[k], places[found[k].point]);
#pragma omp critical
        hits.insert(hits.end(), add_stream.hits.begin(), add_stream.hits.end());
    }
    return hits;
}

/// Sorts hits by point and tetrahedron.
StreamsAtPoints ordered(const std::vector<Hit>& hits, std::size_t n_points)
{
    StreamsAtPoints result{std::vector<std::size_t>(n_points + 1), std::vector<Stream>(hits.size())};
    for (const Hit& hit : hits) ++result.first[hit.point + 1];
    for (std::size_t i = 0; i < n_points; ++i) result.first[i + 1] += result.first[i];
    std::vector<std::size_t> next(result.first.begin(), result.first.end() - 1);
    for (const Hit& hit : hits) result.streams[next[hit.point]++] = hit.stream;
#pragma omp parallel for if (n_points > parallel_threshold)
    for (std::size_t i = 0; i < n_points; ++i)
        std::ranges::sort(
            std::span(result.streams).subspan(result.first[i], result.first[i + 1] - result.first[i]), {},
            &Stream::tetrahedron);
    return result;
}

}  // namespace

PointField field_of(std::span<const Stream> streams)
{
    PointField field{static_cast<Index>(streams.size()), 0, {undefined, undefined, undefined}, undefined};
    for (const Stream& stream : streams) field.density += stream.density;
    if (!(field.density > 0)) return field;
    Vec3 relative{};  // relative to the first: a single stream is not rounded
    for (const Stream& stream : streams)
        relative = relative + stream.density * (stream.velocity - streams[0].velocity);
    field.velocity = streams[0].velocity + 1 / field.density * relative;
    double squares = 0;
    for (const Stream& stream : streams) {
        const Vec3 apart = stream.velocity - field.velocity;
        squares += stream.density * dot(apart, apart);
    }
    field.dispersion = std::sqrt(squares / field.density / 3);
    return field;
}

StreamsAtPoints streams_at(Exec exec, const SampledSheet& sheet, std::span<const Vec3> points,
                           const Progress& progress)
{
    const auto& [particles, box, lattice] = sheet;
    AUREOLE_EXPECT(particles.where == Backend::cpu,
                   "fields at points need particles in host memory, found them on {}",
                   name_of(particles.where));
    AUREOLE_EXPECT(box.periodic() && std::isfinite(box.side),
                   "the box has the side {}, expected a periodic box with a finite side", box.side);
    expect_near(points, box);
    expect_finite_velocities(particles);
    if (points.empty()) return {{0}, {}};
    const CellCoordinates cells(box_as_one_cell(box));
    std::vector<Vec3> places(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) places[i] = cells.of(points[i]);
    const PointTree tree(places);
    const PointQuery query{particles, lattice, cells, box.side * box.side * box.side, tree};
    return ordered(
        exec.backend == Backend::cpu ? all_hits(query, progress) : all_hits_cuda(query, places, progress),
        points.size());
}

PointsMemory points_memory(Backend backend, Index lattice_side, std::size_t n_points)
{
    return {PointTree::bytes(n_points), backend == Backend::cpu ? 0 : point_chunks_bytes(lattice_side)};
}

}  // namespace aureole::density
