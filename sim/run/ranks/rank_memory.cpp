#include "sim/run/ranks/rank_memory.hpp"

#include <fmt/format.h>

#include "gravity/external/with_external.hpp"
#include "gravity/ranks/domains/domain_memory.hpp"
#include "gravity/ranks/ranked_solver.hpp"
#include "gravity/tree/tree_config.hpp"
#include "sim/comm/agreed.hpp"
#include "sim/comm/gpu.hpp"
#include "sim/core/memory/ledger.hpp"
#include "sim/run/checkpoints/checkpoint_pieces.hpp"
#include "sim/run/checkpoints/state_archive.hpp"
#include "sim/run/ranks/particle_runs.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::run {

template <class Archive>
void visit_state(Archive& archive, RankMemory::Left& s)
{
    archive(s.bytes, s.is_own);
}

template <class Archive>
void visit_state(Archive& archive, RankMemory& s)
{
    archive(s.host, s.gpu, s.gpu_id, s.cpu, s.cuda);
}

namespace {

/// Of a tree, whether ranks hold domains of it.
bool has_domains(const Config& internal, int n_ranks)
{
    return n_ranks > 1 && internal.gravity.solver == "tree" &&
           internal.gravity.solvers.get<gravity::tree::Config>().domains;
}

/// Whether ranks move particles of their own, but for external fields that do work.
bool has_particle_runs(const Config& internal, int n_ranks)
{
    return n_ranks > 1 && internal.gravity.solver == "scf" && internal.integrator.method == "leapfrog" &&
           !internal.cosmology.given();
}

/// What a rank has to do with the memory of one kind.
struct Share {
    std::string place;       ///< as messages name it
    std::size_t needed = 0;  ///< by all ranks that share it
    std::uint64_t left = 0;
    std::size_t sharing = 0;

    double part() const
    {
        return static_cast<double>(needed) / static_cast<double>(std::max<std::uint64_t>(left, 1));
    }
};

Share share_of(const std::vector<RankMemory>& ranks, std::size_t rank, bool on_gpu, const RankNeeds& first,
               const RankNeeds& others)
{
    const auto left = [&](std::size_t r) { return on_gpu ? ranks[r].cuda : ranks[r].cpu; };
    const auto place = [&](std::size_t r) { return on_gpu ? ranks[r].gpu_id : ranks[r].host; };
    const std::string& host = ranks[rank].host;
    Share share{on_gpu ? fmt::format("{} of {}", ranks[rank].gpu, host) : host, 0, left(rank).bytes, 0};
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        const bool shares = !left(rank).is_own && !left(r).is_own && place(r) == place(rank);
        if (r != rank && !shares) continue;
        const RankNeeds& needs = r == 0 ? first : others;
        share.needed += on_gpu ? needs.cuda : needs.cpu;
        ++share.sharing;
    }
    return share;
}

std::string needs_text(const RankNeeds& needs, const std::string& gpu)
{
    const std::string cpu = fmt::format("cpu {:.1f} MB", megabytes(needs.cpu));
    return gpu.empty() ? cpu : fmt::format("{} {:.1f} MB, {}", gpu, megabytes(needs.cuda), cpu);
}

std::string tightest_line(const std::vector<RankMemory>& ranks, const RankNeeds& first,
                          const RankNeeds& others)
{
    std::size_t tightest = 0;
    Share least;
    for (std::size_t r = 0; r < ranks.size(); ++r)
        for (const bool on_gpu : {false, true}) {
            if (on_gpu && ranks[r].gpu.empty()) continue;
            Share share = share_of(ranks, r, on_gpu, first, others);
            if (r > 0 && share.part() <= least.part()) continue;
            if (on_gpu && share.part() <= least.part()) continue;
            least = std::move(share);
            tightest = r;
        }
    return fmt::format("tightest      rank {}, {}: {:.1f} MB{}, {:.1f} MB available{}", tightest, least.place,
                       megabytes(least.needed),
                       least.sharing > 1 ? fmt::format(" for {} ranks", least.sharing) : "",
                       megabytes(least.left), least.needed > least.left ? ": too little" : "");
}

}  // namespace

