// The entry point of TreePM: checks, the mesh and the tree of a preparation, and the sum of both parts.
#include "gravity/treepm/treepm.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include "gravity/acceleration_passes.hpp"
#include "gravity/mesh/long_range.hpp"
#include "gravity/mesh/spline_field.hpp"
#include "gravity/tree/source_tree.hpp"
#include "gravity/tree/tree.hpp"
#include "gravity/treepm/mesh_tiles.hpp"
#include "gravity/treepm/short_range.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/fft/fft.hpp"

namespace aureole::gravity::treepm {

/// Kept between calls.
struct TreePmState {
    tree::SourceTree tree;
    std::variant<std::monostate, SplineField, LongRange<double>, LongRange<float>> mesh;
    Split mesh_split{};
    double mesh_side = 0;
    Backend mesh_where = Backend::cpu;
    SplitPair pair;
    Box box;
    Selection sources, expected;
    Buffer<double> source_mass;  ///< zero of particles that are no sources
    Buffer<double> net_force;
    Buffer<Index> split_groups;
    Index n_particles = 0;
    bool is_prepared = false;

    void provide_mesh(Exec exec, Precision precision, const Split& split);

    template <class Call>
    void with_mesh(Call call)
    {
        std::visit(
            [&](auto& made) {
                if constexpr (!std::is_same_v<std::decay_t<decltype(made)>, std::monostate>) call(made);
            },
            mesh);
    }
};

namespace {

constexpr int leaf_size = 16;

/// Largest error of one cell over |a|: twice what the open tree allows for, since the mesh has the distant
/// half of the cells (README).
double cell_error(double alpha) { return 2 * std::min(6.5e-4 * std::pow(alpha / 1e-3, 1.33), 0.8 * alpha); }

/// Random sets of so few keep alpha by a longer cut.
constexpr std::size_t few_particles = 4096;

/// Beside the walk on a GPU. Then a second mesh keeps alpha in random sets, too, whose forces nearly cancel
/// (README).
bool is_mesh_cheap(std::size_t n) { return n <= 1u << 17; }

LongRangeConfig mesh_for(const Split& split, double side)
{
    return {split.mesh, side, split.split, mesh::Assignment::pcs, split.interlaced, split.cut};
}

std::size_t queue_bytes(Backend where, [[maybe_unused]] std::size_t n)
{
    if (where == Backend::cpu) return 0;
    if constexpr (with_cuda) return short_range_cuda_queue_size(n) * sizeof(Index);
    throw_not_built(where);
}

void walk(Exec exec, const ShortRangeTask& task, Precision precision, Buffer<Index>& split_groups,
          const ForceOutputs& outputs)
{
    if (exec.backend == Backend::cpu) return evaluate_short_range(task, precision, outputs);
    if constexpr (with_cuda) {
        split_groups.require(exec.backend, short_range_cuda_queue_size(task.n_targets));
        return evaluate_short_range_cuda(exec.stream, task, precision, split_groups.data(), outputs);
    }
    throw_not_built(exec.backend);
}

}  // namespace

namespace {

/// Plummer's softening does not end, and beyond the cut there is none: pairs there are wrong by
/// 3/2 (eps / r_cut)^2. The cut becomes as long as that asks for, up to 3.2 spacings (5.6 for finer forces).
Split split_for_softening(const Config& config, const Softening& softening, Split split, std::size_t n,
                          double side)
{
    if (softening.kernel != SofteningKernel::plummer || config.cut > 0) return split;
    const bool fine = config.force_accuracy < 3e-4;
    const double spacing = side / std::cbrt(static_cast<double>(n)),
                 longest = std::min(0.49 * side, (fine ? 5.6 : 3.2) * spacing),
                 wanted = std::ranges::max(softening.length) * std::sqrt(6 / config.force_accuracy);
    const double longer = std::max(1.0, std::min(wanted, longest) / split.cut);
    split.split *= longer;
    split.cut *= longer;
    return split;
}

}  // namespace

/// A mesh, if there is none, or another one.
void TreePmState::provide_mesh(Exec exec, Precision precision, const Split& split)
{
    if (mesh.index() != 0 && split == mesh_split && box.side == mesh_side && exec.backend == mesh_where)
        return;
    mesh = std::monostate{};  // its memory first
    if (exec.backend == Backend::cpu)
        mesh.emplace<SplineField>(split.mesh, box.side, CompactSplit(split.split, split.cut));
    else if (precision == Precision::mixed)
        mesh.emplace<LongRange<float>>(exec.backend, mesh_for(split, box.side));
    else
        mesh.emplace<LongRange<double>>(exec.backend, mesh_for(split, box.side));
    mesh_split = split;
    mesh_side = box.side;
    mesh_where = exec.backend;
}

PluginSettings settings()
{
    return plugin_settings<Config>({
        setting("force_accuracy", Quantity::number, &Config::force_accuracy,
                "alpha: 99 % of the relative force errors are at most this", positive()),
        setting("mesh", Quantity::number, &Config::mesh,
                "points of the mesh along an axis; 0: two for each particle",
                {[](int n) { return n == 0 || (n >= 8 && n <= 2048); }, "0, or 8 to 2048"}),
        setting("split", Quantity::number, &Config::split,
                "scale of the split in cells of the mesh; 0: 1.12 (1.23 for fewer than 4096 particles), "
                "finer accuracies 1.6",
                not_negative()),
        setting("cut", Quantity::number, &Config::cut,
                "where the tree ends, in scales of the split; 0: 4.47, finer accuracies 4.9",
                {[](double x) { return x == 0 || (x >= 3 && x <= 7); }, "0, or 3 to 7"}),
        setting("interlaced", Quantity::number, &Config::interlaced,
                "on a GPU: a second mesh, half a cell apart, cancels the first aliases; by default for finer "
                "accuracies and for few particles"),
        setting("conserve_momentum", Quantity::number, &Config::conserve_momentum,
                "subtracts the net force, an error, in proportion to each particle's force"),
    });
}

Split split_for(const Config& config, std::size_t n, double side, Backend where)
{
    const bool fine = config.force_accuracy < 3e-4, on_cpu = where == Backend::cpu;
    const double scale = config.split > 0 ? config.split : fine ? 1.6 : n < few_particles ? 1.23 : 1.12;
    const double cut = config.cut > 0 ? config.cut : fine ? 4.9 : 4.47;
    const double least = 2 * scale * cut;  // the cut is at most half of the box
    const double wanted = 2 * std::cbrt(static_cast<double>(n));
    int mesh = config.mesh;
    if (mesh == 0) mesh = smooth_number(static_cast<int>(std::ceil(std::max(wanted, least) - 1e-9)));
    if (mesh < least)
        throw ConfigError(
            fmt::format("gravity.treepm.mesh is {}, but the tree reaches {} cells, split {} times "
                        "cut {}, which is more than half of the box; expected at least {}",
                        mesh, scale * cut, scale, cut, std::ceil(least)));
    return {mesh, scale * side / mesh, scale * cut * side / mesh,
            !on_cpu && config.interlaced.value_or(fine || is_mesh_cheap(n))};
}

TreePm::TreePm(const gravity::Config& config)
    : config_(config), own_(config.plugins.get<Config>()), state_(std::make_unique<TreePmState>())
{
    if (!(own_.force_accuracy > 0) || !std::isfinite(own_.force_accuracy))
        throw ConfigError(fmt::format("gravity.treepm.force_accuracy is {}; it must be a positive number",
                                      own_.force_accuracy));
}
TreePm::~TreePm() = default;

void TreePm::expect_treatable(const Box& box) const
{
    if (!box.periodic())
        throw ConfigError("treepm knows periodic boxes only; expected the key box, or another solver");
}

void TreePm::prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                     const TargetRequest& expected)
{
    expect_treatable(request.box);
    AUREOLE_EXPECT(particles.where == exec.backend, "particles are on {}, asked to run on {}",
                   name_of(particles.where), name_of(exec.backend));
    TreePmState& s = *state_;
    s.box = request.box;
    s.sources = request.sources.clipped(particles.n);
    s.expected = expected.targets.clipped(particles.n);
    s.n_particles = particles.n;
    s.is_prepared = true;
    if (s.sources.size() == 0) return;
    const Split split =
        split_for_softening(own_, config_.softening, split_for(own_, particles.n, s.box.side, exec.backend),
                            particles.n, s.box.side);
    s.pair = SplitPair(split.split, split.cut, SplitShape::compact);
    const double reach = config_.softening.kernel == SofteningKernel::spline ? spline_support : 1;
    if (reach * std::ranges::max(config_.softening.length) > split.cut)
        throw ConfigError(fmt::format(
            "the softening length {} reaches {}, beyond the cut of treepm, {}; expected a shorter one, or a "
            "coarser gravity.treepm.mesh",
            std::ranges::max(config_.softening.length), reach * std::ranges::max(config_.softening.length),
            split.cut));
    s.provide_mesh(exec, config_.precision, split);
    s.tree.build(exec, particles, s.sources, {s.expected, expected.previous_acceleration},
                 tree::type_softening(config_.softening), leaf_size);
    prepare_mesh(exec, particles);
}

