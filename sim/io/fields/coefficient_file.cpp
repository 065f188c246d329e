// Checks, and the choice between the two layouts.
#include "sim/io/fields/coefficient_file.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/snapshots/gadget_hdf5.hpp"
#include "sim/io/snapshots/text_table.hpp"

namespace aureole::io {
namespace {

bool finite(std::complex<double> z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

void expect_valid_moment(const CoefficientFile& c, std::size_t k, const std::string& where)
{
    const CoefficientMoment& moment = c.moments[k];
    const auto fail = [&](const std::string& what) {
        throw IoError(fmt::format("{}: moment {}: {}", where, k, what));
    };
    if (!std::isfinite(moment.time)) fail(fmt::format("the time is {}", moment.time));
    if (k > 0 && !(moment.time > c.moments[k - 1].time))
        fail(fmt::format("the time is {}, expected one after {}", moment.time, c.moments[k - 1].time));
    if (!std::isfinite(dot(moment.centre, moment.centre)))
        fail(fmt::format("the centre is ({}, {}, {})", moment.centre.x, moment.centre.y, moment.centre.z));
    const auto check = [&](const std::vector<std::complex<double>>& values, const char* what) {
        if (values.size() != c.size())
            fail(fmt::format("{} {}, expected {} for n_max = {}, l_max = {}", values.size(), what, c.size(),
                             c.n_max, c.l_max));
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!finite(values[i]))
                fail(fmt::format("{}: row {}, n = {} is ({}, {}), expected finite numbers", what,
                                 i / static_cast<std::size_t>(c.n_max + 1),
                                 i % static_cast<std::size_t>(c.n_max + 1), values[i].real(),
                                 values[i].imag()));
    };
    check(moment.values, "coefficients");
    if (!moment.variances.empty()) check(moment.variances, "variances");
}

}  // namespace

void expect_valid(const CoefficientFile& c, const std::string& where)
{
    const auto fail = [&](const std::string& what) { throw IoError(fmt::format("{}: {}", where, what)); };
    const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
    if (c.basis != "hernquist-ostriker" && c.basis != "clutton-brock")
        fail(fmt::format("basis is '{}', expected hernquist-ostriker or clutton-brock",
                         c.basis.substr(0, 60)));
    const double eta = c.basis == "clutton-brock" ? 0.5 : 1;
    if (c.eta != eta) fail(fmt::format("eta is {}, expected {} for {}", c.eta, eta, c.basis));
    if (c.n_max < 0 || c.n_max > largest_order || c.l_max < 0 || c.l_max > largest_order)
        fail(fmt::format("n_max = {}, l_max = {}, expected orders from 0 to {}", c.n_max, c.l_max,
                         largest_order));
    if (!positive(c.scale)) fail(fmt::format("the scale is {}, expected a positive length", c.scale));
    if (!positive(c.gravitational_constant))
        fail(fmt::format("G is {}, expected a positive number", c.gravitational_constant));
    if (c.units && !c.units->usable()) fail("its units are not positive and finite");
    if (c.moments.empty()) fail("holds no moment, expected the coefficients of at least one time");
    for (std::size_t k = 0; k < c.moments.size(); ++k) expect_valid_moment(c, k, where);
}

void write_coefficients(const std::filesystem::path& file, const CoefficientFile& content)
{
    expect_valid(content, file.string());
    AtomicFile target(file);
    if (file.extension() == ".txt")
        write_coefficient_text(target, content);
    else
        write_coefficient_hdf5(target, content);
    target.commit();
}

CoefficientFile read_coefficients(const std::filesystem::path& file)
{
    return is_text(file) ? read_coefficient_text(file)
                         : read_coefficient_hdf5(hdf5_file_of(file).value_or(file));
}

bool is_coefficient_file(const std::filesystem::path& file)
{
    if (is_text(file)) return names_a_basis(file);
    if (!is_hdf5(file)) return false;
    const Hdf5File opened = Hdf5File::open(*hdf5_file_of(file));
    return opened.has_group("/snapshots") && opened.has_attribute("/", "geometry");
}

}  // namespace aureole::io