memory::Part forces_memory(const Config& internal, Backend where, std::size_t n, std::size_t n_components,
                           int n_ranks)
{
    const std::size_t own_potentials = n_components > 1 ? n * 4 * sizeof(double) : 0;
    memory::Part part{.what = "gravity.solver: " + internal.gravity.solver, .knob = "another gravity.solver"};
    gravity::domains::DomainMemory domains;
    const bool by_domains = has_domains(internal, n_ranks);
    if (by_domains) domains = gravity::domains::domain_memory(solver_config(internal), where, n, n_ranks);
    part.kept = domains.kept + own_potentials;
    if (!by_domains || n_components > 1) {
        part.kept += make_forces(internal)->scratch_bytes(where, n);
        if (n_ranks > 1) part.kept += gravity::ranked_memory(n).first;
    }
    if (has_particle_runs(internal, n_ranks)) part.kept += particle_run_bytes(n, n_ranks);
    part.host = domains.host;
    return part;
}

memory::Part lent_forces_memory(const Config& internal, Backend where, std::size_t n,
                                std::size_t n_components, int n_ranks)
{
    memory::Part part;
    gravity::domains::DomainMemory domains;
    const bool by_domains = has_domains(internal, n_ranks);
    if (by_domains) domains = gravity::domains::domain_memory(solver_config(internal), where, n, n_ranks);
    part.kept = domains.other_kept;
    part.host = domains.other_host;
    if (!by_domains || n_components > 1)
        part.kept += make_forces(internal)->scratch_bytes(where, n) + gravity::ranked_memory(n).others;
    if (has_particle_runs(internal, n_ranks)) {
        part.kept += particle_run_bytes(n, n_ranks);
        part.host = n / static_cast<std::size_t>(n_ranks) * moving_bytes_per_particle;  // of its checkpoints
    }
    return part;
}

std::vector<RankMemory> memory_of_ranks(comm::Communicator& ranks, const DeviceChoice& device)
{
    RankMemory own;
    comm::agreed(ranks, [&] {
        const auto left = [](Backend where) {
            const memory::Available available = memory::available(where);
            return RankMemory::Left{available.bytes, !available.limit.empty()};
        };
        own.host = ranks.host();
        own.cpu = left(Backend::cpu);
        if (device.exec.backend != Backend::cuda) return;
        own.gpu = device.description.substr(0, device.description.find(' '));
        own.gpu_id = comm::gpu::identity();
        own.cuda = left(Backend::cuda);
    });
    StateWriter writer;
    writer(own);
    std::vector<RankMemory> all;
    for (const auto& bytes : ranks.all_gather_v(writer.bytes())) {
        StateReader reader(bytes, "a rank");
        reader(all.emplace_back());
        reader.end();
    }
    return all;
}

std::vector<std::string> rank_memory_lines(const std::vector<RankMemory>& ranks, const RankNeeds& first,
                                           const RankNeeds& others)
{
    const auto is_alike = [&](std::size_t a, std::size_t b) {
        return a > 0 && ranks[a].host == ranks[b].host && ranks[a].gpu_id == ranks[b].gpu_id;
    };
    std::vector<std::string> lines;
    for (std::size_t begin = 0, end = 0; begin < ranks.size(); begin = end) {
        for (end = begin + 1; end < ranks.size() && is_alike(begin, end);) ++end;
        const std::string name =
            end == begin + 1 ? fmt::format("rank {}", begin) : fmt::format("ranks {}-{}", begin, end - 1);
        lines.push_back(fmt::format("{:<13} {}: {}{}", name, ranks[begin].host,
                                    needs_text(begin == 0 ? first : others, ranks[begin].gpu),
                                    end == begin + 1 ? "" : " each"));
    }
    if (!ranks.empty()) lines.push_back(tightest_line(ranks, first, others));
    return lines;
}

}  // namespace aureole::run
