#include "sim/run/ranks/run_ranks.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "gravity/ranks/ranked_solver.hpp"
#include "gravity/sliced_solver.hpp"
#include "gravity/solver_config.hpp"
#include "sim/core/device.hpp"
#include "sim/core/simd/cpu_path.hpp"
#include "sim/io/list_text.hpp"
#include "sim/run/checkpoints/resume.hpp"
#include "sim/run/checkpoints/state_archive.hpp"
#include "sim/run/ranks/particle_runs.hpp"
#include "sim/run/ranks/shared_reading.hpp"

namespace aureole::run {

/// What a rank tells the others of itself.
struct RankCard {
    std::string host, program, path;
    std::vector<std::uint64_t> cores;  ///< a bit for each on which it may run
    std::uint64_t cores_of_host = 0;
    std::uint64_t functions = 0;  ///< functions_of_this_host()
};

template <class Archive>
void visit_state(Archive& archive, RankCard& card)
{
    archive(card.host, card.program, card.path, card.cores, card.cores_of_host, card.functions);
}

namespace {

std::vector<std::uint64_t> own_cores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<std::uint64_t> cores(CPU_SETSIZE / 64, 0);
    if (sched_getaffinity(0, sizeof set, &set) != 0) {  // unknown: any core
        std::ranges::fill(cores, ~std::uint64_t{0});
        return cores;
    }
    for (std::size_t k = 0; k < CPU_SETSIZE; ++k)
        if (CPU_ISSET(k, &set)) cores[k / 64] |= std::uint64_t{1} << (k % 64);
    return cores;
}

/// A hash of what the C library's functions give: it chooses them by the processor, and their last bits
/// differ.
std::uint64_t functions_of_this_host()
{
    std::uint64_t hash = 1469598103934665603u;
    volatile double step = 0.0379;  // computed here, not by the compiler
    for (int k = 1; k <= 256; ++k) {
        const double x = k * step;
        for (const double y : {std::exp(-x), std::log(x), std::sin(9 * x), std::cos(9 * x), std::tan(x),
                               std::pow(x, 1.3), std::cbrt(x), std::erf(x), std::atan2(x, 2.7)})
            hash = (hash ^ std::bit_cast<std::uint64_t>(y)) * 1099511628211u;
    }
    return hash;
}

bool share_cores(const RankCard& a, const RankCard& b)
{
    if (a.host != b.host) return false;
    for (std::size_t k = 0; k < std::min(a.cores.size(), b.cores.size()); ++k)
        if (a.cores[k] & b.cores[k]) return true;
    return false;
}

std::vector<RankCard> gather_cards(comm::Communicator& ranks, const std::string& program)
{
    RankCard mine;
    std::string fault;
    try {
        mine.path = name_of(chosen_cpu_path());
    } catch (const Error& error) {
        fault = error.what();
    }
    ranks.agree(fault);
    mine.host = ranks.host();
    mine.program = program;
    mine.cores = own_cores();
    mine.functions = functions_of_this_host();
    mine.cores_of_host = static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
    StateWriter writer;
    writer(mine);
    std::vector<RankCard> cards;
    for (const auto& bytes : ranks.all_gather_v(writer.bytes())) {
        StateReader reader(bytes, "a rank");
        reader(cards.emplace_back());
        reader.end();
    }
    return cards;
}

/// The same on every rank, so that all throw or none.
void expect_one_program(const std::vector<RankCard>& cards)
{
    for (std::size_t r = 1; r < cards.size(); ++r) {
        const RankCard &first = cards[0], &other = cards[r];
        if (other.program != first.program)
            throw ConfigError(fmt::format(
                "the ranks of a run differ: rank 0 on {} is '{}', rank {} on {} is '{}'; expected one "
                "program with one command line. Runs that have nothing to do with each other need "
                "launchers of their own",
                first.host, first.program, r, other.host, other.program));
        if (other.path != first.path)
            throw ConfigError(fmt::format(
                "the ranks of a run differ: rank 0 on {} computes with {}, rank {} on {} with {}; "
                "set AUREOLE_SIMD for all to what every host has",
                first.host, first.path, r, other.host, other.path));
        if (other.functions != first.functions)
            throw ConfigError(fmt::format(
                "the ranks of a run differ: sin, exp and their like have other last bits on rank {}, {}, "
                "than on rank 0, {}; expected hosts with one C library and one kind of processor",
                r, other.host, first.host));
    }
}

/// Where nothing says otherwise, an even share of the cores for the ranks that may run on them.
void settle_threads(const std::vector<RankCard>& cards, const RankCard& mine)
{
    if (std::getenv("OMP_NUM_THREADS")) return;
    const auto sharing =
        std::ranges::count_if(cards, [&](const RankCard& c) { return share_cores(c, mine); });
    omp_set_num_threads(std::max(1, omp_get_num_procs() / std::max(1, static_cast<int>(sharing))));
}

std::vector<std::string> hosts_of(const std::vector<RankCard>& cards)
{
    std::vector<std::string> hosts;
    for (const RankCard& card : cards)
        if (std::ranges::find(hosts, card.host) == hosts.end()) hosts.push_back(card.host);
    return hosts;
}

std::string threads_text(const std::vector<std::uint64_t>& threads)
{
    const auto [least, most] = std::ranges::minmax(threads);
    if (least != most) return fmt::format("{} to {} threads each", least, most);
    return fmt::format("{} thread{} each", least, least == 1 ? "" : "s");
}

int number_of_cores(const RankCard& card)
{
    int n = 0;
    for (const std::uint64_t bits : card.cores) n += std::popcount(bits);
    return n;
}

/// Of hosts with more cores than ranks, where each rank may run on one core alone.
std::vector<std::string> idle_cores(const std::vector<RankCard>& cards)
{
    std::vector<std::string> warnings;
    for (const std::string& host : hosts_of(cards)) {
        std::uint64_t n_ranks = 0, cores = 0;
        bool is_bound = true;
        for (const RankCard& card : cards) {
            if (card.host != host) continue;
            ++n_ranks;
            cores = card.cores_of_host;
            is_bound = is_bound && number_of_cores(card) == 1;
        }
        if (is_bound && n_ranks < cores)
            warnings.push_back(fmt::format(
                "{} of the ranks are on {}, which has {} cores, and each is bound to one of them; "
                "where that is not meant: mpirun --bind-to none",
                n_ranks, host, cores));
    }
    return warnings;
}

/// The device of this rank. Selected before anything is allocated.
DeviceChoice device_of_rank(const comm::Communicator& ranks, const std::string& word)
{
    const bool is_numbered = word != "auto" && word != "cuda";
    if (is_numbered || device::count() == 0) return choose_device(word);
    return choose_device(fmt::format("cuda:{}", ranks.rank_on_host() % device::count()));
}

std::vector<std::string> gather_texts(comm::Communicator& ranks, const std::string& own)
{
    std::vector<std::string> all;
    for (const auto& bytes : ranks.all_gather_v(std::as_bytes(std::span(own))))
        all.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return all;
}

/// "cpu", or the name of the GPU: other kinds of GPUs have other last bits.
std::string kind_of(const DeviceChoice& device)
{
    if (device.exec.backend == Backend::cpu) return "cpu";
    const std::size_t name = device.description.find('(');
    return name == std::string::npos ? device.description : device.description.substr(name);
}

/// Chooses devices and opens the moves between them.
void settle_devices(RunRanks& all, const std::string& word)
{
    comm::Communicator& ranks = all.all;
    std::string fault;
    comm::Transport transport = comm::Transport::automatic;
    try {
        all.device = device_of_rank(ranks, word);
        transport = comm::chosen_transport();
    } catch (const std::exception& error) {
        fault = error.what();
    }
    ranks.agree(fault);
    const std::vector<std::string> kinds = gather_texts(ranks, kind_of(all.device));
    for (std::size_t r = 1; r < kinds.size(); ++r)
        if (kinds[r] != kinds[0])
            throw ConfigError(fmt::format(
                "the ranks of a run differ: rank 0 computes on {}, rank {} on {}; expected one kind of "
                "device, or --device cpu",
                kinds[0], r, kinds[r]));
    if (all.device.exec.backend == Backend::cpu) {
        all.moves = comm::host_moves(ranks);
        return;
    }
    std::string reason;
    all.moves = comm::open_device_moves(ranks, transport, reason);
    const std::vector<std::string> devices = gather_texts(ranks, all.device.description);
    all.notes.push_back(fmt::format("devices of ranks: {}; transport: {}{}", io::list_text(devices, ", "),
                                    all.moves->description(), reason.empty() ? "" : " (" + reason + ")"));
    all.provenance.push_back({"Devices", io::list_text(devices, ", ")});
    all.provenance.push_back({"Transport", all.moves->description()});
}

}  // namespace

