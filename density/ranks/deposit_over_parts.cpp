#include "density/ranks/deposit_over_parts.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#include "density/deposit/tetrahedron_tasks.hpp"
#include "density/ranks/deposit_by_space.hpp"
#include "density/ranks/lattice_survey.hpp"
#include "density/ranks/sum_digits.hpp"
#include "sim/core/device.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/device_transfer.hpp"
#include "sim/core/particles.hpp"

namespace aureole::density {
namespace {

class Seconds {
public:
    double next()
    {
        const auto now = std::chrono::steady_clock::now();
        return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

std::size_t cells_of(const DepositConfig& config) { return static_cast<std::size_t>(config.grid.n_cells()); }

bool is_first(const comm::Parts& parts) { return parts.first() == 0; }
bool is_alone(const comm::Parts& parts) { return parts.held() == parts.size(); }

/// All cells on every rank, to which each adds what it has, and their way to the first rank. On the CPU the
/// first rank adds to the grid itself.
class WholeGrid {
public:
    WholeGrid(Exec exec, const comm::Parts& parts, const DepositConfig& config, DensityGrid* grid)
        : exec_(exec),
          alone_(is_alone(parts)),
          grid_(grid),
          n_sums_(cells_of(config) * static_cast<std::size_t>(config.fields.sums_per_cell())),
          n_streams_(config.fields.streams ? cells_of(config) + cells_of(config) % 2 : 0),
          sums_(exec.backend, in_place() ? 0 : n_sums_),
          streams_(exec.backend, n_streams_)
    {
        if (in_place()) grid->clear();
        clear(sums_);
        clear(streams_);
        if (exec.backend != Backend::cpu) device::synchronize();
    }

    FixedSum* sums() { return in_place() ? grid_->sums() : sums_.data(); }
    Index* streams() { return n_streams_ > 0 ? streams_.data() : nullptr; }

    /// Collective: what fails on the first rank alone fails on all.
    void bring_home(comm::Parts& parts, comm::DeviceMoves& moves)
    {
        if (!alone_) {
            to_digits(exec_, sums(), n_sums_);
            moves.sum_to_first(exec_.stream, reinterpret_cast<std::uint64_t*>(sums()), 2 * n_sums_);
            if (n_streams_ > 0)
                moves.sum_to_first(exec_.stream, reinterpret_cast<std::uint64_t*>(streams()), n_streams_ / 2);
        }
        parts.agreed_phase([&](int, int k) {
            if (k == 0) put_home();
        });
    }

private:
    void put_home()
    {
        if (grid_ && !alone_) from_digits(exec_, sums(), n_sums_);
        if (exec_.backend != Backend::cpu) device::wait(exec_.stream);
        if (!grid_) return;
        if (!in_place()) take(grid_->sums(), sums_.data(), n_sums_);
        if (n_streams_ > 0)
            take(grid_->stream_counts(), streams_.data(), static_cast<std::size_t>(grid_->grid().n_cells()));
    }
    bool in_place() const { return grid_ && exec_.backend == Backend::cpu; }

    template <class T>
    void clear(Buffer<T>& buffer)
    {
        T* const to = buffer.data();
        if (exec_.backend != Backend::cpu)
            return device::fill_zero(exec_.stream, to, buffer.size() * sizeof(T));
#pragma omp parallel for
        for (std::size_t i = 0; i < buffer.size(); ++i) to[i] = {};
    }

    template <class T>
    void take(T* to, const T* from, std::size_t n) const
    {
        if (exec_.backend == Backend::cpu)
            std::copy_n(from, n, to);
        else
            device::download(to, from, n * sizeof(T));
    }

    Exec exec_;
    bool alone_;
    DensityGrid* grid_;
    std::size_t n_sums_, n_streams_;
    Buffer<FixedSum> sums_;
    Buffer<Index> streams_;  ///< an even number of them: they are added in pairs, as 64 bits
};

/// Volumes are added as they are deposited on a GPU, and apart on the CPU, as deposit() has them.
double deposit_by_lattice(Exec exec, comm::Parts& parts, comm::DeviceMoves& moves,
                          const SheetOverParts& sheet, const DepositConfig& config, GridOverParts& made)
{
    Seconds seconds;
    std::optional<WholeGrid> whole;
    std::vector<VolumeSum> volumes;
    parts.agreed_phase([&](int part, int k) {
        if (!whole) whole.emplace(exec, parts, config, made.grid ? &*made.grid : nullptr);
        const PartBlocks& own = sheet.held[static_cast<std::size_t>(k)];
        const Patch patch{{config.grid, whole->sums()}, whole->streams()};
        std::vector<TetrahedronTask> tasks;
        for (const Index block : own.block) tasks.push_back({0, block});
        const double begin = static_cast<double>(k) / parts.held(), end = (k + 1.0) / parts.held();
        const TetrahedronWork work{.patches = {&patch, 1},
                                   .tasks = tasks,
                                   .moments = config.fields.moments(),
                                   .speed_scale = 1 / sheet.speed_unit,
                                   .precision = config.precision,
                                   .progress = config.progress.part(begin, end)};
        static_cast<void>(part);
        volumes.push_back(deposit_blocks(exec, own, work, CellCoordinates(config.grid)));
    });
    made.deposit_seconds = seconds.next();
    whole->bring_home(parts, moves);
    const double volume = added_over_parts(parts, volumes).value();
    made.home_seconds = seconds.next();
    return volume;
}

/// What moves fewer bytes; whether a grid fits into the memory of a rank is not looked at.
Split chosen(comm::Parts& parts, Split asked, const DepositConfig& config, const SheetOverParts& sheet)
{
    if (asked != Split::automatic) return asked;
    const std::uint64_t blocks = LatticeBlocks{sheet.lattice.side}.count();
    const auto moved = [&](Split split) { return moved_bytes(split, config, blocks, parts.size()); };
    return moved(Split::space) < moved(Split::lattice) ? Split::space : Split::lattice;
}

bool fills_box(const Grid& grid) { return grid.wraps(0) && grid.wraps(1) && grid.wraps(2); }

/// Every share in as many runs as there are parts; entry k of the result is what came to the k-th part held
/// here.
std::vector<Particles> spread_particles(comm::Parts& parts, std::span<const ConstParticlesView> shares,
                                        bool velocities)
{
    comm::Parts::Boxes out = parts.boxes();
    const std::size_t n_parts = static_cast<std::size_t>(parts.size());
    const auto arrays = [velocities](const ConstParticlesView& p) {
        std::vector<const double*> all{p.mass, p.position.x, p.position.y, p.position.z};
        if (velocities) all.insert(all.end(), {p.velocity.x, p.velocity.y, p.velocity.z});
        return all;
    };
    parts.agreed_phase([&](int, int k) {
        const ConstParticlesView& p = shares[static_cast<std::size_t>(k)];
        for (std::size_t to = 0; to < n_parts; ++to) {
            const comm::Piece piece = comm::piece_of(p.n, 1, to, n_parts);
            if (piece.begin == piece.end) continue;
            for (const double* const array : arrays(p)) {
                const auto bytes = std::as_bytes(std::span(array + piece.begin, piece.end - piece.begin));
                comm::Parts::Box& box = out[static_cast<std::size_t>(k)][to];
                box.insert(box.end(), bytes.begin(), bytes.end());
            }
        }
    });
    const comm::Parts::Boxes in = parts.exchange(std::move(out));
    std::vector<Particles> here;
    parts.agreed_phase([&](int, int k) {
        const std::size_t per_particle = sizeof(double) * (velocities ? 7 : 4);
        std::size_t n = 0, first = 0;
        for (const comm::Parts::Box& box : in[static_cast<std::size_t>(k)]) n += box.size() / per_particle;
        Particles own(Backend::cpu, n);
        const ParticlesView to = own.view();
        double* const into[] = {to.mass,       to.position.x, to.position.y, to.position.z,
                                to.velocity.x, to.velocity.y, to.velocity.z};
        for (const comm::Parts::Box& box : in[static_cast<std::size_t>(k)]) {
            const std::size_t count = box.size() / per_particle;
            for (std::size_t a = 0; a < per_particle / sizeof(double) && count > 0; ++a)
                std::memcpy(into[a] + first, box.data() + a * count * sizeof(double), count * sizeof(double));
            first += count;
        }
        here.push_back(std::move(own));
    });
    return here;
}

GridOverParts assign_over_parts(Exec exec, comm::Parts& parts, comm::DeviceMoves& moves,
                                std::span<const ConstParticlesView> shares, const DepositConfig& config)
{
    Seconds seconds;
    const bool moments = config.fields.moments();
    const double unit = moments ? speed_unit_over_parts(parts, shares) : 1;
    std::vector<double> masses;
    parts.agreed_phase([&](int, int k) {
        expect_inside(shares[static_cast<std::size_t>(k)], config.grid.box);
        masses.push_back(largest_mass(shares[static_cast<std::size_t>(k)]));
    });
    const double largest = largest_over_parts(parts, masses);
    const SumUnits units{largest > 0 ? largest : 1, unit};
    const std::vector<Particles> own = spread_particles(parts, shares, moments);
    GridOverParts made;
    if (is_first(parts)) made.grid.emplace(config.grid, config.fields, units);
    made.exchange_seconds = seconds.next();
    std::optional<WholeGrid> whole;
    parts.agreed_phase([&](int, int k) {
        if (!whole) whole.emplace(exec, parts, config, made.grid ? &*made.grid : nullptr);
        assign_particles(exec, own[static_cast<std::size_t>(k)].view(), config, units, whole->sums());
    });
    made.deposit_seconds = seconds.next();
    whole->bring_home(parts, moves);
    made.home_seconds = seconds.next();
    return made;
}

}  // namespace

std::optional<Split> split_of(std::string_view name)
{
    for (const Split split : {Split::automatic, Split::space, Split::lattice})
        if (name == name_of(split)) return split;
    return std::nullopt;
}

const char* name_of(Split split)
{
    return split == Split::automatic ? "auto" : split == Split::space ? "space" : "lattice";
}

std::uint64_t moved_bytes(Split split, const DepositConfig& config, std::uint64_t blocks, int parts)
{
    if (parts == 1) return 0;
    const std::uint64_t cells =
        static_cast<std::uint64_t>(config.grid.n_cells()) * config.fields.bytes_per_cell();
    const auto others = static_cast<std::uint64_t>(parts - 1);
    if (split == Split::lattice) return cells * others;
    const std::uint64_t block = corners_per_block * sizeof(Vec3) * (config.fields.moments() ? 2 : 1);
    // a block reaches into 1.3 to 2 slabs where these are wide, and in slabs of few planes into more
    const double planes = static_cast<double>(config.grid.axis[0].cells) / parts;
    const double of_block =
        static_cast<double>(config.grid.axis[0].cells) / std::cbrt(static_cast<double>(blocks));
    const double copies = std::min<double>(parts, 1.5 + of_block / std::max(planes, 1.0));
    return static_cast<std::uint64_t>(copies * static_cast<double>(block * blocks)) +
           cells * others / static_cast<std::uint64_t>(parts);
}

GridOverParts deposit_sheet(Exec exec, comm::Parts& parts, comm::DeviceMoves& moves,
                            const SheetOverParts& sheet, const DepositConfig& config, Split split)
{
    AUREOLE_EXPECT(moves.where() == exec.backend,
                   "a deposit on {} where arrays travel between memories of {}", name_of(exec.backend),
                   name_of(moves.where()));
    parts.common_check([&] { expect_possible(config); });
    GridOverParts made;
    made.split = chosen(parts, split, config, sheet);
    parts.agreed_phase([&](int part, int) {
        if (part == 0)
            made.grid.emplace(config.grid, config.fields,
                              SumUnits{sheet.lattice.tetrahedron_mass, sheet.speed_unit});
    });
    const double volume = made.split == Split::space
                              ? deposit_by_space(exec, parts, sheet, config, made)
                              : deposit_by_lattice(exec, parts, moves, sheet, config, made);
    if (config.fields.streams && fills_box(config.grid))
        made.mean_streams =
            volumes_over_parts(parts, sheet, CellCoordinates(box_as_one_cell(config.grid.box)))
                .without.value();
    if (!made.grid) return made;
    made.grid->lattice_axes = sheet.lattice.axes;
    made.grid->first_id = sheet.lattice.first_id;
    made.grid->lattice_side = sheet.lattice.side;
    made.grid->tetrahedra = sheet.lattice.cubes() * tetrahedra_per_cube;
    made.grid->signed_volume = volume;
    return made;
}

GridOverParts deposit_over_parts(Exec exec, comm::Parts& parts, comm::DeviceMoves& moves,
                                 std::span<const ConstParticlesView> shares, const DepositConfig& config,
                                 Split split)
{
    parts.common_check([&] { expect_possible(config); });
    if (config.method != Method::tetrahedra) return assign_over_parts(exec, parts, moves, shares, config);
    Seconds seconds;
    const SheetOverParts sheet =
        share_sheet(parts, shares, config.grid.box, config.lattice, config.fields.moments());
    const double sharing = seconds.next();
    GridOverParts made = deposit_sheet(exec, parts, moves, sheet, config, split);
    made.exchange_seconds += sharing;
    return made;
}

}  // namespace aureole::density
