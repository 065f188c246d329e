// The phase-space sheet on an octree of cells and at points.
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>

#include "density/octree/octree_deposit.hpp"
#include "density/points/sheet_points.hpp"
#include "device_arrays.hpp"
#include "module.hpp"
#include "sim/core/memory/ledger.hpp"

namespace aureole::python {
namespace {

/// What is not given is found from ids and positions.
density::LatticeChoice lattice_choice(const std::string& axes, std::optional<std::uint64_t> first_id,
                                      Index every)
{
    density::LatticeChoice choice;
    if (!axes.empty()) choice.axes = axes;
    choice.first_id = first_id;
    choice.every = every;
    return choice;
}

/// Fields of all nodes, node after node, z fastest.
struct OctreeArrays {
    std::vector<double> mass, velocity, dispersion, streams;

    OctreeArrays(const density::OctreePlan& plan)
    {
        const density::Fields& fields = plan.config.fields;
        const std::size_t cells = plan.tree().n_nodes() * plan.tree().cells_per_node();
        const std::size_t widths = 1 + 3 * fields.velocity + fields.dispersion + fields.streams;
        const std::size_t bytes = 8 * widths * cells + density::octree_memory(Backend::cpu, plan).in_flight();
        const memory::Available available = memory::available(Backend::cpu);
        if (bytes > available.bytes)
            throw MemoryError(fmt::format(
                "octree: {:.1f} MB wanted on cpu for {} nodes of {}^3 cells, {}; a larger smallest_cell or "
                "refine_above takes less",
                megabytes(bytes), plan.tree().n_nodes(), plan.tree().cells(), available.text()));
        mass.resize(cells);
        if (fields.velocity) velocity.resize(3 * cells);
        if (fields.dispersion) dispersion.resize(cells);
        if (fields.streams) streams.resize(cells);
    }

    void take(const density::PatchFields& patch)
    {
        const std::size_t n = patch.n_cells(), first = patch.node * n;
        for (std::size_t cell = 0; cell < n; ++cell) {
            mass[first + cell] = patch.mass(cell);
            if (!velocity.empty()) {
                const Vec3 v = patch.velocity(cell);
                double* const to = velocity.data() + 3 * (first + cell);
                to[0] = v.x, to[1] = v.y, to[2] = v.z;
            }
            if (!dispersion.empty()) dispersion[first + cell] = patch.dispersion(cell);
            if (!streams.empty()) streams[first + cell] = patch.streams[cell];
        }
    }
};

std::int64_t number_of(Index node)
{
    return node == density::no_child ? std::int64_t{-1} : std::int64_t{node};
}

void put_nodes(nb::dict& result, const density::Octree& tree)
{
    std::vector<double> low, size;
    std::vector<std::int64_t> level, first_child, parent;
    for (Index k = 0; k < tree.n_nodes(); ++k) {
        const density::OctreeNode& node = tree.nodes[k];
        low.insert(low.end(), {node.low.x, node.low.y, node.low.z});
        size.push_back(node.size);
        level.push_back(node.level);
        first_child.push_back(number_of(node.first_child));
        parent.push_back(number_of(tree.parent[k]));
    }
    result["low"] = to_numpy(std::move(low), {tree.n_nodes(), 3});
    result["size"] = to_numpy(std::move(size));
    result["level"] = to_numpy(std::move(level));
    result["first_child"] = to_numpy(std::move(first_child));
    result["parent"] = to_numpy(std::move(parent));
}

/// `levels` below 0: as many as reach `smallest_cell`, which is the usual one where it is 0.
nb::dict density_octree(const HostParticles& particles, double box, const std::array<double, 3>& low,
                        const std::array<double, 3>& high, Index patch, std::uint64_t refine_above,
                        std::int64_t levels, double smallest_cell, const std::string& axes,
                        std::optional<std::uint64_t> first_id, Index every, bool velocity, bool dispersion,
                        bool streams, int device, nb::handle progress)
{
    density::OctreeConfig config;
    config.root.box = {box};
    for (std::size_t a = 0; a < 3; ++a) config.root.axis[a] = {low[a], high[a], patch};
    config.fields = {velocity, dispersion, streams};
    config.lattice = lattice_choice(axes, first_id, every);
    config.rules.refine_above = refine_above;
    if (smallest_cell == 0)
        smallest_cell = density::usual_smallest_cell(config.root.box, particles.size(), every);
    config.rules.levels =
        levels >= 0 ? static_cast<Index>(levels) : density::levels_down_to(config.root, smallest_cell);
    std::optional<density::OctreePlan> plan;
    std::optional<OctreeArrays> arrays;
    density::OctreeTotals totals;
    {
        const DeviceCall call(device, progress);
        config.progress = call.progress();
        plan.emplace(density::plan_octree(particles.view(), config));
        arrays.emplace(*plan);
        totals = density::deposit_octree(call.exec(), particles.view(), *plan,
                                         [&](const density::PatchFields& one) { arrays->take(one); });
    }
    nb::dict result;
    put_nodes(result, plan->tree());
    const std::size_t n = plan->tree().n_nodes(), side = plan->tree().cells();
    result["mass"] = to_numpy(std::move(arrays->mass), {n, side, side, side});
    if (velocity) result["velocity"] = to_numpy(std::move(arrays->velocity), {n, side, side, side, 3});
    if (dispersion) result["dispersion"] = to_numpy(std::move(arrays->dispersion), {n, side, side, side});
    if (streams) result["streams"] = to_numpy(std::move(arrays->streams), {n, side, side, side});
    result["total_mass"] = totals.mass;
    result["signed_volume"] = plan->signed_volume;
    return result;
}

/// Points are searched in blocks, whose streams are in memory at one time.
constexpr std::size_t points_in_block = std::size_t{1} << 17;

struct PointArrays {
    std::vector<double> density, velocity, dispersion;
    std::vector<std::int64_t> streams;
    // every stream, point after point
    std::vector<std::int64_t> first{0};
    std::vector<double> stream_density, stream_velocity;
    std::vector<std::int32_t> orientation;
    std::vector<std::uint64_t> tetrahedron;

