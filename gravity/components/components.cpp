#include "gravity/components/components.hpp"

#include <algorithm>
#include <list>

#include "gravity/acceleration_passes.hpp"
#include "gravity/direct/direct.hpp"
#include "gravity/tree/tree.hpp"

namespace aureole::gravity::components {

/// Parts of the targets of one evaluation. A list is sorted out on the host, and its parts are kept as long
/// as this.
struct Components::Targets {
    Targets(const ConstParticlesView& particles, const Selection& targets)
        : where(particles.where), range(targets.range), is_list(targets.list != nullptr)
    {
        if (!is_list) return;
        list.resize(targets.size());
        if (list.empty()) return;
        if (where == Backend::cpu)
            std::copy_n(targets.list, list.size(), list.begin());
        else
            device::copy(list.data(), targets.list, list.size() * sizeof(Index));
    }

    Selection among(const MemberSet& set) const
    {
        if (!is_list) return set.within(range);
        return parts.emplace_back(set.among(where, list)).all();
    }

    Backend where;
    IndexRange range;
    bool is_list;
    std::vector<Index> list;
    mutable std::list<MemberSet> parts;
};

Components::Components(const gravity::Config& config)
    : settings_(config),
      config_(config.plugins.get<Config>()),
      expansions_(config.plugins.get<scf::Config>()),
      plan_(make_plan(config_, expansions_))
{
    // what is wrong with the settings shows here, not at the first force
    static_cast<void>(scratch_bytes(Backend::cpu, 0));
    terms_.not_conserved = why_not_conserved();
}

Components::~Components() = default;

std::unique_ptr<Solver> Components::make_pairs(const PairPlan& plan) const
{
    if (plan.solver == "tree") return std::make_unique<tree::Tree>(settings_);
    return std::make_unique<Direct>(settings_);
}

void Components::start(Exec exec, const ConstParticlesView& particles, double time)
{
    set_ = nullptr;
    const std::vector<scf::Membership> present = scf::components_of(particles);
    for (const scf::Membership& membership : present)
        if (membership.component >= static_cast<int>(config_.solvers.size()))
            throw ConfigError(
                fmt::format("gravity.components.solvers has {} entries, and there are particles of component "
                            "{}; expected a solver for each component",
                            config_.solvers.size(), membership.component));
    const auto members = [&](const Numbers& numbers) { return MemberSet(particles, present, numbers); };
    const auto membership_of = [&](int component) {
        return *std::ranges::find(present, component, &scf::Membership::component);
    };
    pairs_.clear();
    fields_.clear();
    for (const PairPlan& plan : plan_.pairs) {
        const bool cancels = plan.solver == "tree" && plan.sources == plan.targets &&
                             settings_.plugins.get<tree::Config>().conserve_momentum;
        pairs_.push_back(
            {make_pairs(plan), plan.adds, cancels, members(plan.sources), members(plan.targets)});
    }
    for (const FieldPlan& plan : plan_.fields) {
        Field& field = fields_.emplace_back();
        field.own = members({plan.component});
        field.reach = members(plan.reach);
        for (const int k : plan.felt) field.felt.push_back(membership_of(k));
        field.field = std::make_unique<scf::ComponentField>(
            plan.component, field_of(expansions_, plan.component), settings_.precision);
        field.field->start(exec, particles, membership_of(plan.component), time);
    }
    zeroed_ = members(plan_.zeroed);
    terms_ = {};
    terms_.not_conserved = why_not_conserved();
    set_ = particles.component;
    set_size_ = particles.n;
}

void Components::prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                         const TargetRequest& expected)
{
    expect_same_memory(exec, particles);
    AUREOLE_EXPECT(
        !request.sources.list,
        "the solver by component is given a list of {} sources, expected a range of them; give listed "
        "particles a component of their own",
        request.sources.size());
    expect_open_space("the solver by component", request.box);
    is_prepared_ = true;
    n_particles_ = particles.n;
    is_for_a_step_ = false;
    if (particles.n == 0) return;
    if (set_ != particles.component || set_size_ != particles.n) start(exec, particles, request.time);
    is_for_a_step_ =
        expected.targets.is_everything(particles.n) && request.sources.is_everything(particles.n);
    if (is_for_a_step_) time_ = request.time;
    const IndexRange sources = request.sources.range;
    const Targets targets(particles, expected.targets);
    for (Pairs& pairs : pairs_)
        pairs.solver->prepare(exec, particles, {request.time, pairs.sources.within(sources), {}},
                              {targets.among(pairs.targets), expected.previous_acceleration});
    for (Field& field : fields_) {
        if (is_for_a_step_) {
            prepare_step(exec, particles, field, request.time);
            continue;
        }
        field.is_prepared = field.field->takes_part(sources) || !field.felt.empty();
        if (!field.is_prepared) continue;
        field.alone = field.field->takes_part(sources)
                          ? field.field->partial(exec, particles, sources, request.time)
                          : field.field->none(exec, particles);
        expand_felt(exec, particles, field, sources);
    }
}

