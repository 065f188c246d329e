#include "gravity/ranks/domains/domain_memory.hpp"

#include <algorithm>

#include "gravity/acceleration_passes.hpp"
#include "gravity/ranks/domains/cuts.hpp"
#include "gravity/ranks/domains/particles.hpp"
#include "gravity/tree/source_tree.hpp"
#include "gravity/tree/tree.hpp"
#include "gravity/tree/tree_config.hpp"
#include "gravity/tree/walk_task.hpp"
#include "sim/core/device.hpp"

namespace aureole::gravity::domains {
namespace {

/// Buffers of a GPU are an eighth larger than what they were made for (upload()).
constexpr std::size_t with_eighth(std::size_t bytes) { return bytes + bytes / 8; }

/// Particles of the largest domain.
std::size_t most_particles(std::size_t n, int n_parts)
{
    const double most = CutRule{}.most_over_mean * static_cast<double>(n) / n_parts;
    return std::min(n, static_cast<std::size_t>(most) + 1 + cut_unit);
}

/// What DeviceWalk keeps of a domain of n particles, and the nodes that are made beside it.
std::size_t on_gpu_bytes(std::size_t n, const tree::Config& own, bool by_body)
{
    const std::size_t softening = by_body ? sizeof(float) : 0;
    const std::size_t slots = 4 * n / static_cast<std::size_t>(own.leaf_size) + 128;
    const std::size_t slot =
        sizeof(tree::NodeHead) + sizeof(tree::NodeTail) + sizeof(tree::NodeBox) + softening;
    const std::size_t particle = 7 * sizeof(double) + sizeof(ParticleType) + 2 * sizeof(Index);
    const std::size_t body = sizeof(tree::Body) + softening;
    const std::size_t walked = with_eighth(n * (body + particle) + slots * slot) + n * 4 * sizeof(double);
    const std::size_t made = with_eighth(n * (body + 1)) + slots * (slot + sizeof(Index));
    std::size_t notes = 0;
    if constexpr (with_cuda) notes = tree::walk_cuda_notes_size(n, own.plan) * sizeof(Index);
    return walked + walked / 16 + made + notes;
}

/// Particles in their order, their tree and results, in host memory.
std::size_t on_host_bytes(std::size_t n, const tree::Config& own, const tree::TypeSoftening& softening)
{
    const std::size_t particles = 2 * DomainParticles::bytes_per_particle + sizeof(std::uint64_t);
    return tree::SourceTree::bytes(Backend::cpu, n, softening, own.leaf_size) +
           n * (particles + 4 * sizeof(double) + 2 * sizeof(Index));
}

}  // namespace

DomainMemory domain_memory(const gravity::Config& config, Backend walked_on, std::size_t n, int n_parts)
{
    if (n == 0) return {};
    const auto& own = config.plugins.get<tree::Config>();
    const tree::TypeSoftening softening = tree::type_softening(config.softening);
    const std::size_t largest = most_particles(n, n_parts);
    // as they are given, and in messages
    const std::size_t sent = 2 * n * DomainParticles::bytes_per_particle;
    const std::size_t on_host = on_host_bytes(largest, own, softening),
                      received = 2 * largest * DomainParticles::bytes_per_particle;
    DomainMemory memory;
    memory.kept = own.conserve_momentum ? net_force_scratch(walked_on, n) * sizeof(double) : 0;
    if (walked_on == Backend::cpu) {
        memory.kept += sent + on_host;
        memory.other_kept = received + on_host;
        return memory;
    }
    memory.other_kept = on_gpu_bytes(largest, own, !softening.uniform);
    memory.kept += memory.other_kept;
    const std::size_t copied = n * (8 * sizeof(double) + sizeof(std::uint64_t) + sizeof(ParticleType));
    memory.host = copied + sent + on_host;
    memory.other_host = received + on_host;
    return memory;
}

}  // namespace aureole::gravity::domains