RunRanks settle_ranks(comm::Communicator& ranks, const std::string& program, const std::string& device)
{
    const std::vector<RankCard> cards = gather_cards(ranks, program);
    expect_one_program(cards);
    settle_threads(cards, cards[static_cast<std::size_t>(ranks.rank())]);
    std::vector<std::uint64_t> threads(cards.size());
    const std::uint64_t own = static_cast<std::uint64_t>(omp_get_max_threads());
    ranks.all_gather(comm::bytes_of(own), std::as_writable_bytes(std::span(threads)));
    const std::vector<std::string> hosts = hosts_of(cards);
    RunRanks all{ranks,
                 {},
                 nullptr,
                 fmt::format("{} ranks on {} host{}, {}, {}", ranks.size(), hosts.size(),
                             hosts.size() == 1 ? "" : "s", threads_text(threads), ranks.description()),
                 {},
                 idle_cores(cards),
                 {},
                 {{"Ranks", fmt::format("{}", ranks.size())},
                  {"Hosts", io::list_text(hosts, ", ")},
                  {"Mpi", ranks.description()}}};
    settle_devices(all, device);
    return all;
}

SharedForces shared_forces(RunRanks& ranks, const RunStart& start)
{
    return shared_forces(ranks, start.config, start.units, start.internal);
}