void Components::prepare_step(Exec exec, const ConstParticlesView& particles, Field& field, double time)
{
    field.is_prepared = true;
    field.field->make_present(exec, particles, time);
    field.alone = field.field->source();
    expand_felt(exec, particles, field, {});
    if (!field.field->recentring_is_due(time)) return;
    const double before = energy_of(field);
    field.field->recentre(exec, particles, time);
    field.alone = field.field->source();
    expand_felt(exec, particles, field, {});
    terms_.recentring_jumps += energy_of(field) - before;
}

/// What the particles of other components among `sources` make in the field's kernel, and the sum of both.
void Components::expand_felt(Exec exec, const ConstParticlesView& particles, Field& field, IndexRange sources)
{
    if (field.felt.empty()) return;
    scf::Expansion& expansion = field.field->expansion();
    const auto size = static_cast<Index>(field.field->config().basis.size());
    for (std::size_t k = 0; k < field.felt.size(); ++k) {
        Buffer<double>& to = k == 0 ? field.of_felt : field.of_one;
        expansion.expand(exec, particles, field.felt[k].among(sources), field.alone.centre, to);
        if (k > 0) add_numbers(exec, size, field.of_felt.data(), to.data(), field.of_felt.data());
    }
    field.sum.require(exec.backend, size);
    add_numbers(exec, size, field.alone.coefficients->data(), field.of_felt.data(), field.sum.data());
}

/// K(own, own) / 2 + K(own, felt), from the energy identity: -(1/a) A . (A / 2 + B).
double Components::energy_of(const Field& field) const
{
    const std::vector<double> own = field.alone.coefficients->to_vector();
    const std::vector<double> felt = field.felt.empty() ? std::vector<double>() : field.of_felt.to_vector();
    const scf::Basis& basis = field.field->config().basis;
    double sum = 0;
    for (std::size_t k = 0; k < basis.size(); ++k)
        sum += own[k] * (own[k] / 2 + (felt.empty() ? 0 : felt[k]));
    return -sum / basis.scale_radius;
}

void Components::evaluate(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                          const ForceOutputs& outputs)
{
    AUREOLE_EXPECT(is_prepared_ && particles.n == n_particles_ && particles.where == exec.backend,
                   "the solver by component is asked for forces of {} particles on {}, and it was prepared "
                   "for {}",
                   particles.n, name_of(particles.where), n_particles_);
    const Selection given = request.targets.clipped(particles.n);
    if (given.size() == 0) return;
    const Targets targets(particles, given);
    evaluate_pairs(exec, particles, targets, request.previous_acceleration, outputs);
    evaluate_fields(exec, particles, targets, outputs);
    if (is_for_a_step_ && given.is_everything(particles.n)) finish_step(exec, particles, outputs);
}

/// Pair sums that overwrite come first. Those that add go to scratch before, and take previous accelerations
/// from a copy, which the former do not change.
void Components::evaluate_pairs(Exec exec, const ConstParticlesView& particles, const Targets& targets,
                                ConstVec3View previous, const ForceOutputs& outputs)
{
    const bool adds = std::ranges::any_of(pairs_, &Pairs::adds);
    ForceOutputs scratch{};
    if (adds) {
        previous = copy_of_previous(exec, previous, particles.n);
        for (auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z})
            (acceleration_.*axis).require(exec.backend, particles.n);
        if (outputs.potential) potential_.require(exec.backend, particles.n);
        scratch = {acceleration_.view(), outputs.potential ? potential_.data() : nullptr};
    }
    set_to_zero(exec, targets.among(zeroed_), outputs);
    for (Pairs& pairs : pairs_) {
        const Selection at = targets.among(pairs.targets);
        if (at.size() == 0) continue;
        pairs.solver->evaluate(exec, particles, {at, previous}, pairs.adds ? scratch : outputs);
        if (pairs.adds) {
            add_forces(exec, at, scratch, outputs);
            continue;
        }
        const bool whole = is_for_a_step_ && at == pairs.targets.all();
        if (!pairs.cancels_net_force || !whole || at.is_everything(particles.n)) continue;
        net_force_.require(exec.backend, net_force_scratch(exec.backend, at.size()));
        cancel_net_force(exec, particles, outputs.acceleration, NetForceShare::by_acceleration,
                         net_force_.data(), at);
    }
}

