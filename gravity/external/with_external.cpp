#include "gravity/external/with_external.hpp"

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
}

std::size_t WithExternal::scratch_bytes(Backend where, std::size_t n) const
{
    std::size_t bytes = self_gravity_->scratch_bytes(where, n);
    for (const auto& field : fields_) bytes += field->scratch_bytes(n);
    return bytes;
}

EnergyTerms WithExternal::energy_terms() const { return self_gravity_->energy_terms(); }

std::vector<double> WithExternal::kept_state() const { return self_gravity_->kept_state(); }

void WithExternal::restore_state(Exec exec, const ConstParticlesView& particles,
                                 std::span<const double> state)
{
    self_gravity_->restore_state(exec, particles, state);
}

double WithExternal::power(Exec exec, const ConstParticlesView& particles, double time)
{
    double sum = 0;
    for (const auto& field : fields_) sum += field->power(exec, particles, time);
    return sum;
}

}  // namespace aureole::gravity