SharedForces shared_forces(RunRanks& ranks, const Config& config, const RunUnits& units,
                           const Config& internal)
{
    RunState state;
    state.configuration = to_yaml(config);
    state.units = units;
    state.coefficients = coefficients_in(internal);
    ranks.all.set_stall_limit(config.stall_limit);
    return {&ranks.all, ranks.moves, bytes_of(state)};
}

void expect_shareable(const RunRanks* ranks, const Config& internal)
{
    if (!ranks || ranks->all.size() == 1) return;
    const auto solver = gravity::make_solver(solver_config(internal));
    if (dynamic_cast<const gravity::SlicedSolver*>(solver.get())) return;
    throw ConfigError(fmt::format(
        "{}: gravity.solver is {}, which runs on one rank alone, and there are {}; expected one of "
        "the solvers direct, tree, treepm and scf, or one rank",
        internal.file.string(), internal.gravity.solver, ranks->all.size()));
}

void serve_run(RunRanks& ranks)
{
    ParticleRunServer runs(ranks.all, *ranks.moves);
    const auto make = [&](std::span<const std::byte> settings) {
        RunState state = run_state_of(settings, "the configuration of rank 0");
        const Config internal = internal_configuration(state, "the configuration of rank 0");
        ranks.all.set_stall_limit(internal.stall_limit);
        runs.set_fields(make_fields(internal));
        return gravity::make_solver(solver_config(internal));
    };
    gravity::serve_forces(ranks.all, *ranks.moves, make,
                          [&](gravity::Solver* solver, double work_seconds, std::span<const std::byte> task) {
                              if (is_reading(task)) return serve_reading(ranks.all, task);
                              runs.perform(*solver, work_seconds, task);
                          });
}

void end_serving(comm::Communicator& ranks) { gravity::end_forces(ranks); }

}  // namespace aureole::run
