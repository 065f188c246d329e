#include "gravity/ranks/forces_by_domains.hpp"

#include <algorithm>

namespace aureole::gravity::ranks {
namespace {

using domains::DomainParticles;

DomainParticles copy_of(const ConstParticlesView& p, const ConstVec3View& previous,
                        const domains::Array<std::uint32_t>& work)
{
    DomainParticles to;
    to.resize(p.n);
    const bool is_counted = work.size() == p.n;
#pragma omp parallel for if (p.n > parallel_threshold)
    for (Index i = 0; i < p.n; ++i) {
        const Vec3 x = p.position.load(i), a = previous.absent() ? Vec3{} : previous.load(i);
        to.x[i] = x.x;
        to.y[i] = x.y;
        to.z[i] = x.z;
        to.ax[i] = a.x;
        to.ay[i] = a.y;
        to.az[i] = a.z;
        to.mass[i] = p.mass[i];
        to.id[i] = p.id_of(i);
        to.serial[i] = i;
        to.work[i] = is_counted ? work[i] : 0;
        to.type[i] = p.type_of(i);
    }
    return to;
}

}  // namespace

void ForcesByDomains::evaluate(const ConstParticlesView& particles, const ConstVec3View& previous,
                               const ForceOutputs& outputs, bool potential)
{
    std::vector<DomainParticles> held;
    held.push_back(copy_of(particles, previous, work_));
    forces_.evaluate(held, potential);
    work_seconds_ += forces_.report().walk_seconds;
    work_.resize(particles.n);
    bring_home(held, outputs);
}

/// Results of all domains come to rank 0, by serial.
void ForcesByDomains::bring_home(const std::vector<DomainParticles>& held, const ForceOutputs& outputs)
{
    comm::Parts::Boxes out = parts_.boxes();
    const DomainParticles& own = held[0];
    domains::Writer box(out[0][0]);
    box.put(own.serial);
    box.put(own.ax);
    box.put(own.ay);
    box.put(own.az);
    box.put(own.work);
    box.put(own.potential);
    const comm::Parts::Boxes in = parts_.exchange(std::move(out));
    for (const comm::Parts::Box& from : in[0]) {
        if (from.empty()) continue;
        domains::Reader reader(from);
        const auto serial = reader.take<std::uint64_t>();
        const auto ax = reader.take<double>(), ay = reader.take<double>(), az = reader.take<double>();
        const auto work = reader.take<std::uint32_t>();
        const auto potential = reader.take<double>();
        for (std::size_t k = 0; k < serial.size(); ++k) {
            const auto i = static_cast<Index>(serial[k]);
            outputs.acceleration.store(i, {ax[k], ay[k], az[k]});
            if (outputs.potential) outputs.potential[i] = potential[k];
            work_[i] = work[k];
        }
    }
}

}  // namespace aureole::gravity::ranks
