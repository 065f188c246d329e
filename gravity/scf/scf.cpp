#include "gravity/scf/scf.hpp"

#include <algorithm>

#include "gravity/acceleration_passes.hpp"

namespace aureole::gravity::scf {

Scf::Scf(const gravity::Config& config) : config_(config.plugins.get<Config>()), precision_(config.precision)
{
    // what is wrong with the settings shows here, not at the first force
    static_cast<void>(scratch_bytes(Backend::cpu, 0));
}

Scf::~Scf() = default;

void Scf::prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                  const TargetRequest& expected)
{
    expect_same_memory(exec, particles);
    AUREOLE_EXPECT(
        !request.sources.list,
        "the expansion is given a list of {} sources, expected a range of them; give listed particles "
        "a component of their own",
        request.sources.size());
    expect_open_space("the expansion", request.box);
    is_prepared_ = true;
    n_particles_ = particles.n;
    is_for_a_step_ = false;
    prepared_.clear();
    if (particles.n == 0) return;
    if (set_ != particles.component || set_size_ != particles.n) start(exec, particles, request.time);
    is_for_a_step_ =
        expected.targets.is_everything(particles.n) && request.sources.is_everything(particles.n);
    if (is_for_a_step_) {
        time_ = request.time;
        for (const auto& field : fields_)
            terms_.recentring_jumps += field->update(exec, particles, request.time);
        for (const auto& field : fields_) prepared_.push_back({field.get(), field->source()});
        return;
    }
    for (const auto& field : fields_)
        if (field->takes_part(request.sources.range))
            prepared_.push_back(
                {field.get(), field->partial(exec, particles, request.sources.range, request.time)});
    if (prepared_.empty())  // no sources: the field of nothing
        prepared_.push_back({fields_.front().get(), fields_.front()->none(exec, particles)});
}

bool Scf::can_share_runs(double time, bool potential) const
{
    if (!set_ || config_.subtract_mean_acceleration) return false;
    return std::ranges::all_of(fields_, [&](const auto& field) {
        const bool needs_energy = potential && field->config().mode == Mode::frozen;
        return field->is_contiguous() && !field->recentring_is_due(time) && !needs_energy;
    });
}

std::vector<IndexRange> Scf::runs(Backend where, Slice slice) const
{
    std::vector<IndexRange> result;
    for (const auto& field : fields_) result.push_back(field->run_of(where, slice));
    return result;
}

void Scf::prepare_runs(Exec exec, const ConstParticlesView& run, double time, const SharedPieces& shared)
{
    expect_same_memory(exec, run);
    is_prepared_ = true;
    n_particles_ = run.n;
    is_for_a_step_ = false;  // the run's own part of one: finish() has nothing to do
    time_ = time;
    prepared_.clear();
    Index begin = 0;
    for (const auto& field : fields_) {
        const Index n = field->run_of(exec.backend, shared.slice).size();
        field->make_present_by_runs(exec, run, {begin, begin + n}, shared, time);
        prepared_.push_back({field.get(), field->source()});
        begin += n;
    }
    AUREOLE_EXPECT(begin == run.n, "a run of {} particles, expected {}", run.n, begin);
}

void Scf::evaluate_slice(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                         Slice slice, const ForceOutputs& outputs)
{
    AUREOLE_EXPECT(is_prepared_ && particles.n == n_particles_ && particles.where == exec.backend,
                   "the expansion is asked for forces of {} particles on {}, and it was prepared for {}",
                   particles.n, name_of(particles.where), n_particles_);
    const Selection targets = request.targets.clipped(particles.n);
    if (targets.size() == 0) return;
    bool add = false;
    for (const auto& [field, source] : prepared_) {
        field->expansion().field(exec, particles, targets, source.centre, *source.coefficients, outputs, add,
                                 slice);
        add = true;
    }
}

