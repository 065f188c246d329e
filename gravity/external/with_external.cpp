#include "gravity/external/with_external.hpp"

#include <algorithm>

namespace aureole::gravity {

WithExternal::WithExternal(std::unique_ptr<Solver> self_gravity, Fields fields)
    : self_gravity_(std::move(self_gravity)), fields_(std::move(fields))
{
}

void WithExternal::prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                           const TargetRequest& expected)
{
    time_ = request.time;
    self_gravity_->prepare(exec, particles, request, expected);
}

void WithExternal::evaluate(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                            const ForceOutputs& outputs)
{
    self_gravity_->evaluate(exec, particles, request, outputs);
    for (const auto& field : fields_)
        field->add_acceleration(exec, particles, request.targets, time_, outputs.acceleration);
    if (!outputs.potential) return;
    if (adds_potentials_)
        for (const auto& field : fields_)
            field->add_potential(exec, particles, request.targets, time_, outputs.potential);
    if (!request.targets.is_everything(particles.n)) return;
    energy_ = 0;
    for (const auto& field : fields_) energy_ += field->energy(exec, particles, time_);
}

std::size_t WithExternal::scratch_bytes(Backend where, std::size_t n) const
{
    std::size_t bytes = self_gravity_->scratch_bytes(where, n);
    for (const auto& field : fields_) bytes += field->scratch_bytes(n);
    return bytes;
}

EnergyTerms WithExternal::energy_terms() const
{
    EnergyTerms terms = self_gravity_->energy_terms();
    // potentials of the fields stand in the sum m phi / 2 already, where evaluations add them
    terms.fixed_field += adds_potentials_ ? energy_ / 2 : energy_;
    return terms;
}

bool WithExternal::works() const
{
    return std::ranges::any_of(fields_, [](const auto& field) { return field->works(); });
}

std::vector<double> WithExternal::kept_state() const { return self_gravity_->kept_state(); }

void WithExternal::restore_state(Exec exec, const ConstParticlesView& particles,
                                 std::span<const double> state)
{
    self_gravity_->restore_state(exec, particles, state);
}

double WithExternal::power(Exec exec, const ConstParticlesView& particles, double time)
{
    double sum = 0;
    for (const auto& field : fields_)
        if (field->works()) sum += field->power(exec, particles, time);
    return sum;
}

}  // namespace aureole::gravity
