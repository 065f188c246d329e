#include "gravity/ranks/forces_by_domains.hpp"

#include <algorithm>

#include "sim/core/memory/device_transfer.hpp"

namespace aureole::gravity::ranks {
namespace {

using domains::DomainParticles;

DomainParticles copy_of(const ConstParticlesView& p, const ConstVec3View& previous,
                        const domains::Array<std::uint32_t>& work)
{
    DomainParticles to;
    to.resize_untouched(p.n);
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

/// Arrays of rank 0's particles, brought from a GPU.
struct HostCopy {
    domains::Untouched<double> mass, x, y, z, ax, ay, az, potential;
    domains::Untouched<std::uint64_t> id;
    domains::Untouched<ParticleType> type;

    template <class T>
    static const T* of(const T* device, std::size_t n, domains::Untouched<T>& to)
    {
        if (!device) return nullptr;
        to.resize(n);
        if (n > 0) device::download(to.data(), device, n * sizeof(T));
        return to.data();
    }
};

}  // namespace

void ForcesByDomains::evaluate(Exec exec, const ConstParticlesView& particles, const ConstVec3View& previous,
                               const ForceOutputs& outputs, bool potential)
{
    if (particles.n == 0 || exec.backend == Backend::cpu)
        return evaluate_on_host(particles, previous, outputs, potential);
    const std::size_t n = particles.n;
    HostCopy copy;
    device::wait(exec.stream);
    ConstParticlesView p{};
    p.n = particles.n;
    p.where = Backend::cpu;
    p.mass = HostCopy::of(particles.mass, n, copy.mass);
    p.position = {HostCopy::of(particles.position.x, n, copy.x),
                  HostCopy::of(particles.position.y, n, copy.y),
                  HostCopy::of(particles.position.z, n, copy.z)};
    p.id = HostCopy::of(particles.id, n, copy.id);
    p.type = HostCopy::of(particles.type, n, copy.type);
    const ConstVec3View before{HostCopy::of(previous.x, n, copy.ax), HostCopy::of(previous.y, n, copy.ay),
                               HostCopy::of(previous.z, n, copy.az)};
    for (auto* const array : {&copy.ax, &copy.ay, &copy.az}) array->resize(n);
    if (outputs.potential) copy.potential.resize(n);
    evaluate_on_host(p, before,
                     {{copy.ax.data(), copy.ay.data(), copy.az.data()},
                      outputs.potential ? copy.potential.data() : nullptr},
                     potential);
    device::upload(outputs.acceleration.x, copy.ax.data(), n * sizeof(double));
    device::upload(outputs.acceleration.y, copy.ay.data(), n * sizeof(double));
    device::upload(outputs.acceleration.z, copy.az.data(), n * sizeof(double));
    if (outputs.potential) device::upload(outputs.potential, copy.potential.data(), n * sizeof(double));
    device::synchronize();  // what was uploaded from pageable memory may arrive later
}

void ForcesByDomains::evaluate_on_host(const ConstParticlesView& particles, const ConstVec3View& previous,
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
        const std::size_t n = serial.size();
#pragma omp parallel for if (n > parallel_threshold)
        for (std::size_t k = 0; k < n; ++k) {
            const auto i = static_cast<Index>(serial[k]);
            outputs.acceleration.store(i, {ax[k], ay[k], az[k]});
            if (outputs.potential) outputs.potential[i] = potential[k];
            work_[i] = work[k];
        }
    }
}

}  // namespace aureole::gravity::ranks
