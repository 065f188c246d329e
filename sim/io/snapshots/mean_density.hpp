// What the mean density of a comoving box says: the matter in a periodic box is Omega0 rho_crit times its
// volume, so that box, masses and Omega0 together tell the units of a file that names none, and units and box
// the mass of particles that have none.
#pragma once

#include <functional>
#include <span>

#include "sim/core/sums/order_free_sum.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {

/// The mean matter density of today's universe in g/cm^3: Omega0 3 H0^2 / (8 pi G).
double cosmic_matter_density(double omega0, double hubble);

/// A sum of masses that does not depend on how they are cut among ranks: the largest exponent of all first
/// (OrderFreeSum), then the sums, settled.
std::int32_t largest_exponent(std::span<const double> masses);
OrderFreeSum order_free_sum(std::span<const double> masses, std::int32_t exponent);
/// Of masses that are all here.
double total_of(std::span<const double> masses);

/// The mean density of the particles in the box (of Snapshot::mass_of_all where it is set) over the cosmic
/// one, with the file's numbers taken in `units` and with the header's powers of h. Nothing unless the file
/// is comoving and box, Omega0 and masses are known.
std::optional<double> density_ratio(const Snapshot& snapshot, const UnitSystem& units);

/// Whether a box of such a density_ratio() may be one of this universe. A file may leave most of the matter
/// out (baryons or stars alone, a part of a zoom), but holds no more than all.
bool possible_density(double ratio);

/// Units in which files of the Gadget family without units are written.
struct UsualUnits {
    const char* text;  ///< as the key `units` takes them
    UnitSystem units;
};

/// The usual units that the mean density fits. They are 10^9 apart in density, so that one fits at most.
std::optional<UsualUnits> units_by_density(const Snapshot& snapshot);

/// Sets header.units of a snapshot without units to those that the mean density fits, and
/// header.units_decided; a note tells the reason. Where units are stated, or where nothing fits, only a note
/// is added that tells what was found.
void decide_units(Snapshot& snapshot);

/// Gives the particles of the types `without_mass` equal masses, so that the box holds the matter of Omega0:
/// to one type what the others leave; to gas alone in its file, and to gas and one other type, by
/// OmegaBaryon. A note tells which. Throws IoError naming `file` where box, Omega0 or units are not stated,
/// where more types lack masses, and where the others leave nothing. The snapshot may have some of the
/// particles only: `counts` are of all, and `known_mass` is asked for the mass of all, if it is needed.
void complete_masses(Snapshot& snapshot, const std::array<bool, n_particle_types>& without_mass,
                     const std::string& file, const std::array<std::uint64_t, n_particle_types>& counts,
                     const std::function<double()>& known_mass);

}  // namespace aureole::io