/// The mesh takes all particles: those that are no sources have no mass.
void TreePm::prepare_mesh(Exec exec, const ConstParticlesView& particles)
{
    TreePmState& s = *state_;
    ConstParticlesView sources = particles;
    if (!s.sources.is_everything(particles.n)) {
        s.source_mass.require(exec.backend, particles.n);
        set_source_masses(exec, particles, s.sources, s.source_mass.data());
        sources.mass = s.source_mass.data();
    }
    s.with_mesh([&](auto& mesh) {
        using Mesh = std::decay_t<decltype(mesh)>;
        if constexpr (std::is_same_v<Mesh, SplineField>)
            mesh.set_sources(sources);
        else if constexpr (with_cuda && std::is_same_v<Mesh, LongRange<float>>)
            mesh.set_masses(exec.stream, [&](double shift, float* values) {
                assign_masses_cuda(exec.stream, {s.tree.view(), s.mesh_split.mesh, s.mesh_side, shift,
                                                 mesh.padding(), values});
            });
        else
            mesh.set_sources(exec.stream, sources);
    });
}

void TreePm::evaluate_slice(Exec exec, const ConstParticlesView& particles, const TargetRequest& given,
                            Slice slice, const ForceOutputs& outputs)
{
    TreePmState& s = *state_;
    AUREOLE_EXPECT(s.is_prepared && particles.n == s.n_particles && particles.where == exec.backend,
                   "treepm is asked for forces of {} particles on {}, and it was prepared for {}",
                   particles.n, name_of(particles.where), s.n_particles);
    const TargetRequest request{given.targets.clipped(particles.n), given.previous_acceleration};
    if (request.targets.size() == 0) return;
    if (s.sources.size() == 0) return set_to_zero(exec, request.targets, outputs);
    if (!s.sources.covers(request.targets, particles.n) && request.targets != s.expected) {
        s.expected = request.targets;
        s.tree.build(exec, particles, s.sources, request, tree::type_softening(config_.softening), leaf_size);
    }
    const Index* const ordered = s.tree.ordered(exec, particles, request.targets);
    const IndexRange mine = slice.places(request.targets.size(), short_range_group);
    if (mine.size() == 0) return;
    const ShortRangeTask task{.tree = s.tree.view(),
                              .particles = particles,
                              .targets = ordered + mine.begin,
                              .n_targets = mine.size(),
                              .previous_acceleration = request.previous_acceleration,
                              .tolerance = cell_error(own_.force_accuracy),
                              .softening_error = 0.5 * own_.force_accuracy,
                              .softening = config_.softening,
                              .box = s.box,
                              .pair = &s.pair};
    walk(exec, task, config_.precision, s.split_groups, outputs);
    ConstParticlesView sources = particles;
    if (!s.sources.is_everything(particles.n)) sources.mass = s.source_mass.data();
    // neighbours read the same points of the mesh
    const Selection along_curve = Selection::listed(task.targets, task.n_targets);
    s.with_mesh([&](auto& mesh) {
        if constexpr (std::is_same_v<std::decay_t<decltype(mesh)>, SplineField>)
            mesh.add_field(sources, along_curve, outputs);
        else
            mesh.add_field(exec.stream, sources, along_curve, outputs);
    });
}

void TreePm::finish(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                    const ForceOutputs& outputs)
{
    TreePmState& s = *state_;
    const bool everything =
        request.targets.is_everything(particles.n) && s.sources.is_everything(particles.n);
    if (!own_.conserve_momentum || !everything || particles.n == 0) return;
    s.net_force.require(exec.backend, net_force_scratch(exec.backend, particles.n));
    cancel_net_force(exec, particles, outputs.acceleration, NetForceShare::by_acceleration,
                     s.net_force.data());
}

std::size_t TreePm::scratch_bytes(Backend where, std::size_t n) const
{
    if (n == 0) return 0;
    const Split split = split_for(own_, n, 1, where);
    const LongRangeConfig mesh = mesh_for(split, 1);
    const std::size_t of_mesh = where == Backend::cpu ? SplineField::bytes(split.mesh, n)
                                : config_.precision == Precision::mixed
                                    ? LongRange<float>::bytes(where, mesh, false)
                                    : LongRange<double>::bytes(where, mesh);
    return of_mesh + tree::SourceTree::bytes(where, n, tree::type_softening(config_.softening), leaf_size) +
           net_force_scratch(where, n) * sizeof(double) + queue_bytes(where, n);
}

}  // namespace aureole::gravity::treepm
