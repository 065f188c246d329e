// `aureole find` between the file and what it reports: the data of the command, and its groups.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/analysis/halo_catalogue.hpp"
#include "sim/analysis/halo_search.hpp"
#include "sim/analysis/kernel_loading.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/io/json_writer.hpp"
#include "sim/run/device_choice.hpp"
#include "sim/run/ranks/run_ranks.hpp"

namespace aureole::cli {

/// The data of the command, from the file to the groups.
struct Find {
    const FindCommand& command;
    run::Config config;
    run::DeviceChoice device;
    run::RunRanks* ranks;  ///< that look for friends; null for one process
    LoadedSnapshot loaded;
    std::size_t n_in_file = 0;
    std::vector<Index> kept{};  ///< of the file's particles; empty when all are
    std::vector<std::int64_t> membership{};
    run::HaloSearch search{};
    run::HaloContext context{};
    std::string unit{};                ///< of lengths
    double softening = 0;              ///< of potentials inside halos
    std::optional<Particles> there{};  ///< the particles on a CUDA device
    std::unique_ptr<halo::Finder> finder{};
    halo::Groups groups{};                ///< on the host, where they were needed there
    Buffer<std::int32_t> given_labels{};  ///< those of --members on a CUDA device
    Buffer<Index> given_sizes{};
    std::optional<run::CatalogueMaker> catalogue{std::in_place};
    io::JsonObject result{};  ///< of --json

    Particles& host() { return loaded.snapshot.particles; }
    ConstParticlesView view() { return there ? there->view() : host().view(); }
};

/// Only the labels are asked for: the table that is printed is that of the largest groups, made on the host.
bool labels_alone(const FindCommand& command);

/// Throws ConfigError for what is asked for and one process alone can do, before a large file is read.
void expect_possible_on_ranks(const FindCommand& command, const run::HalosConfig& halos);

/// Velocities that link nothing are read when the groups are known: on a CPU, and on a device for labels
/// alone.
bool reads_motion_later(const FindCommand& command, const run::Config& config,
                        const run::DeviceChoice& device);

/// On a GPU, for a snapshot that takes longer to read than kernels to load; else null.
std::unique_ptr<run::KernelLoading> load_kernels_while_reading(const FindCommand& command,
                                                               const run::Config& config,
                                                               const run::DeviceChoice& device);

/// Groups where the particles are, which go to a device with the arrays that are needed there. On a CPU
/// neither masses nor velocities take memory beside the finder's, nor the finder's later.
halo::GroupsView groups_of(Find& find);

/// The catalogue of one process, or of all ranks together; prints how long it took.
run::HaloCatalogue catalogue_of(Find& find, const halo::GroupsView& groups);

/// What ranks other than the first do until it calls halo::end_searches().
void serve_find(run::RunRanks& ranks);

/// The particles of the groups whose rows are printed, with these groups. On a CPU those of all others and
/// their labels make way for the masses and velocities of the file.
std::pair<Particles, halo::Groups> largest_groups(Find& find);

}  // namespace aureole::cli
