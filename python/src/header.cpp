#include "header.hpp"

namespace aureole::python {

namespace nb = nanobind;

nb::object units_of(const std::optional<UnitSystem>& units)
{
    if (!units) return nb::none();
    return nb::make_tuple(units->length_cm, units->mass_g, units->velocity_cm_per_s);
}

namespace {

/// The name of every number with its place, visited in one order.
template <class Header, class Visit>
void visit_numbers(Header& header, Visit visit)
{
    visit("time", header.time);
    visit("redshift", header.redshift);
    visit("box", header.box_size);
    visit("omega0", header.omega0);
    visit("omega_lambda", header.omega_lambda);
    visit("omega_baryon", header.omega_baryon);
    visit("hubble", header.hubble);
    visit("comoving", header.comoving);
    visit("h_exponent", header.h_exponent);
    visit("velocity_a_exponent", header.velocity_a_exponent);
}

}  // namespace

nb::dict header_of(const io::SnapshotHeader& header)
{
    nb::dict result;
    visit_numbers(header, [&](const char* name, auto value) { result[name] = value; });
    result["units"] = units_of(header.units);
    return result;
}

io::SnapshotHeader header_from(const nb::dict& header)
{
    io::SnapshotHeader result;
    visit_numbers(result, [&]<class T>(const char* name, T& value) {
        if (header.contains(name)) value = nb::cast<T>(header[name]);
    });
    return result;
}

}  // namespace aureole::python
