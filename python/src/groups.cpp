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

/// Labels and probabilities, then the condensed tree: per cluster parent, birth and size, per point its last
/// cluster and the lambda at which it leaves that.
nb::tuple hdbscan(const HostParticles& particles, double box, double velocity_scale, Index min_samples,
                  Index min_cluster_size, bool leaves, bool allow_single, double least_distance,
                  Index max_size, nb::handle progress)
{
    halo::CondensedTree tree;
    halo::FlatClusters flat;
    std::vector<std::int32_t> parent;
    std::vector<double> birth;
    std::vector<std::uint32_t> size;
    {
        const Call call(progress);
        tree = halo::condensed_tree_of(
            dendrogram_of({}, particles.view(), box, velocity_scale, min_samples, call.progress()),
            min_cluster_size);
        flat = halo::select_clusters(tree, {leaves, allow_single, least_distance, max_size});
        for (const halo::CondensedTree::Cluster& cluster : tree.clusters) {
            parent.push_back(cluster.parent);
            birth.push_back(cluster.birth);
            size.push_back(cluster.size);
        }
    }
    return nb::make_tuple(to_numpy(std::move(flat.label)), to_numpy(std::move(flat.probability)),
                          to_numpy(std::move(parent)), to_numpy(std::move(birth)), to_numpy(std::move(size)),
                          to_numpy(std::move(tree.cluster)), to_numpy(std::move(tree.lambda)));
}

/// Masses and radii, [centre][density].
nb::tuple overdensity_spheres(const HostParticles& particles, const Numbers& x, const Numbers& y,
                              const Numbers& z, const Numbers& density, double box, bool innermost,
                              nb::handle progress)
{
    const std::size_t n = x.shape(0), densities = density.shape(0);
    std::vector<double> mass, radius;
    {
        const Call call(progress);
        std::vector<Vec3> centre;
        for (std::size_t i = 0; i < n; ++i) centre.push_back({x.data()[i], y.data()[i], z.data()[i]});
        halo::OverdensityQueryView query{
            .particles = particles.view(), .centre = centre, .density = std::span(density.data(), densities)};
        query.box = {box};
        query.crossing = innermost ? halo::Crossing::innermost : halo::Crossing::outermost;
        for (const auto& sphere : halo::OverdensitySearch().spheres({}, query, call.progress())) {
            mass.push_back(sphere.mass);
            radius.push_back(sphere.radius);
        }
    }
    return nb::make_tuple(to_numpy(std::move(mass), {n, densities}),
                          to_numpy(std::move(radius), {n, densities}));
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
    module.def("hdbscan", hdbscan, nb::arg("particles"), nb::arg("box"), nb::arg("velocity_scale"),
               nb::arg("min_samples"), nb::arg("min_cluster_size"), nb::arg("leaves"),
               nb::arg("allow_single"), nb::arg("least_distance"), nb::arg("max_size"),
               nb::arg("progress").none());
    module.def("overdensity_spheres", overdensity_spheres, nb::arg("particles"), nb::arg("x"), nb::arg("y"),
               nb::arg("z"), nb::arg("density"), nb::arg("box"), nb::arg("innermost"),
               nb::arg("progress").none());
    module.def("finders", [] {
        nb::list names;
        for (const std::string& name : halo::finders().names()) names.append(name.c_str());
        return names;
    });
}

}  // namespace aureole::python
