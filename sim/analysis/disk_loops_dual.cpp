#include "sim/analysis/disk_loops.hpp"

#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::run {
namespace {

/// term(i) for i in [0, n), added up by pieces.
template <class Term>
void sum_disk(Exec exec, Index n, DiskSum* sums, Term term)
{
    for_each(exec, disk_pieces(n), [=] AUREOLE_HD(Index piece) {
        const Index begin = piece * disk_piece, end = n - begin < disk_piece ? n : begin + disk_piece;
        DiskSum sum{0, {}};
        for (Index i = begin; i < end; ++i) {
            const DiskSum one = term(i);
            sum.mass += one.mass;
            sum.vector = sum.vector + one.vector;
        }
        sums[piece] = sum;
    });
}

}  // namespace

void find_members(Exec exec, const ConstParticlesView& particles, std::uint8_t types,
                  const Component* components, Index n_components, std::uint8_t* counted)
{
    for_each(exec, particles.n, [=] AUREOLE_HD(Index i) {
        bool among = n_components == 0;
        for (Index k = 0; k < n_components; ++k) among |= particles.component_of(i) == components[k];
        counted[i] = among && (types >> particles.type_of(i) & 1) != 0 ? 1 : 0;
    });
}

void find_ids(Exec exec, const ConstParticlesView& particles, Index n, const Index* number, std::uint64_t* id,
              Index* order)
{
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        id[k] = particles.id_of(number[k]);
        order[k] = number[k];
    });
}

void take_members(Exec exec, const ConstParticlesView& particles, Index n, const Index* number,
                  const DiskTargets& to)
{
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        const Index i = number[k];
        to.mass[k] = particles.mass[i];
        to.position[k] = particles.position.load(i);
        to.velocity[k] = particles.velocity.absent() ? Vec3{} : particles.velocity.load(i);
    });
}

void split_positions(Exec exec, const DiskView& disk, double* x, double* y, double* z)
{
    for_each(exec, disk.n, [=] AUREOLE_HD(Index i) {
        x[i] = disk.position[i].x;
        y[i] = disk.position[i].y;
        z[i] = disk.position[i].z;
    });
}

void find_disk_radii(Exec exec, const DiskView& disk, Vec3 centre, std::uint64_t* radius, Index* order)
{
    for_each(exec, disk.n, [=] AUREOLE_HD(Index i) {
        radius[i] = ordered_bits(length(disk.position[i] - centre));
        order[i] = i;
    });
}

void sum_momenta(Exec exec, const DiskView& disk, Index n, const Index* order, DiskSum* sums)
{
    sum_disk(exec, n, sums, [=] AUREOLE_HD(Index k) {
        const Index i = order[k];
        return DiskSum{disk.mass[i], disk.mass[i] * disk.velocity[i]};
    });
}

void sum_angular_momenta(Exec exec, const DiskView& disk, Vec3 centre, Vec3 velocity, double reach,
                         DiskSum* sums)
{
    sum_disk(exec, disk.n, sums, [=] AUREOLE_HD(Index i) {
        const Vec3 x = disk.position[i] - centre;
        if (length(x) > reach) return DiskSum{0, {}};
        return DiskSum{0, disk.mass[i] * cross(x, disk.velocity[i] - velocity)};
    });
}

void gather(Exec exec, Index n, const Index* order, const Gathered& arrays)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) {
        const Index from = order[i];
        for (int k = 0; k < 3; ++k)
            if (arrays.to[k]) arrays.to[k][i] = arrays.from[k][from];
    });
}

}  // namespace aureole::run