void Scf::finish(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                 const ForceOutputs& outputs)
{
    if (!is_for_a_step_ || !request.targets.is_everything(particles.n)) return;
    if (config_.subtract_mean_acceleration) {
        net_force_scratch_.require(exec.backend, net_force_scratch(exec.backend, particles.n));
        cancel_net_force(exec, particles, outputs.acceleration, NetForceShare::equal,
                         net_force_scratch_.data());
    }
    if (!outputs.potential) return;
    terms_.fixed_field = 0;
    for (const auto& field : fields_)
        if (field->config().mode == Mode::frozen) terms_.fixed_field += field->energy_of_all(exec, particles);
}

std::size_t Scf::scratch_bytes(Backend where, std::size_t n) const
{
    std::size_t sum = 0;
    if (config_.subtract_mean_acceleration) sum += sizeof(double) * net_force_scratch(where, n);
    const auto add = [&](int component, const FieldConfig& field) {
        sum += ComponentField(component, field, precision_).scratch_bytes(where, n);
    };
    if (config_.components.empty()) add(0, config_.defaults);
    for (std::size_t k = 0; k < config_.components.size(); ++k)
        add(static_cast<int>(k), config_.components[k]);
    return sum;
}

std::vector<ComponentCoefficients> coefficients_of(const Solver& solver)
{
    const auto* source = dynamic_cast<const ExpansionSource*>(&solver);
    return source ? source->coefficients() : std::vector<ComponentCoefficients>{};
}

std::vector<ComponentCoefficients> Scf::coefficients() const
{
    std::vector<ComponentCoefficients> result;
    for (const auto& field : fields_)
        result.push_back({field->component(), field->config().basis, field->coefficients(time_)});
    return result;
}

std::vector<double> Scf::kept_state() const
{
    if (!set_) return {};
    std::vector<double> state{time_, terms_.fixed_field, terms_.recentring_jumps};
    for (const auto& field : fields_) field->append_state(state);
    return state;
}

void Scf::restore_state(Exec exec, const ConstParticlesView& particles, std::span<const double> state)
{
    if (state.empty()) return;
    StateNumbers rest(state);
    const double time = rest.next();
    start(exec, particles, time);  // the members of components; centres and coefficients are replaced
    time_ = time;
    terms_.fixed_field = rest.next();
    terms_.recentring_jumps = rest.next();
    for (const auto& field : fields_) field->restore_state(rest);
    if (rest.left() > 0)
        throw IoError(fmt::format("the state of the expansions holds {} numbers too many", rest.left()));
}

void Scf::start(Exec exec, const ConstParticlesView& particles, double time)
{
    set_ = nullptr;
    std::vector<Membership> present = components_of(particles);
    const int listed = static_cast<int>(config_.components.size());
    for (int k = 0; k < listed; ++k)
        if (std::ranges::find(present, k, &Membership::component) == present.end())
            present.push_back({.component = k, .range = {0, 0}});
    std::ranges::sort(present, {}, &Membership::component);
    fields_.clear();
    terms_ = {};
    for (const Membership& membership : present) {
        const int k = membership.component;
        const FieldConfig& settings =
            k < listed ? config_.components[static_cast<std::size_t>(k)] : config_.defaults;
        fields_.push_back(std::make_unique<ComponentField>(k, settings, precision_));
        fields_.back()->start(exec, particles, membership, time);
    }
    terms_.not_conserved = why_not_conserved();
    set_ = particles.component;
    set_size_ = particles.n;
}

std::string Scf::why_not_conserved() const
{
    const auto is = [](Mode mode) { return [mode](const auto& f) { return f->config().mode == mode; }; };
    for (const auto& field : fields_) {
        const int k = field->component();
        if (field->config().mode == Mode::playback)
            return fmt::format("the field of component {} is played back from a file", k);
        if (field->config().mode == Mode::live && field->config().smoothing.samples > 0)
            return fmt::format("the coefficients of component {} are smoothed", k);
        if (field->config().mode == Mode::frozen && field->mass() > 0 &&
            std::ranges::any_of(fields_, is(Mode::live)))
            return fmt::format(
                "component {} is frozen: it feels live components, which do not change its own field", k);
    }
    return "";
}

}  // namespace aureole::gravity::scf
