#include "halo/parts/particle_source.hpp"

#include <algorithm>
#include <future>

#include "halo/fof/fof_checks.hpp"
#include "halo/particle_summary.hpp"
#include "sim/core/device_sharing.hpp"
#include "sim/core/memory/device_transfer.hpp"

namespace aureole::halo {
namespace {

void expect_finite(Exec there, const ConstParticlesView& particles, Index first, const char* what,
                   const ConstVec3View& x, Index bad)
{
    if (bad == ParticleSummary::none) return;
    const std::uint64_t index = std::uint64_t{first} + bad;
    const std::uint64_t id = particles.id ? fetched(there, particles.id + bad) : index;
    throw Error(damage_text(
        index, id, what, {fetched(there, x.x + bad), fetched(there, x.y + bad), fetched(there, x.z + bad)}));
}

bool all_link(const ConstParticlesView& host, std::uint8_t linking_types)
{
    if (!host.type) return type_links(linking_types, host.type_of(0));
    bool all = true;
#pragma omp parallel for reduction(&& : all) if (host.n > parallel_threshold)
    for (Index i = 0; i < host.n; ++i) all = all && type_links(linking_types, host.type[i]);
    return all;
}

}  // namespace

/// Two places for batches from the host.
struct ParticleSource::Incoming {
    struct Slot {
        Buffer<double> vectors;  ///< three or six arrays
        Buffer<std::uint64_t> id;
        Buffer<ParticleType> type;
    };
    Slot slot[2];
    std::future<void> arrival;
};

ParticleSource::ParticleSource(Exec exec, const ConstParticlesView& particles, const FofConfig& config,
                               std::size_t batch, Index first_index)
    : exec_(exec), particles_(particles), config_(config), first_index_(first_index)
{
    const std::size_t n = particles.n;
    batch_ = std::max<std::size_t>(1, from_host() ? std::min(batch, n) : n);
    n_batches_ = (n + batch_ - 1) / batch_;
    if (!from_host()) return;
    incoming_ = std::make_unique<Incoming>();
    const bool phase = in_phase_space(config);
    for (Incoming::Slot& slot : incoming_->slot) {
        slot.vectors = Buffer<double>(exec.backend, (phase ? 6 : 3) * batch_);
        if (particles.id) slot.id = Buffer<std::uint64_t>(exec.backend, batch_);
        if (particles.type) slot.type = Buffer<ParticleType>(exec.backend, batch_);
        if (n_batches_ == 1) break;
    }
}

ParticleSource::~ParticleSource()
{
    if (incoming_ && incoming_->arrival.valid()) incoming_->arrival.wait();
}

void ParticleSource::look_at(Exec exec, const ConstParticlesView& particles, Index first, ParticleScan& scan)
{
    Buffer<std::byte> there(exec.backend, sizeof(ParticleSummary));
    auto* const shared = reinterpret_cast<ParticleSummary*>(there.data());
    ParticleSummary summary = ParticleSummary::empty();
    copy_in_order(exec, shared, &summary, sizeof summary);
    summarize_particles(exec, particles, config_.box, config_.linking_types, shared);
    if (in_phase_space(config_)) summarize_velocities(exec, particles, shared);
    fetch_in_order(exec, &summary, shared, sizeof summary);
    expect_finite(exec, particles, first, "is at", particles.position, summary.first_bad);
    expect_finite(exec, particles, first, "has velocity", particles.velocity, summary.first_bad_velocity);
    scan.largest_id = std::max(scan.largest_id, particles.id ? summary.largest_id : 0);
    scan.all_link = scan.all_link && summary.n_linking == particles.n;
    const double side = config_.box.side;
    scan.extent.low = config_.box.periodic() ? Vec3{0, 0, 0} : summary.lowest();
    scan.extent.high = config_.box.periodic() ? Vec3{side, side, side} : summary.highest();
    if (!in_phase_space(config_)) return;
    scan.extent.low_velocity = summary.lowest_velocity();
    scan.extent.high_velocity = summary.highest_velocity();
}

ParticleScan ParticleSource::scan()
{
    ParticleScan scan;
    looks_later_ = from_host() && config_.box.periodic() && !in_phase_space(config_);
    if (!looks_later_) {
        look_at(from_host() ? Exec{particles_.where} : exec_, particles_, first_index_, scan);
        return scan;
    }
    const double side = config_.box.side;
    scan.extent.high = {side, side, side};
    scan.all_link = all_link(particles_, config_.linking_types);
    return scan;
}

ConstParticlesView ParticleSource::piece(std::size_t k) const
{
    const std::size_t first = k * batch_;
    ConstParticlesView view{};
    view.where = particles_.where;
    view.n = static_cast<Index>(std::min(batch_, particles_.n - first));
    const auto moved = [first](const auto* array) { return array ? array + first : nullptr; };
    const auto vectors = [&](const ConstVec3View& v) {
        return ConstVec3View{moved(v.x), moved(v.y), moved(v.z)};
    };
    view.position = vectors(particles_.position);
    if (in_phase_space(config_)) view.velocity = vectors(particles_.velocity);
    view.id = moved(particles_.id);
    view.type = moved(particles_.type);
    return view;
}

/// The calling thread waits until all of it is there.
void ParticleSource::fetch(std::size_t k)
{
    const ConstParticlesView from = piece(k);
    Incoming::Slot& slot = incoming_->slot[k % 2];
    const double* const axes[] = {from.position.x, from.position.y, from.position.z,
                                  from.velocity.x, from.velocity.y, from.velocity.z};
    for (std::size_t axis = 0; axis * batch_ < slot.vectors.size(); ++axis)
        device::upload(slot.vectors.data() + axis * batch_, axes[axis], from.n * sizeof(double));
    if (from.id) device::upload(slot.id.data(), from.id, from.n * sizeof(std::uint64_t));
    if (from.type) device::upload(slot.type.data(), from.type, from.n * sizeof(ParticleType));
}

ConstParticlesView ParticleSource::batch(std::size_t k, ParticleScan& scan)
{
    if (!from_host()) return particles_;
    if (k == 0) fetch(0);
    if (incoming_->arrival.valid()) incoming_->arrival.get();
    if (k + 1 < n_batches_) {
        device::wait(exec_.stream);  // what reads the other place
        incoming_->arrival = std::async(std::launch::async, [this, k, number = device::selected()] {
            device::select(number);
            fetch(k + 1);
        });
    }
    ConstParticlesView view = piece(k);
    Incoming::Slot& slot = incoming_->slot[k % 2];
    view.where = exec_.backend;
    double* const at = slot.vectors.data();
    view.position = {at, at + batch_, at + 2 * batch_};
    if (view.velocity.x) view.velocity = {at + 3 * batch_, at + 4 * batch_, at + 5 * batch_};
    if (view.id) view.id = slot.id.data();
    if (view.type) view.type = slot.type.data();
    if (looks_later_) {
        ParticleScan of_batch;
        look_at(exec_, view, begin(k), of_batch);
        scan.largest_id = std::max(scan.largest_id, of_batch.largest_id);
    }
    return view;
}

}  // namespace aureole::halo
