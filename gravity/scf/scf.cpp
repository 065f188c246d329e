#include "gravity/scf/scf.hpp"

#include "gravity/net_force.hpp"
#include "gravity/scf/component_field.hpp"

namespace aureole::gravity::scf {

Scf::Scf(const gravity::Config& config) : config_(config.plugins.get<Config>()), precision_(config.precision)
{
    // what is wrong with the settings shows here, not at the first force
    static_cast<void>(scratch_bytes(Backend::cpu, 0));
}

Scf::~Scf() = default;

void Scf::accelerate(Exec exec, const ParticlesView& particles, const ForceRequest& request)
{
    AUREOLE_EXPECT(particles.where == exec.backend, "particles are on {}, asked to run on {}",
                   name_of(particles.where), name_of(exec.backend));
    if (request.box.periodic())
        throw ConfigError(fmt::format(
            "the expansion knows open space only, and the box is periodic with side {}; treat the system as "
            "isolated or choose another solver",
            request.box.side));
    const auto everything = [&](IndexRange range) { return range.begin == 0 && range.end >= particles.n; };
    if (particles.n == 0 || request.targets.clipped(particles.n).size() == 0) return;
    if (set_ != particles.component || set_size_ != particles.n) start(exec, particles, request.time);
    const bool full = everything(request.targets) && everything(request.sources);
    if (full) {
        time_ = request.time;
        for (const auto& field : fields_)
            terms_.recentring_jumps += field->update(exec, particles, request.time);
    }
    add_fields(exec, particles, request, full);
    if (!full) return;
    if (config_.subtract_mean_acceleration) {
        net_force_scratch_.require(exec.backend, net_force_scratch(particles.n));
        cancel_net_force(exec, particles, NetForceShare::equal, net_force_scratch_.data());
    }
    if (!request.potential) return;
    terms_.fixed_field = 0;
    for (const auto& field : fields_)
        if (field->config().mode == Mode::frozen) terms_.fixed_field += field->energy_of_all(exec, particles);
}

std::size_t Scf::scratch_bytes(Backend where, std::size_t n) const
{
    std::size_t sum = 0;
    if (config_.subtract_mean_acceleration) sum += sizeof(double) * net_force_scratch(n);
    const auto add = [&](int component, const FieldConfig& field) {
        sum += ComponentField(component, field, precision_).scratch_bytes(where, n);
    };
    if (config_.components.empty()) add(0, config_.defaults);
    for (std::size_t k = 0; k < config_.components.size(); ++k)
        add(static_cast<int>(k), config_.components[k]);
    return sum;
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

void Scf::restore_state(Exec exec, const ParticlesView& particles, std::span<const double> state)
{
    if (state.empty()) return;
    StateNumbers rest(state);
    const double time = rest.next();
    start(exec, particles, time);  // who belongs where; what it finds else is replaced by what was known
    time_ = time;
    terms_.fixed_field = rest.next();
    terms_.recentring_jumps = rest.next();
    for (const auto& field : fields_) field->restore_state(rest);
    if (rest.left() > 0)
        throw IoError(fmt::format("the state of the expansions holds {} numbers too many", rest.left()));
}

void Scf::start(Exec exec, const ParticlesView& particles, double time)
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

void Scf::add_fields(Exec exec, const ParticlesView& particles, const ForceRequest& request, bool full)
{
    bool add = false;
    for (const auto& field : fields_) {
        if (!full && !field->takes_part(request.sources)) continue;
        const FieldSource source =
            full ? field->source() : field->partial(exec, particles, request.sources, request.time);
        field->expansion().field(exec, particles,
                                 {.targets = request.targets, .potential = request.potential, .add = add},
                                 source.centre, *source.coefficients);
        add = true;
    }
    if (!add) {  // no sources: the field of nothing
        const FieldSource nothing = fields_.front()->none(exec, particles);
        fields_.front()->expansion().field(exec, particles,
                                           {.targets = request.targets, .potential = request.potential},
                                           nothing.centre, *nothing.coefficients);
    }
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
            return fmt::format("component {} is frozen: it feels live components and does not pull back", k);
    }
    return "";
}

}  // namespace aureole::gravity::scf
