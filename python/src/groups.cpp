// Groups of particles at one linking length or at all, and spherical overdensities.
#include <nanobind/stl/string.h>

#include "device_arrays.hpp"
#include "halo/finder.hpp"
#include "halo/fof/cluster_numbers.hpp"
#include "halo/overdensity/overdensity.hpp"
#include "halo/spanning_tree/condensed_tree.hpp"
#include "module.hpp"

namespace aureole::python {
namespace {

halo::FofConfig fof_config(double linking_length, double box, Index min_members, std::uint8_t linking_types,
                           double linking_velocity, double relative_linking_velocity, Index min_friends,
                           bool border, bool core)
{
    halo::FofConfig config;
    config.linking_length = linking_length;
    config.box = {box};
    config.min_members = min_members;
    config.linking_types = linking_types;
    config.linking_velocity = linking_velocity;
    config.relative_linking_velocity = relative_linking_velocity;
    config.min_friends = min_friends;
    config.border = border ? halo::Border::nearest : halo::Border::excluded;
    config.core_flags = core;
    return config;
}

/// The labels, the number of members of every group, and core flags or None.
nb::tuple group_labels(const HostParticles& particles, double linking_length, double box, Index min_members,
                       std::uint8_t linking_types, double linking_velocity, double relative_linking_velocity,
                       Index min_friends, bool border, bool core, const std::string& method,
                       nb::handle progress)
{
    const halo::FofConfig config =
        fof_config(linking_length, box, min_members, linking_types, linking_velocity,
                   relative_linking_velocity, min_friends, border, core);
    halo::Groups groups;
    {
        const Call call(progress);
        groups = halo::make_finder(method, config)->find({}, particles.view(), call.progress());
    }
    nb::object flags = core ? to_numpy(std::move(groups.core)) : nb::none();
    return nb::make_tuple(to_numpy(std::move(groups.label)), to_numpy(std::move(groups.n_members)), flags);
}

/// The same on a device: the labels and core flags stay there, and None stands for the numbers of
/// members.
nb::tuple device_group_labels(const DeviceParticles& particles, double linking_length, double box,
                              Index min_members, std::uint8_t linking_types, double linking_velocity,
                              double relative_linking_velocity, Index min_friends, bool border, bool core,
                              const std::string& method, nb::handle progress)
{
    const halo::FofConfig config =
        fof_config(linking_length, box, min_members, linking_types, linking_velocity,
                   relative_linking_velocity, min_friends, border, core);
    const std::size_t n = particles.size();
    Buffer<std::int32_t> label;
    Buffer<std::uint8_t> flags;
    {
        const DeviceCall call(particles.device(), progress);
        const auto finder = halo::make_finder(method, config);
        halo::GroupsView groups;
        if (n > 0) groups = finder->find_on_device(call.exec(), particles.view(), call.progress());
        label = copied(call.exec(), groups.label, n);
        if (core) flags = copied(call.exec(), groups.core, n);
        call.finish();
    }
    nb::object core_flags =
        core ? nb::cast(DeviceArray(particles.device(), std::move(flags), {n})) : nb::none();
    return nb::make_tuple(DeviceArray(particles.device(), std::move(label), {n}), nb::none(), core_flags);
}

/// Labels in 64 bits, and the indices of the core particles or None, of clusters that are numbered as
/// `numbering` says: "groups" (as the groups are, without core particles), "size" or "first core point".
nb::tuple device_clusters(const DeviceParticles& particles, double length, double box, Index min_members,
                          double linking_velocity, Index min_friends, bool border,
                          const std::string& numbering)
{
    const bool with_cores = numbering != "groups";
    const halo::FofConfig config =
        fof_config(length, box, min_members, 0x3f, linking_velocity, 0, min_friends, border, with_cores);
    const std::size_t n = particles.size();
    halo::Clusters clusters;
    {
        const DeviceCall call(particles.device());
        const auto finder = halo::make_finder("fastest", config);
        halo::GroupsView groups;
        if (n > 0) groups = finder->find_on_device(call.exec(), particles.view(), call.progress());
        if (with_cores)
            clusters = number_clusters(
                call.exec(), groups,
                numbering == "size" ? halo::ClusterOrder::size : halo::ClusterOrder::first_core_point);
        else
            clusters.label = wide_labels(call.exec(), groups);
    }
    const std::size_t n_core = clusters.core.size();
    nb::object core = nb::none();
    if (with_cores) core = nb::cast(DeviceArray(particles.device(), std::move(clusters.core), {n_core}));
    return nb::make_tuple(DeviceArray(particles.device(), std::move(clusters.label), {n}), core);
}

/// scipy's matrix Z: per merge the two nodes, their distance and the number of particles.
std::vector<double> linkage_matrix(const halo::Dendrogram& dendrogram)
{
    std::vector<double> z;
    z.reserve(4 * dendrogram.merges.size());
    for (const auto& merge : dendrogram.merges)
        z.insert(z.end(), {static_cast<double>(merge.first), static_cast<double>(merge.second),
                           merge.length(), static_cast<double>(merge.size)});
    return z;
}

halo::Dendrogram dendrogram_of(Exec exec, const ConstParticlesView& particles, double box,
                               double velocity_scale, Index min_samples, const Progress& progress)
{
    halo::SpanningTreeConfig config;
    config.box = {box};
    config.velocity_scale = velocity_scale;
    config.min_samples = min_samples;
    return halo::dendrogram_of(halo::SpanningTreeFinder().find(exec, particles, config, progress));
}

nb::object linkage(const HostParticles& particles, double box, double velocity_scale, Index min_samples,
                   nb::handle progress)
{
    std::vector<double> z;
    {
        const Call call(progress);
        z = linkage_matrix(
            dendrogram_of({}, particles.view(), box, velocity_scale, min_samples, call.progress()));
    }
    const std::size_t merges = z.size() / 4;
    return to_numpy(std::move(z), {merges, 4});
}

/// The spanning tree is built on the device, the hierarchy on the host; the matrix goes to the device.
DeviceArray device_linkage(const DeviceParticles& particles, double box, double velocity_scale,
                           Index min_samples, nb::handle progress)
{
    const DeviceCall call(particles.device(), progress);
    const std::vector<double> z = linkage_matrix(
        dendrogram_of(call.exec(), particles.view(), box, velocity_scale, min_samples, call.progress()));
    Buffer<double> there(call.exec().backend, std::span<const double>(z));
    return {particles.device(), std::move(there), {z.size() / 4, 4}};
}

/// What hdbscan() and its kin on a device are told beside the points.
struct HdbscanSettings {
    double box = 0, velocity_scale = 0;
    Index min_samples = 1, min_cluster_size = 2;
    halo::ClusterSelection selection;
};

struct HdbscanClusters {
    halo::CondensedTree tree;
    halo::FlatClusters flat;
};

HdbscanClusters hdbscan_clusters(Exec exec, const ConstParticlesView& particles,
                                 const HdbscanSettings& settings, const Progress& progress)
{
    HdbscanClusters found;
    found.tree = halo::condensed_tree_of(
        dendrogram_of(exec, particles, settings.box, settings.velocity_scale, settings.min_samples, progress),
        settings.min_cluster_size);
    found.flat = halo::select_clusters(found.tree, settings.selection);
    return found;
}

/// Behind labels and probabilities the condensed tree: per cluster parent, birth and size, per point its last
/// cluster and the lambda at which it leaves that.
nb::tuple with_tree(nb::object labels, nb::object probabilities, halo::CondensedTree tree)
{
    std::vector<std::int32_t> parent;
    std::vector<double> birth;
    std::vector<std::uint32_t> size;
    for (const halo::CondensedTree::Cluster& cluster : tree.clusters) {
        parent.push_back(cluster.parent);
        birth.push_back(cluster.birth);
        size.push_back(cluster.size);
    }
    return nb::make_tuple(std::move(labels), std::move(probabilities), to_numpy(std::move(parent)),
                          to_numpy(std::move(birth)), to_numpy(std::move(size)),
                          to_numpy(std::move(tree.cluster)), to_numpy(std::move(tree.lambda)));
}

nb::tuple hdbscan(const HostParticles& particles, const HdbscanSettings& settings, nb::handle progress)
{
    HdbscanClusters found;
    {
        const Call call(progress);
        found = hdbscan_clusters({}, particles.view(), settings, call.progress());
    }
    return with_tree(to_numpy(std::move(found.flat.label)), to_numpy(std::move(found.flat.probability)),
                     std::move(found.tree));
}

/// The spanning tree is built on the device, the hierarchy on the host; labels (64 bits) and probabilities go
/// to the device.
nb::tuple device_hdbscan(const DeviceParticles& particles, const HdbscanSettings& settings,
                         nb::handle progress)
{
    HdbscanClusters found;
    Buffer<std::int64_t> labels;
    Buffer<double> probabilities;
    {
        const DeviceCall call(particles.device(), progress);
        found = hdbscan_clusters(call.exec(), particles.view(), settings, call.progress());
        const std::vector<std::int64_t> wide(found.flat.label.begin(), found.flat.label.end());
        labels = Buffer<std::int64_t>(call.exec().backend, std::span(wide));
        probabilities = Buffer<double>(call.exec().backend, std::span<const double>(found.flat.probability));
        call.finish();
    }
    const std::size_t n = particles.size();
    return with_tree(nb::cast(DeviceArray(particles.device(), std::move(labels), {n})),
                     nb::cast(DeviceArray(particles.device(), std::move(probabilities), {n})),
                     std::move(found.tree));
}

std::vector<Vec3> positions_of(const ConstParticlesView& host)
{
    std::vector<Vec3> positions;
    for (Index i = 0; i < host.n; ++i)
        positions.push_back({host.position.x[i], host.position.y[i], host.position.z[i]});
    return positions;
}

/// Masses and radii, [centre][density].
struct SphereTable {
    std::vector<double> mass, radius;
};

SphereTable spheres_of(Exec exec, const ConstParticlesView& particles, std::span<const Vec3> centres,
                       const Numbers& density, double box, bool innermost, const Progress& progress)
{
    halo::OverdensityQueryView query{
        .particles = particles, .centre = centres, .density = std::span(density.data(), density.shape(0))};
    query.box = {box};
    query.crossing = innermost ? halo::Crossing::innermost : halo::Crossing::outermost;
    SphereTable table;
    for (const auto& sphere : halo::OverdensitySearch().spheres(exec, query, progress)) {
        table.mass.push_back(sphere.mass);
        table.radius.push_back(sphere.radius);
    }
    return table;
}

nb::tuple overdensity_spheres(const HostParticles& particles, const HostParticles& centres,
                              const Numbers& density, double box, bool innermost, nb::handle progress)
{
    SphereTable table;
    {
        const Call call(progress);
        table = spheres_of({}, particles.view(), positions_of(centres.view()), density, box, innermost,
                           call.progress());
    }
    const std::size_t n = centres.size(), densities = density.shape(0);
    return nb::make_tuple(to_numpy(std::move(table.mass), {n, densities}),
                          to_numpy(std::move(table.radius), {n, densities}));
}

/// The same on a device: centres come to the host, the table goes to the device.
nb::tuple device_overdensity_spheres(const DeviceParticles& particles, const DeviceParticles& centres,
                                     const Numbers& density, double box, bool innermost, nb::handle progress)
{
    Buffer<double> mass, radius;
    {
        const DeviceCall call(particles.device(), progress);
        const SphereTable table = spheres_of(call.exec(), particles.view(), centres.positions_on_host(),
                                             density, box, innermost, call.progress());
        mass = Buffer<double>(call.exec().backend, std::span<const double>(table.mass));
        radius = Buffer<double>(call.exec().backend, std::span<const double>(table.radius));
        call.finish();
    }
    const std::vector<std::size_t> shape{centres.size(), density.shape(0)};
    return nb::make_tuple(DeviceArray(particles.device(), std::move(mass), shape),
                          DeviceArray(particles.device(), std::move(radius), shape));
}

}  // namespace

void bind_groups(nb::module_& module)
{
    const auto define_labels = [&](auto function) {
        module.def("group_labels", function, nb::arg("particles"), nb::arg("linking_length"), nb::arg("box"),
                   nb::arg("min_members"), nb::arg("linking_types"), nb::arg("linking_velocity"),
                   nb::arg("relative_linking_velocity"), nb::arg("min_friends"), nb::arg("border"),
                   nb::arg("core"), nb::arg("method"), nb::arg("progress").none());
    };
    define_labels(group_labels);
    define_labels(device_group_labels);
    module.def("device_clusters", device_clusters, nb::arg("particles"), nb::arg("linking_length"),
               nb::arg("box"), nb::arg("min_members"), nb::arg("linking_velocity"), nb::arg("min_friends"),
               nb::arg("border"), nb::arg("numbering"));
    const auto define_linkage = [&](auto function) {
        module.def("linkage", function, nb::arg("particles"), nb::arg("box"), nb::arg("velocity_scale"),
                   nb::arg("min_samples"), nb::arg("progress").none());
    };
    define_linkage(linkage);
    define_linkage(device_linkage);
    const auto define_hdbscan =
        [&]<class Here>(nb::tuple (*function)(const Here&, const HdbscanSettings&, nb::handle)) {
            module.def(
                "hdbscan",
                [function](const Here& particles, double box, double velocity_scale, Index min_samples,
                           Index min_cluster_size, bool leaves, bool allow_single, double least_distance,
                           Index max_size, nb::handle progress) {
                    return function(particles,
                                    {box,
                                     velocity_scale,
                                     min_samples,
                                     min_cluster_size,
                                     {leaves, allow_single, least_distance, max_size}},
                                    progress);
                },
                nb::arg("particles"), nb::arg("box"), nb::arg("velocity_scale"), nb::arg("min_samples"),
                nb::arg("min_cluster_size"), nb::arg("leaves"), nb::arg("allow_single"),
                nb::arg("least_distance"), nb::arg("max_size"), nb::arg("progress").none());
        };
    define_hdbscan(hdbscan);
    define_hdbscan(device_hdbscan);
    const auto define_spheres = [&](auto function) {
        module.def("overdensity_spheres", function, nb::arg("particles"), nb::arg("centres"),
                   nb::arg("density"), nb::arg("box"), nb::arg("innermost"), nb::arg("progress").none());
    };
    define_spheres(overdensity_spheres);
    define_spheres(device_overdensity_spheres);
    module.def("finders", [] {
        nb::list names;
        for (const std::string& name : halo::finders().names()) names.append(name.c_str());
        return names;
    });
}

}  // namespace aureole::python
