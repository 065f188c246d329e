#include "halo/parts/part_linker.hpp"

#include "halo/fof/linking.hpp"
#include "halo/particle_summary.hpp"

namespace aureole::halo {
namespace {

FofConfig of_roles(FofConfig config)
{
    config.linking_types = 1 << entry_is_linked;
    config.min_friends = 1;
    config.core_flags = false;
    return config;
}

}  // namespace

PartLinker::PartLinker(Exec exec, const FofConfig& config, const FofExtent& extent, bool all_link,
                       std::size_t largest, Scratch& scratch)
    : exec_(exec),
      config_(of_roles(config)),
      min_friends_(config.min_friends),
      border_(config.border),
      extent_(extent),
      all_link_(all_link && config.min_friends <= 1),
      scratch_(scratch)
{
    scratch_.block.require(exec.backend,
                           FofMemory(exec.backend, size_of(exec.backend, largest, config_)).bytes);
}

std::size_t PartLinker::bytes(Backend where, std::size_t n, const FofConfig& config)
{
    return FofMemory(where, size_of(where, n, of_roles(config))).bytes + n * sizeof(ParticleType);
}

ConstParticlesView PartLinker::view(const EntryArrays& entries, Index n, const std::uint8_t* core)
{
    ConstParticlesView points{};
    points.n = n;
    points.where = exec_.backend;
    points.position = entries.position;
    points.velocity = entries.velocity;
    points.id = entries.id;
    if (all_link_) return points;
    scratch_.role.require(exec_.backend, n);
    find_roles(exec_, entries, n, core, border_, scratch_.role.data());
    points.type = scratch_.role.data();
    return points;
}

Index PartLinker::count_linking(const ConstParticlesView& points)
{
    if (all_link_) return points.n;
    scratch_.summary.require(exec_.backend, sizeof(ParticleSummary));
    auto* const there = reinterpret_cast<ParticleSummary*>(scratch_.summary.data());
    ParticleSummary summary = ParticleSummary::empty();
    copy_in_order(exec_, there, &summary, sizeof summary);
    summarize_particles(exec_, points, config_.box, config_.linking_types, there);
    fetch_in_order(exec_, &summary, there, sizeof summary);
    return summary.n_linking;
}

std::unique_ptr<Linker> PartLinker::built(Index n_linking)
{
    workspace_->set_extent(extent_);
    std::unique_ptr<Linker> linker;
    if (uses_cells(exec_.backend, config_)) linker = make_cell_linker(*workspace_);
    if (!linker) linker = make_tree_linker(*workspace_);
    linker->order(n_linking);
    linker->build(n_linking);
    return linker;
}

void PartLinker::flag_core(const EntryArrays& entries, Index n, std::uint8_t* core)
{
    if (n == 0) return;
    const ConstParticlesView points = view(entries, n, nullptr);
    const Index n_linking = count_linking(points);
    workspace_.emplace(exec_, points, config_, scratch_.block);
    auto* const flag = workspace_->at<std::uint8_t>(workspace_->memory().set);
    if (n_linking > 0) built(n_linking)->flag_core(min_friends_, flag);
    spread_core_flags(exec_, entries, n, n_linking > 0 ? workspace_->order() : nullptr, n_linking, flag,
                      core);
}

LinkedPart PartLinker::link(const EntryArrays& entries, Index n, const std::uint8_t* core)
{
    if (n == 0) return {};
    const ConstParticlesView points = view(entries, n, core);
    const Index n_linking = count_linking(points);
    if (n_linking == 0) return {};
    workspace_.emplace(exec_, points, config_, scratch_.block);
    const std::unique_ptr<Linker> linker = built(n_linking);
    linker->link();
    linker->join({n_linking, n});
    LinkedPart part{n, entries, workspace_->order(), workspace_->set(), points.type};
    for (int k = 0; k < 4; ++k) part.wide[k] = workspace_->wide_part(k);
    return part;
}

}  // namespace aureole::halo