ConstVec3View Components::copy_of_previous(Exec exec, const ConstVec3View& previous, Index n)
{
    if (!previous.x) return previous;
    const auto copy = [&](Buffer<double>& to, const double* from) {
        to.require(exec.backend, n);
        if (exec.backend == Backend::cpu)
            std::copy_n(from, n, to.data());
        else
            device::copy(exec.stream, to.data(), from, n * sizeof(double));
    };
    copy(previous_.x, previous.x);
    copy(previous_.y, previous.y);
    copy(previous_.z, previous.z);
    return std::as_const(previous_).view();
}

void Components::evaluate_fields(Exec exec, const ConstParticlesView& particles, const Targets& targets,
                                 const ForceOutputs& outputs)
{
    for (Field& field : fields_) {
        if (!field.is_prepared) continue;
        scf::Expansion& expansion = field.field->expansion();
        const auto add = [&](const MemberSet& set, const Buffer<double>& coefficients) {
            const Selection at = targets.among(set);
            if (at.size() > 0)
                expansion.field(exec, particles, at, field.alone.centre, coefficients, outputs, true);
        };
        add(field.own, field.felt.empty() ? *field.alone.coefficients : field.sum);
        if (!field.reach.empty()) add(field.reach, *field.alone.coefficients);
    }
}

void Components::finish_step(Exec exec, const ConstParticlesView& particles, const ForceOutputs& outputs)
{
    if (expansions_.subtract_mean_acceleration && !fields_.empty()) {
        net_force_.require(exec.backend, net_force_scratch(exec.backend, particles.n));
        cancel_net_force(exec, particles, outputs.acceleration, NetForceShare::equal, net_force_.data());
    }
    if (!outputs.potential) return;
    terms_.fixed_field = 0;
    for (const Field& field : fields_)
        if (field.field->config().mode == scf::Mode::frozen)
            terms_.fixed_field += field.field->energy_of_all(exec, particles);
}

std::size_t Components::count_of(const PairPlan& plan, std::size_t n) const
{
    if (config_.particles.size() != config_.solvers.size()) return n;
    std::size_t sum = 0;
    for (std::size_t k = 0; k < config_.particles.size(); ++k) {
        const int number = static_cast<int>(k);
        if (std::ranges::binary_search(plan.sources, number) ||
            std::ranges::binary_search(plan.targets, number))
            sum += config_.particles[k];
    }
    return std::min(sum, n);
}

std::size_t Components::scratch_bytes(Backend where, std::size_t n) const
{
    std::size_t sum = 0;
    bool adds = false;
    for (const PairPlan& plan : plan_.pairs) {
        sum += make_pairs(plan)->scratch_bytes(where, count_of(plan, n));
        adds = adds || plan.adds;
    }
    for (const FieldPlan& plan : plan_.fields) {
        const scf::FieldConfig& field = field_of(expansions_, plan.component);
        sum += scf::ComponentField(plan.component, field, settings_.precision).scratch_bytes(where, n);
        const std::size_t sets = plan.felt.empty() ? 0 : plan.felt.size() == 1 ? 2 : 3;
        sum += sets * field.basis.size() * sizeof(double);
    }
    if (adds) sum += 7 * n * sizeof(double);  // forces of a pair sum, and previous accelerations
    if (n > 0) sum += net_force_scratch(where, n) * sizeof(double);
    return sum;
}

std::vector<scf::ComponentCoefficients> Components::coefficients() const
{
    std::vector<scf::ComponentCoefficients> result;
    for (const Field& field : fields_)
        result.push_back(
            {field.field->component(), field.field->config().basis, field.field->coefficients(time_)});
    std::ranges::sort(result, {}, &scf::ComponentCoefficients::component);
    return result;
}

std::vector<double> Components::kept_state() const
{
    if (!set_) return {};
    std::vector<double> state{time_, terms_.fixed_field, terms_.recentring_jumps};
    for (const Field& field : fields_) field.field->append_state(state);
    return state;
}

void Components::restore_state(Exec exec, const ConstParticlesView& particles, std::span<const double> state)
{
    if (state.empty()) return;
    scf::StateNumbers rest(state);
    const double time = rest.next();
    start(exec, particles, time);  // the members; centres and coefficients are replaced
    time_ = time;
    terms_.fixed_field = rest.next();
    terms_.recentring_jumps = rest.next();
    for (const Field& field : fields_) field.field->restore_state(rest);
    if (rest.left() > 0)
        throw IoError(
            fmt::format("the state of the solver by component holds {} numbers too many", rest.left()));
}

std::string Components::why_not_conserved() const
{
    for (const FieldPlan& plan : plan_.fields) {
        const scf::FieldConfig& field = field_of(expansions_, plan.component);
        if (field.mode == scf::Mode::playback)
            return fmt::format("the field of component {} is played back from a file", plan.component);
        if (field.mode == scf::Mode::live && field.smoothing.samples > 0)
            return fmt::format("the coefficients of component {} are smoothed", plan.component);
    }
    return "";
}

}  // namespace aureole::gravity::components
