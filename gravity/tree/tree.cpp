// The entry point of the tree code: checks, the acceptance criterion, and the choice between the walks of the
// two backends.
#include "gravity/tree/tree.hpp"

#include <algorithm>
#include <cmath>

#include "gravity/acceleration_passes.hpp"
#include "gravity/tree/walk_task.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::gravity::tree {

/// Kept between calls.
struct TreeScratch {
    Buffer<Index> notes;      ///< of two walks on a GPU in turn
    Index noted_targets = 0;  ///< of the last walk, when it took all groups
    bool second = false;      ///< whose turn is next
    Buffer<double> net_force;

    /// Gives a walk its memory, and what the last one noted if that was of as many targets.
    void take_notes(Exec exec, std::size_t size, WalkTask& task)
    {
        if (notes.where() != exec.backend || notes.size() < 2 * size) noted_targets = 0;
        notes.require(exec.backend, 2 * size);
        task.notes = notes.data() + (second ? size : 0);
        task.last_notes = noted_targets == task.n_targets ? notes.data() + (second ? 0 : size) : nullptr;
    }
    void end_notes(const WalkTask& task, bool of_all)
    {
        noted_targets = of_all ? task.n_targets : 0;
        second = !second;
    }
};

namespace {

/// Largest error of one node over |a| for which 99 % of the errors of all nodes together stay below alpha.
/// Calibrated on Plummer and Hernquist spheres, mergers and clustered points of 2^12 to 2^24 (README): errors
/// of nodes partly cancel, and the more so the fewer they are, so the whole grows more slowly than the part.
double node_error(double alpha) { return std::min(6.5e-4 * std::pow(alpha / 1e-3, 1.33), 0.8 * alpha); }

void walk(Exec exec, const WalkTask& task, Slice slice, const Progress& progress)
{
    if (exec.backend == Backend::cpu) return walk_cpu(task, slice, progress);
    if constexpr (with_cuda) return walk_cuda(exec.stream, task, slice);
    throw_not_built(exec.backend);
}

std::size_t notes_size([[maybe_unused]] std::size_t n_targets, [[maybe_unused]] const WalkPlan& plan)
{
    if constexpr (with_cuda) return walk_cuda_notes_size(n_targets, plan);
    throw_not_built(Backend::cuda);
}

void expect_valid(const Config& config)
{
    if (!(config.opening_angle > 0) || !std::isfinite(config.opening_angle))
        throw ConfigError(fmt::format("gravity.tree.opening_angle is {}; it must be a positive number",
                                      config.opening_angle));
    if (!(config.force_accuracy >= 0) || !std::isfinite(config.force_accuracy))
        throw ConfigError(fmt::format(
            "gravity.tree.force_accuracy is {}; it must be positive, or zero to open by angle alone",
            config.force_accuracy));
    if (config.leaf_size < 1 || config.leaf_size > largest_leaf)
        throw ConfigError(fmt::format("gravity.tree.leaf_size is {}; it must be from 1 to {}",
                                      config.leaf_size, largest_leaf));
}

}  // namespace

PluginSettings settings()
{
    return plugin_settings<Config>({
        setting("opening_angle", Quantity::number, &Config::opening_angle,
                "the standard angle: larger opens fewer cells; used alone when force_accuracy is 0, and by "
                "the first "
                "evaluation, when no accelerations are known",
                positive()),
        setting("force_accuracy", Quantity::number, &Config::force_accuracy,
                "alpha: 99 % of the relative force errors are at most this; 0: by opening_angle alone",
                not_negative()),
        setting("leaf_size", Quantity::number, &Config::leaf_size,
                "largest number of particles in a leaf (bucket) of the tree",
                {[](int n) { return n >= 1 && n <= largest_leaf; },
                 fmt::format("a number of particles from 1 to {}", largest_leaf)}),
        setting(
            "conserve_momentum", Quantity::number, &Config::conserve_momentum,
            "subtracts the net force, which is an error of the tree, in proportion to each particle's force"),
        setting(
            "domains", Quantity::number, &Config::domains,
            "on several ranks: each builds and walks the tree of its own domain, cut by counted work, "
            "instead "
            "of a copy of all; no bit of the forces depends on it; on GPUs it saves their memory, not time"),
    });
}

TypeSoftening type_softening(const Softening& softening)
{
    TypeSoftening result{{}, std::ranges::max(softening.length), softening.uniform()};
    std::ranges::copy(softening.length, result.length);
    return result;
}

AcceptanceCriterion acceptance_criterion(const gravity::Config& config)
{
    const Config& own = config.plugins.get<Config>();
    AcceptanceCriterion rule;
    rule.error_per_acceleration = static_cast<float>(node_error(own.force_accuracy));
    rule.inverse_angle = static_cast<float>(1 / own.opening_angle);
    rule.spline = config.softening.kernel == SofteningKernel::spline;
    rule.uniform = config.softening.uniform();
    // these errors do not cancel: half of alpha; by angle what a cell seen at that angle may be wrong by
    const double alpha = own.force_accuracy, theta = own.opening_angle;
    rule.softening_error = static_cast<float>(alpha > 0 ? 0.5 * alpha : 0.01 * theta * theta * theta);
    return rule;
}

