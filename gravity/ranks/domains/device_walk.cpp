#include "gravity/ranks/domains/device_walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aureole::gravity::domains {
namespace {

using tree::WalkTask;

constexpr Index group_size = tree::group_targets_cuda;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

Index groups_of(Index n_targets) { return (n_targets + group_size - 1) / group_size; }

/// Behind values that are uploaded.
template <class T>
void upload_behind(T* device, std::size_t place, const std::vector<T>& values)
{
    if (!values.empty()) device::upload(device + place, values.data(), values.size() * sizeof(T));
}

/// Of the places that are walked, group by group.
template <class Each>
void for_targets(Index n_targets, std::span<const Index> groups, Each each)
{
    if (groups.empty()) {
        for (Index k = 0; k < n_targets; ++k) each(k, k);
        return;
    }
    Index walked = 0;
    for (const Index group : groups)
        for (Index k = group * group_size; k < std::min(n_targets, (group + 1) * group_size); ++k)
            each(walked++, k);
}

}  // namespace

void DeviceWalk::upload_tree(const WalkTask& host, const DomainTree& tree, WalkTask& task)
{
    const std::size_t n = tree.bodies.size(), slots = tree.heads.size(), of_leaf = tree::largest_leaf;
    const Index missing_pair = tree.n_pairs(), missing_body = static_cast<Index>(n);
    const float none = std::numeric_limits<float>::quiet_NaN();
    const tree::NodeHead head{no_number, no_number, no_number, none, 0};
    tree::NodeTail tail{};
    tail.first = missing_body;
    tail.count = 1;

    task.tree.frame = upload(std::span(host.tree.frame, 1), frame_);
    tree::Body* const bodies = upload(tree.bodies, bodies_, of_leaf);
    upload_behind(bodies, n, std::vector<tree::Body>(of_leaf, {no_number, no_number, no_number, no_number}));
    Index* const order = upload(tree.order, order_, of_leaf);
    upload_behind(order, n, std::vector<Index>(of_leaf));
    tree::NodeHead* const heads = upload(tree.heads, heads_, 2);
    upload_behind(heads, slots, {head, head});
    // pairs of the domain's own nodes have no remote one among them, but for the root
    const std::size_t own_slots = 2 * std::size_t{tree.top};
    tree::NodeTail* const tails = upload(tree.tails, tails_, 2);
    std::vector<tree::NodeTail> patched(tree.tails.begin() + static_cast<std::ptrdiff_t>(own_slots),
                                        tree.tails.end());
    tree::NodeTail root = tree.tails[tree::root_slot];
    for (const RemoteNode& node : tree.remote) {
        tree::NodeTail& of = node.slot == tree::root_slot ? root : patched.at(node.slot - own_slots);
        if (of.first == tree::not_here) of.first = of.count > 0 ? missing_body : missing_pair;
    }
    patched.insert(patched.end(), {tail, tail});
    upload_behind(tails, own_slots, patched);
    device::upload(tails, &root, sizeof root);
    task.tree.tails = tails;
    tree::NodeBox* const boxes = upload(tree.boxes, boxes_, 2);
    upload_behind(boxes, slots, std::vector<tree::NodeBox>(2));
    task.tree.bodies = bodies;
    task.tree.order = order;
    task.tree.heads = heads;
    task.tree.boxes = boxes;
    if (!host.tree.body_softening) return;
    float* const of_bodies = upload(tree.body_softening, body_softening_, of_leaf);
    upload_behind(of_bodies, n, std::vector<float>(of_leaf));
    float* const of_nodes = upload(tree.node_softening, node_softening_, 2);
    upload_behind(of_nodes, slots, std::vector<float>(2));
    task.tree.body_softening = of_bodies;
    task.tree.node_softening = of_nodes;
}

