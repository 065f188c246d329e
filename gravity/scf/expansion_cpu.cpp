// CPU twin: one particle after another.
#include <algorithm>
#include <vector>

#include "gravity/scf/expansion_twins.hpp"
#include "gravity/scf/recursions.hpp"

namespace aureole::gravity::scf {
namespace {

constexpr std::size_t n_pieces = 64;

template <class T>
Place<T> place_of(const ParticlesView& p, Index i, Vec3 centre, const Basis& basis)
{
    const Vec3 x = 1 / basis.scale_radius * (p.position.load(i) - centre);
    return place_in_basis(
        basis.family, static_cast<T>(x.x), static_cast<T>(x.y), static_cast<T>(x.z),
        [](T r2) { return r2 > 0 ? 1 / std::sqrt(r2) : T(0); }, [](T d) { return 1 / d; });
}

/// The recursions of one particle, level by level.
template <class T>
struct Ladder {
    const Tables& tables;
    std::vector<T> g, slope, q, below, c, s;

    explicit Ladder(const Tables& t)
        : tables(t),
          g(t.basis.n_max + 1),
          slope(t.basis.n_max + 1),
          q(t.basis.l_max + 1),
          below(t.basis.l_max + 2),
          c(t.basis.l_max + 1),
          s(t.basis.l_max + 1)
    {
    }
    void start(const Place<T>& p)
    {
        c[0] = 1;
        s[0] = 0;
        for (int m = 0; m < tables.basis.l_max; ++m) {
            c[m + 1] = c[m] * p.vx - s[m] * p.vy;
            s[m + 1] = s[m] * p.vx + c[m] * p.vy;
        }
    }
    /// After it, q holds level l and `below` level l - 1, zero beyond its end.
    void climb(int l, const Place<T>& p)
    {
        const Tables& t = tables;
        std::vector<T> next(q.size(), T(0));
        for (int m = 0; m < l - 1; ++m)
            next[m] = T(t.axial[static_cast<std::size_t>((l - 1) * (t.basis.l_max + 1) + m)]) * p.vz * q[m] -
                      p.v2 * below[m];
        if (l > 0) next[l - 1] = p.vz;
        next[l] = 1;
        std::copy(q.begin(), q.end(), below.begin());
        q = next;
        g[0] = 1;
        slope[0] = 0;
        for (int n = 0; n < t.basis.n_max; ++n) {
            const T alpha = static_cast<T>(t.alpha[t.row(l) + static_cast<std::size_t>(n)]);
            g[n + 1] = alpha * p.xi * g[n] - (n > 0 ? g[n - 1] : T(0));
            slope[n + 1] = alpha * (g[n] + p.xi * slope[n]) - (n > 0 ? slope[n - 1] : T(0));
        }
    }
};

template <class T>
void expand(const ExpandTask& task, const Tables& tables, double* partials)
{
    const ParticlesView& p = task.particles;
    const Basis& basis = tables.basis;
#pragma omp parallel for schedule(dynamic) if (task.range.size() > parallel_threshold)
    for (std::size_t piece = 0; piece < n_pieces; ++piece) {
        double* sums = partials + piece * basis.size();
        std::fill_n(sums, basis.size(), 0.0);
        Ladder<T> ladder(tables);
        const std::uint64_t n = task.range.size();
        for (Index k = static_cast<Index>(n * piece / n_pieces); k < n * (piece + 1) / n_pieces; ++k) {
            const Index i = task.range.begin + k;
            if (task.component >= 0 && p.component[i] != task.component) continue;
            const Place<T> place = place_of<T>(p, i, task.centre, basis);
            const T mass = static_cast<T>(p.mass[i]) * place.prefactor;
            ladder.start(place);
            for (int l = 0; l <= basis.l_max; ++l) {
                ladder.climb(l, place);
                for (int j = 0; j <= 2 * l; ++j) {
                    const int m = (j + 1) / 2;
                    const T y = mass * ladder.q[m] * (j == 0 || j % 2 ? ladder.c[m] : ladder.s[m]);
                    for (int r = 0; r <= basis.n_max; ++r) sums[basis.index(r, l * l + j)] += y * ladder.g[r];
                }
            }
        }
    }
    for (int sample = 0; sample < task.samples; ++sample)
        for (std::size_t k = 0; k < basis.size(); ++k) {
            double sum = 0;
            for (std::size_t piece = sample; piece < n_pieces; piece += task.samples)
                sum += partials[piece * basis.size() + k];
            task.coefficients[sample * basis.size() + k] = tables.weight[k] * sum;
        }
}

template <class T>
void add_field(const FieldTask& task, const Tables& tables)
{
    const ParticlesView& p = task.particles;
    const Basis& basis = tables.basis;
    const double a = basis.scale_radius;
    const std::size_t side = basis.l_max + 1;
#pragma omp parallel if (task.targets.size() > parallel_threshold)
    {
        Ladder<T> ladder(tables);
        std::vector<T> u(side + 1), w(side + 1);
#pragma omp for
        for (Index i = task.targets.begin; i < task.targets.end; ++i) {
            const Place<T> place = place_of<T>(p, i, task.centre, basis);
            ladder.start(place);
            std::fill(u.begin(), u.end(), T(0));
            std::fill(w.begin(), w.end(), T(0));
            T phi = 0, steep = 0, radial = 0, along_z = 0, along_v2 = 0;
            for (int l = 0; l <= basis.l_max; ++l) {
                ladder.climb(l, place);
                for (int m = 0; m <= l; ++m) {
                    T f[2] = {0, 0}, df[2] = {0, 0};
                    for (int sine = 0; sine < (m == 0 ? 1 : 2); ++sine)
                        for (int n = 0; n <= basis.n_max; ++n) {
                            const std::size_t k = basis.index(n, slot_of(l, m, sine));
                            const T coefficient = T(task.coefficients[k] * tables.weight[k]);
                            f[sine] += coefficient * ladder.g[n];
                            df[sine] += coefficient * ladder.slope[n];
                        }
                    const T whole = f[0] * ladder.c[m] + f[1] * ladder.s[m];
                    const T q = ladder.q[m];
                    phi += q * whole;
                    steep += T(2 * l + 1) * q * whole;
                    radial += q * (df[0] * ladder.c[m] + df[1] * ladder.s[m]);
                    if (m < l) along_z += T(tables.rise_z[l * side + m]) * ladder.below[m] * whole;
                    if (m + 1 < l) along_v2 += T(tables.rise_r[l * side + m]) * ladder.below[m + 1] * whole;
                    u[m] += q * f[0];
                    w[m] += q * f[1];
                }
            }
            T gx = 2 * place.vx * along_v2, gy = 2 * place.vy * along_v2;
            for (int m = 1; m <= basis.l_max; ++m) {
                gx += m * (u[m] * ladder.c[m - 1] + w[m] * ladder.s[m - 1]);
                gy += m * (w[m] * ladder.c[m - 1] - u[m] * ladder.s[m - 1]);
            }
            const T outward = place.argument_slope * radial - place.power_slope * steep;
            const T scale = place.prefactor;
            // Phi = -sum A psi, so a = +grad of sum A psi
            const Vec3 acc{scale * (place.nx * outward + place.stretch * gx),
                           scale * (place.ny * outward + place.stretch * gy),
                           scale * (place.nz * outward + place.stretch * along_z)};
            const Vec3 old = task.add ? p.acceleration.load(i) : Vec3{};
            p.acceleration.store(i, old + 1 / (a * a) * acc);
            if (task.potential) p.potential[i] = (task.add ? p.potential[i] : 0) - scale * phi / a;
        }
    }
}

}  // namespace

std::size_t expansion_scratch_bytes_cpu(const Tables& tables)
{
    return n_pieces * tables.basis.size() * sizeof(double);
}

void expand_cpu(const ExpandTask& task, const Tables& tables, std::byte* scratch)
{
    double* partials = reinterpret_cast<double*>(scratch);
    if (task.precision == Precision::mixed)
        expand<float>(task, tables, partials);
    else
        expand<double>(task, tables, partials);
}

void add_field_cpu(const FieldTask& task, const Tables& tables, std::byte*)
{
    if (task.precision == Precision::mixed)
        add_field<float>(task, tables);
    else
        add_field<double>(task, tables);
}

}  // namespace aureole::gravity::scf