Tree::Tree(const gravity::Config& config)
    : config_(config),
      own_(config.plugins.get<Config>()),
      softening_(type_softening(config.softening)),
      scratch_(std::make_unique<TreeScratch>())
{
    expect_valid(own_);
}
Tree::~Tree() = default;

void Tree::prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                   const TargetRequest& expected)
{
    expect_same_memory(exec, particles);
    expect_open_space("the tree code", request.box);
    sources_ = request.sources.clipped(particles.n);
    n_particles_ = particles.n;
    is_prepared_ = true;
    expected_ = {expected.targets.clipped(particles.n), expected.previous_acceleration};
    if (sources_.size() > 0) build(exec, particles, expected_);
}

void Tree::build(Exec exec, const ConstParticlesView& particles, const TargetRequest& expected)
{
    expected_ = expected;
    tree_.build(exec, particles, sources_, expected, softening_, own_.leaf_size);
    expected_next_ = true;
}

bool Tree::accelerations_known(Exec exec, const ConstParticlesView& particles, const TargetRequest& request)
{
    const ConstVec3View &a = request.previous_acceleration, &b = expected_.previous_acceleration;
    const bool is_expected = request.targets == expected_.targets && a.x == b.x && a.y == b.y && a.z == b.z;
    const bool known = expected_next_ && is_expected ? tree_.accelerations_known()
                                                     : tree_.has_accelerations(exec, particles, request);
    expected_next_ = false;  // the arrays may be overwritten from now on
    return known;
}

void Tree::evaluate_slice(Exec exec, const ConstParticlesView& particles, const TargetRequest& given,
                          Slice slice, const ForceOutputs& outputs)
{
    AUREOLE_EXPECT(is_prepared_ && particles.n == n_particles_ && particles.where == exec.backend,
                   "the tree is asked for forces of {} particles on {}, and it was prepared for {}",
                   particles.n, name_of(particles.where), n_particles_);
    const TargetRequest request{given.targets.clipped(particles.n), given.previous_acceleration};
    const Selection& targets = request.targets;
    if (targets.size() == 0) return;
    if (sources_.size() == 0) return set_to_zero(exec, targets, outputs);
    if (!sources_.covers(targets, particles.n) && targets != expected_.targets)
        build(exec, particles, request);

    WalkTask task;
    task.tree = tree_.view();
    task.particles = particles;
    task.previous_acceleration = request.previous_acceleration;
    task.outputs = outputs;
    task.targets = tree_.ordered(exec, particles, targets);
    task.n_targets = targets.size();
    task.softening = softening_;
    task.precision = config_.precision;
    task.rule = acceptance_criterion(config_);
    task.plan = own_.plan;
    // the first walk is by angle; where forces nearly cancel it takes a second to know how small they are
    const bool starts = own_.force_accuracy > 0 && !accelerations_known(exec, particles, request);
    const int walks = starts ? 3 : 1;
    for (int k = 0; k < walks; ++k) {
        const bool notes = exec.backend == Backend::cuda;
        if (notes) scratch_->take_notes(exec, notes_size(task.n_targets, task.plan), task);
        walk(exec, task, slice, progress().part(k / double(walks), (k + 1) / double(walks)));
        if (notes) scratch_->end_notes(task, slice.places(task.n_targets, 1).size() == task.n_targets);
        task.previous_acceleration = outputs.acceleration;  // a group's walk reads only those of the group
    }
}

void Tree::finish(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                  const ForceOutputs& outputs)
{
    const bool everything = request.targets.is_everything(particles.n) && sources_.is_everything(particles.n);
    if (!own_.conserve_momentum || !everything || particles.n == 0) return;
    scratch_->net_force.require(exec.backend, net_force_scratch(exec.backend, particles.n));
    cancel_net_force(exec, particles, outputs.acceleration, NetForceShare::by_acceleration,
                     scratch_->net_force.data());
}

std::size_t Tree::scratch_bytes(Backend where, std::size_t n) const
{
    AUREOLE_EXPECT(n <= max_particles, "{} particles are more than one set holds ({})", n, max_particles);
    if (n == 0) return 0;
    const std::size_t notes = where == Backend::cuda ? 2 * notes_size(n, own_.plan) * sizeof(Index) : 0;
    const std::size_t net_force = own_.conserve_momentum ? net_force_scratch(where, n) * sizeof(double) : 0;
    return SourceTree::bytes(where, n, softening_, own_.leaf_size) + notes + net_force;
}

}  // namespace aureole::gravity::tree
