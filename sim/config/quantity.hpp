// Numbers with units as users write them ("500 Myr", "1e10 Msun"), and the unit system of a run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/core/settings.hpp"
#include "sim/core/units.hpp"

namespace aureole::run {

using aureole::Quantity;

/// The units in which a run writes files.
enum class FileUnits { galactic, run };

/// The units of everything a user writes or reads in one run.
struct RunUnits {
    bool nbody = true;  ///< G = 1: numbers are taken as they are
    UnitSystem system =
        galactic_units;  ///< of the user's numbers; for nbody the scales its files are written in

    /// h of a run in an expanding universe; 0 elsewhere. Its times are scale factors, its lengths comoving.
    double hubble = 0;

    bool comoving() const { return hubble > 0; }

    /// "kpc", "1e10 Msun", "km/s", "978 Myr"; "" for pure numbers and in nbody units.
    std::string name(Quantity) const;

    /// Factor from internal numbers (G = 1) to the user's.
    double from_internal(Quantity) const;

    /// From internal numbers to those of a file in `target` units; scale factors stay as they are.
    UnitScales to_file(const UnitSystem& target) const;

    /// The units in which files are written; those of comoving runs without their 1/h, which the header
    /// states. `galactic`: the run's own when they are galactic up to rounding
    /// of the constants, else galactic_units, since yt assumes kpc, 1e10 Msun and km/s. `run`: the run's own;
    /// for nbody those of its lengths and masses, with the velocity that makes G = 1.
    UnitSystem of_files(FileUnits) const;

    /// From internal numbers to those of files in of_files(); exactly 1 where the numbers of nbody units
    /// stay.
    UnitScales to_files(FileUnits) const;
};

/// Mpc/h, 1e10 Msun/h and km/s: those of a run in an expanding universe that names none.
RunUnits cosmological_units(double h);

/// Number and unit name as in "3.5 kpc" or "kpc" (meaning 1) in cgs. Throws ConfigError listing the known
/// units of the quantity (length, mass, velocity or time).
double parse_cgs(std::string_view text, Quantity quantity);

/// A whole text as a number, independent of the locale; throws ConfigError "found ..., expected a number".
double parse_number(std::string_view text);

/// A time in the run's units: "12.5" or, with a unit, "500 Myr".
double parse_time(std::string_view text, const RunUnits& units);

/// A redshift as in "z=3" or "z = 3" as a scale factor; nothing for other texts. Throws ConfigError for one
/// of -1 or less.
std::optional<double> scale_factor_of_redshift(std::string_view text);

/// "20" with G = 1, "0.5 (489 Myr)" in physical units, "0.5 (z = 1)" in an expanding universe.
std::string time_text(double user_time, const RunUnits& units);

}  // namespace aureole::run
