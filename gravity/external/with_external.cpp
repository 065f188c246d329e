#include "gravity/external/with_external.hpp"

namespace aureole::gravity {

WithExternal::WithExternal(std::unique_ptr<Solver> self_gravity, Fields fields)
    : self_gravity_(std::move(self_gravity)), fields_(std::move(fields))
{
}

void WithExternal::accelerate(Exec exec, const ParticlesView& particles, const ForceRequest& request)
{
    self_gravity_->accelerate(exec, particles, request);
    for (const auto& field : fields_) field->add_acceleration(exec, particles, request.targets, request.time);
}

std::size_t WithExternal::scratch_bytes(Backend where, std::size_t n) const
{
    std::size_t bytes = self_gravity_->scratch_bytes(where, n);
    for (const auto& field : fields_) bytes += field->scratch_bytes(n);
    return bytes;
}

double WithExternal::power(Exec exec, const ParticlesView& particles, double time)
{
    double sum = 0;
    for (const auto& field : fields_) sum += field->power(exec, particles, time);
    return sum;
}

}  // namespace aureole::gravity