    void append(const density::StreamsAtPoints& found, bool each_stream)
    {
        for (std::size_t i = 0; i + 1 < found.first.size(); ++i) {
            const density::PointField field = density::field_of(found.at(i));
            density.push_back(field.density);
            velocity.insert(velocity.end(), {field.velocity.x, field.velocity.y, field.velocity.z});
            dispersion.push_back(field.dispersion);
            streams.push_back(field.streams);
            first.push_back(first.back() + static_cast<std::int64_t>(field.streams));
        }
        if (!each_stream) return;
        for (const density::Stream& stream : found.streams) {
            stream_density.push_back(stream.density);
            stream_velocity.insert(stream_velocity.end(),
                                   {stream.velocity.x, stream.velocity.y, stream.velocity.z});
            orientation.push_back(stream.orientation);
            tetrahedron.push_back(stream.tetrahedron);
        }
    }
};

PointArrays fields_at(Exec exec, const HostParticles& particles, const std::vector<Vec3>& points, Box box,
                      const density::LatticeChoice& choice, bool each_stream, const Progress& progress)
{
    progress.at(0, "lattice");
    const density::Lattice lattice = density::make_lattice(particles.view(), box, choice);
    const density::SampledSheet sheet{particles.view(), box, lattice};
    PointArrays arrays;
    const auto share = [&](std::size_t n) {
        return 0.1 + 0.9 * static_cast<double>(n) / static_cast<double>(points.size());
    };
    for (std::size_t first = 0; first < points.size(); first += points_in_block) {
        const std::size_t n = std::min(points_in_block, points.size() - first);
        arrays.append(density::streams_at(exec, sheet, std::span(points).subspan(first, n),
                                          progress.part(share(first), share(first + n))),
                      each_stream);
    }
    return arrays;
}

/// A dictionary of arrays, one entry for each point, and those of every stream where they are asked for.
nb::dict sheet_at(const HostParticles& particles, const HostParticles& points, double box,
                  const std::string& axes, std::optional<std::uint64_t> first_id, Index every,
                  bool each_stream, int device, nb::handle progress)
{
    PointArrays arrays;
    const std::size_t n = points.size();
    {
        const DeviceCall call(device, progress);
        const ConstParticlesView view = points.view();
        std::vector<Vec3> places;
        places.reserve(n);
        for (Index i = 0; i < view.n; ++i) places.push_back(view.position.load(i));
        arrays = fields_at(call.exec(), particles, places, {box}, lattice_choice(axes, first_id, every),
                           each_stream, call.progress());
    }
    nb::dict result;
    result["density"] = to_numpy(std::move(arrays.density));
    result["velocity"] = to_numpy(std::move(arrays.velocity), {n, 3});
    result["dispersion"] = to_numpy(std::move(arrays.dispersion));
    result["streams"] = to_numpy(std::move(arrays.streams));
    if (!each_stream) return result;
    const std::size_t all = arrays.stream_density.size();
    result["first"] = to_numpy(std::move(arrays.first));
    result["stream_density"] = to_numpy(std::move(arrays.stream_density));
    result["stream_velocity"] = to_numpy(std::move(arrays.stream_velocity), {all, 3});
    result["stream_orientation"] = to_numpy(std::move(arrays.orientation));
    result["stream_tetrahedron"] = to_numpy(std::move(arrays.tetrahedron));
    return result;
}

}  // namespace

void bind_sheet(nb::module_& module)
{
    module.def("density_octree", density_octree, nb::arg("particles"), nb::arg("box"), nb::arg("low"),
               nb::arg("high"), nb::arg("patch"), nb::arg("refine_above"), nb::arg("levels"),
               nb::arg("smallest_cell"), nb::arg("axes"), nb::arg("first_id").none(), nb::arg("every"),
               nb::arg("velocity"), nb::arg("dispersion"), nb::arg("streams"), nb::arg("device"),
               nb::arg("progress").none());
    module.def("sheet_at", sheet_at, nb::arg("particles"), nb::arg("points"), nb::arg("box"), nb::arg("axes"),
               nb::arg("first_id").none(), nb::arg("every"), nb::arg("each_stream"), nb::arg("device"),
               nb::arg("progress").none());
}

}  // namespace aureole::python
