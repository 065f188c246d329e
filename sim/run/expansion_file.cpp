#include "sim/run/expansion_file.hpp"

#include "sim/core/error.hpp"

namespace aureole::run {

using gravity::scf::Family;

namespace {

/// Calls visit(index in the file, slot of the cosine, slot of the sine or -1, n) for every coefficient.
template <class Visit>
void for_each_coefficient(const io::CoefficientFile& file, Visit visit)
{
    for (int l = 0; l <= file.l_max; ++l)
        for (int m = 0; m <= l; ++m)
            for (int n = 0; n <= file.n_max; ++n)
                visit(file.index(n, l, m), gravity::scf::slot_of(l, m, false),
                      m == 0 ? -1 : gravity::scf::slot_of(l, m, true), n);
}

}  // namespace

std::string name_of(Family family)
{
    return family == Family::hernquist_ostriker ? "hernquist-ostriker" : "clutton-brock";
}

Family family_of(const std::string& name)
{
    for (const Family family : {Family::hernquist_ostriker, Family::clutton_brock})
        if (name == name_of(family)) return family;
    throw ConfigError(
        fmt::format("found the family '{}', expected hernquist-ostriker or clutton-brock", name));
}

gravity::scf::CoefficientSeries to_series(const io::CoefficientFile& file)
{
    io::expect_valid(file, file.name.empty() ? "coefficients" : file.name);
    gravity::scf::CoefficientSeries series;
    series.basis = {family_of(file.basis), file.n_max, file.l_max, file.scale};
    const gravity::scf::Tables tables = gravity::scf::make_tables(series.basis);
    for (const io::CoefficientMoment& moment : file.moments) {
        std::vector<double> s_and_t(series.basis.size());
        for_each_coefficient(file, [&](std::size_t at, int cosine, int sine, int n) {
            s_and_t[series.basis.index(n, cosine)] = moment.values[at].real();
            if (sine >= 0) s_and_t[series.basis.index(n, sine)] = moment.values[at].imag();
        });
        series.moments.push_back({moment.time, moment.centre, gravity::scf::from_lowing(tables, s_and_t)});
    }
    return series;
}

io::CoefficientFile to_file(const gravity::scf::CoefficientSeries& series)
{
    const gravity::scf::Basis& basis = series.basis;
    const gravity::scf::Tables tables = gravity::scf::make_tables(basis);
    io::CoefficientFile file;
    file.basis = name_of(basis.family);
    file.eta = gravity::scf::eta_of(basis.family);
    file.n_max = basis.n_max;
    file.l_max = basis.l_max;
    file.scale = basis.scale_radius;
    for (const gravity::scf::Coefficients& moment : series.moments) {
        const std::vector<double> s_and_t = gravity::scf::to_lowing(tables, moment.values);
        std::vector<std::complex<double>> values(file.size());
        for_each_coefficient(file, [&](std::size_t at, int cosine, int sine, int n) {
            values[at] = {s_and_t[basis.index(n, cosine)], sine < 0 ? 0.0 : s_and_t[basis.index(n, sine)]};
        });
        file.moments.push_back({moment.time, moment.centre, std::move(values), {}});
    }
    return file;
}

}  // namespace aureole::run