/// Bodies of other domains stand behind the own particles, where they are in the order of bodies.
void DeviceWalk::upload_particles(const WalkTask& host, const DomainTree& tree, WalkTask& task)
{
    const ConstParticlesView& p = host.particles;
    const tree::Frame& frame = *host.tree.frame;
    const auto upload_axis = [&](const double* own, double tree::Body::*of_body, double scale,
                                 Buffer<double>& to) {
        std::vector<double> others(tree.bodies.size() - tree.n);
#pragma omp parallel for if (others.size() > parallel_threshold)
        for (std::size_t k = 0; k < others.size(); ++k) others[k] = tree.bodies[tree.n + k].*of_body / scale;
        double* const values = upload(std::span(own, tree.n), to, others.size());
        upload_behind(values, tree.n, others);
        return values;
    };
    task.particles.where = Backend::cuda;
    task.particles.id = nullptr;
    task.particles.position = {upload_axis(p.position.x, &tree::Body::x, frame.length_scale, x_),
                               upload_axis(p.position.y, &tree::Body::y, frame.length_scale, y_),
                               upload_axis(p.position.z, &tree::Body::z, frame.length_scale, z_)};
    task.particles.mass = upload_axis(p.mass, &tree::Body::mass, frame.mass_scale, mass_);
    task.particles.type = upload(tree.type, type_);
    if (host.previous_acceleration.absent()) return;
    const auto previous = [&](const double* from, Buffer<double>& to) {
        return upload(std::span(from, tree.n), to);
    };
    task.previous_acceleration = {previous(host.previous_acceleration.x, ax_),
                                  previous(host.previous_acceleration.y, ay_),
                                  previous(host.previous_acceleration.z, az_)};
}

void DeviceWalk::upload_targets(const WalkTask& host, std::span<const Index> groups, WalkTask& task)
{
    std::vector<Index> some;
    if (!groups.empty())
        for_targets(host.n_targets, groups, [&](Index, Index k) { some.push_back(host.targets[k]); });
    const std::span<const Index> targets = groups.empty() ? std::span(host.targets, host.n_targets) : some;
    task.targets = upload(targets, targets_);
    task.n_targets = static_cast<Index>(targets.size());
    const std::size_t n = host.n_targets;
    results_.require(Backend::cuda, 4 * n);
    double* const to = results_.data();
    task.outputs = {{to, to + n, to + 2 * n}, host.outputs.potential ? to + 3 * n : nullptr};
    const Index n_groups = groups_of(task.n_targets);
    work_.require(Backend::cuda, n_groups);
    device::fill_zero(on_gpu.stream, work_.data(), n_groups * sizeof(unsigned));
    task.work = work_.data();
}

/// Results of the targets, and what is told about their groups. A group that asked for what is not here has a
/// target whose force is no number.
void DeviceWalk::bring_home(const WalkTask& host, std::span<const Index> groups, const WalkTask& task)
{
    const std::size_t n = host.n_targets;
    device::wait(on_gpu.stream);
    const auto take = [&](const double* from, double* to) {
        if (groups.empty()) return device::download(to, from, n * sizeof(double));
        std::vector<double> all(n);
        device::download(all.data(), from, n * sizeof(double));
        for_targets(host.n_targets, groups, [&](Index, Index k) { to[k] = all[k]; });
    };
    const Vec3View& a = host.outputs.acceleration;
    take(task.outputs.acceleration.x, a.x);
    take(task.outputs.acceleration.y, a.y);
    take(task.outputs.acceleration.z, a.z);
    if (host.outputs.potential) take(task.outputs.potential, host.outputs.potential);

    std::vector<unsigned> work(groups_of(task.n_targets));
    device::download(work.data(), task.work, work.size() * sizeof(unsigned));
    for (Index g = 0; g < work.size(); ++g) {
        const Index group = groups.empty() ? g : groups[g];
        host.record->work[group] = work[g];
        host.record->is_incomplete[group] = 0;
    }
    const auto note = [&](Index group) {
        const Index end = std::min(host.n_targets, (group + 1) * group_size);
        for (Index k = group * group_size; k < end; ++k)
            if (std::isnan(a.x[k])) host.record->is_incomplete[group] = 1;
    };
    const auto n_groups = static_cast<Index>(work.size());
#pragma omp parallel for if (n_groups > parallel_threshold / group_size)
    for (Index g = 0; g < n_groups; ++g) note(groups.empty() ? g : groups[g]);
}

void DeviceWalk::walk(const WalkTask& host, const DomainTree& tree, std::uint64_t n_of_all,
                      std::span<const Index> groups, PhaseClock& clock)
{
    if (host.n_targets == 0) return;
    WalkTask task = host;
    task.record = nullptr;
    task.n_of_all = static_cast<Index>(n_of_all);
    clock.end("walk");
    upload_tree(host, tree, task);
    clock.end("tree up");
    upload_particles(host, tree, task);
    upload_targets(host, groups, task);
    clock.end("targets up");
    if constexpr (with_cuda) {
        notes_.require(Backend::cuda, tree::walk_cuda_notes_size(task.n_targets, task.plan));
        task.notes = notes_.data();
        tree::walk_cuda(on_gpu.stream, task, {});
        device::wait(on_gpu.stream);
        clock.end("kernel");
        bring_home(host, groups, task);
        return clock.end("home");
    }
    throw_not_built(Backend::cuda);
}

}  // namespace aureole::gravity::domains
