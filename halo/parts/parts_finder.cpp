// Phases:
//  1. scan: finite positions, extent (particle_source.hpp); cuts of a Hilbert curve (domain_map.hpp);
//  2. batches of particles become entries in the order of parts: own points, and ghosts, which are points of
//     earlier parts within a linking length, or of all others where friends are counted or points join their
//     nearest one (entries.hpp). They wait for their part on the device, or in pinned memory of the host;
//  3. with min_friends, each part flags its core points;
//  4. each part is linked as on one device (part_linker.hpp), and its sets become heads (group_heads.hpp);
//  5. heads that share a point are joined, sorted by size, smallest id and first particle, and labelled.
// Every pair of friends meets in the part of one of both: there one is a ghost.
#include "halo/parts/parts_finder.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "halo/fof/fof_checks.hpp"
#include "halo/parts/entry_store.hpp"
#include "halo/parts/group_heads.hpp"
#include "halo/parts/particle_source.hpp"

namespace aureole::halo {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

struct PartsFinder::State {
    PartsTimes times;
    SpaceCuts cuts;
    EntryMaker::Scratch entries;
    EntryStore::Scratch store;
    PartLinker::Scratch linking;
    GroupHeads::Scratch groups;
    Buffer<std::uint8_t> core;

    /// What free memory said of a search of this size, before this finder held some of it.
    struct Decision {
        std::size_t bytes = 0;
        bool on_host = false;
    } decision;
};

PartsFinder::PartsFinder() : state_(std::make_unique<State>()) {}
PartsFinder::~PartsFinder() = default;

const PartsTimes& PartsFinder::times() const { return state_->times; }

namespace {

/// Whether points wait for their part in pinned memory of the host.
template <class Decision>
bool stores_on_host(Exec exec, std::size_t n, const FofConfig& config, const PartsConfig& parts,
                    Decision& decision)
{
    if (exec.backend == Backend::cpu) return false;
    if (parts.store != PartsConfig::Store::automatic) return parts.store == PartsConfig::Store::host;
    const std::size_t bytes =
        PartsFinder::bytes(exec.backend, n, config, parts) + PartsFinder::bytes_of_store(n, config);
    if (bytes != decision.bytes) decision = {bytes, bytes > device::free_bytes()};
    return decision.on_host;
}

}  // namespace

void expect_possible_by_parts(const FofConfig& config)
{
    expect_sound(config);
    AUREOLE_EXPECT(config.method != Method::spanning_tree,
                   "the method spanning_tree works on all particles at once, expected another for several "
                   "parts");
    AUREOLE_EXPECT(config.relative_linking_velocity == 0,
                   "a linking velocity of {} velocity dispersions of groups works on all particles at once, "
                   "expected linking_velocity or none",
                   config.relative_linking_velocity);
}

GroupsView PartsFinder::find_on_device(Exec exec, const ConstParticlesView& particles,
                                       const FofConfig& config, const PartsConfig& parts,
                                       const Progress& progress)
{
    expect_possible_by_parts(config);
    expect_read_arrays(particles.where, particles, config);
    AUREOLE_EXPECT(parts.n_parts >= 1 && parts.n_parts <= most_parts, "{} parts, expected 1 to {}",
                   parts.n_parts, most_parts);
    AUREOLE_EXPECT(particles.where == exec.backend || particles.where == Backend::cpu,
                   "particles on a {} for a search on a {}", name_of(particles.where), name_of(exec.backend));
    State& state = *state_;
    state.times = {};
    if (particles.n == 0) return {};
    Clock::time_point last = Clock::now();
    const auto clock = [&](double& seconds) {
        if (exec.backend == Backend::cuda) device::wait(exec.stream);
        seconds = std::chrono::duration<double>(Clock::now() - last).count();
        last = Clock::now();
    };

    progress.at(0, "cutting space into parts");
    ParticleSource source(exec, particles, config, parts.batch);
    ParticleScan scan = source.scan();
    SpaceCuts& cuts = state.cuts;
    cuts.set_space(config.box, scan.extent.low, scan.extent.high, config.linking_length);
    cuts.cut(exec, particles, parts.n_parts);
    clock(state.times.survey);

    const bool pairs_alone = config.min_friends <= 1 && scan.all_link;
    const bool ids_by_entry = source.from_host() ? particles.id != nullptr : !pairs_alone;
    const EntryKind kind{in_phase_space(config), ids_by_entry || !pairs_alone};
    const bool on_host = stores_on_host(exec, particles.n, config, parts, state.decision);
    state.times.stored_on_host = on_host;
    EntryStore store(exec, kind, on_host, source.n_batches(), state.store);
    {
        EntryMaker maker(exec, cuts, config, kind,
                         pairs_alone ? EntryMaker::Ghosts::of_later : EntryMaker::Ghosts::of_all,
                         state.entries);
        for (std::size_t k = 0; k < source.n_batches(); ++k) {
            progress.at(0.05 + 0.45 * static_cast<double>(k) / static_cast<double>(source.n_batches()),
                        "taking particles to their parts");
            store.add(maker, source.batch(k, scan), source.begin(k));
        }
    }
    state.times.n_ghosts = store.n_ghosts();
    const auto n_parts = static_cast<std::size_t>(cuts.size());
    for (std::size_t part = 0; part < n_parts; ++part)
        state.times.largest_part = std::max(state.times.largest_part, store.size(part));
    clock(state.times.cut);

    PartLinker linker(exec, config, scan.extent, scan.all_link, state.times.largest_part, state.linking);
    PartReader reader(exec, store, n_parts);
    const bool counts_friends = config.min_friends > 1;
    if (counts_friends || config.core_flags) {
        state.core.require(exec.backend, particles.n);
        progress.at(0.5, "counting friends");
        reader.each([&](const EntryArrays& entries, Index n) {
            if (counts_friends)
                linker.flag_core(entries, n, state.core.data());
            else
                flag_linking_points(exec, entries, n, state.core.data());
        });
    }
    const bool source_has_ids = particles.id != nullptr;
    Ids ids{source_has_ids && !kind.id ? particles.id : nullptr, source_has_ids ? scan.largest_id : 0};
    const HeadSizes sizes{particles.n, particles.n, particles.n, 2 * store.n_ghosts()};
    GroupHeads heads(exec, sizes, config, ids, state.groups);
    std::size_t done = 0;
    reader.each([&](const EntryArrays& entries, Index n) {
        progress.at(0.5 + 0.45 * static_cast<double>(done++) / static_cast<double>(n_parts),
                    "linking friends");
        const LinkedPart part = linker.link(entries, n, counts_friends ? state.core.data() : nullptr);
        if (part.n > 0) heads.add(part);
    });
    clock(state.times.link);
    progress.at(0.95, "numbering groups");
    GroupsView groups = heads.finish();
    if (config.core_flags) groups.core = state.core.data();
    clock(state.times.label);
    return groups;
}

}  // namespace aureole::halo
