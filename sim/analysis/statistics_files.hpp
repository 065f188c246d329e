// Spectra and mass functions as tables and files, with linear theory and published fits beside them.
#pragma once

#include <filesystem>
#include <optional>

#include "cosmology/growth.hpp"
#include "cosmology/mass_function.hpp"
#include "sim/analysis/power_spectrum.hpp"
#include "sim/config/config.hpp"
#include "sim/core/table.hpp"
#include "sim/io/halos/table_csv.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"

namespace aureole::run {

/// What linear theory expects of a universe at any epoch, to stand beside what a run has: its spectrum, and
/// mass functions from it.
class LinearTheory {
public:
    /// Nothing where `config` names no spectrum. Reads its table. Throws ConfigError naming a key that is
    /// missing, and where the universe cannot grow to the scale factor `last`.
    static std::optional<LinearTheory> of(const CosmologyConfig& config, double last);

    /// D^2(a) P(k), D(1) = 1, in (Mpc/h)^3; k in h/Mpc. `a` up to max(1, last).
    double power(double k, double a) const;

    cosmology::MassFunction mass_function(double a) const;

private:
    LinearTheory(const CosmologyConfig& config, double last);

    cosmology::LinearSpectrum today_;
    cosmology::Growth growth_;
    double omega_m_;
};

/// Factors to Mpc/h and Msun/h from numbers in `units`, which are without h.
struct HubbleScales {
    double length = 1, mass = 1;
};
HubbleScales hubble_scales(const UnitSystem& units, double h);

/// One row per shell: WaveNumber, Modes, Power, ShotNoise, and LinearPower at the scale factor `a` where
/// there is a theory, whose units of length are then Mpc/h. `length`: from the spectrum's to the table's.
Table power_table(const PowerSpectrum& spectrum, double length, const LinearTheory* theory, double a);

/// What mass_function_table() needs to know of a catalogue.
struct CatalogueScales {
    double mass = 1;    ///< from the catalogue's numbers to Msun/h
    double volume = 0;  ///< of the box, (Mpc/h)^3, comoving
    double a = 1;       ///< scale factor
    double side = 0;    ///< of the periodic box, in the catalogue's numbers; 0: it has none
};

/// Numbers of halos by mass, in bins of equal width in lg M, 10^(j / bins) Msun/h being their edges. Masses
/// are those of the groups (FoF), the same times 1 - N^-0.6 of the number of members (FoFWarren; Warren et
/// al. 2006), and those of spheres (Crit200 and others, as the table has them). For each: Count, DnDlnM =
/// Count / (volume dlnM) in (h/Mpc)^3, and its Poisson error sqrt(Count) / (volume dlnM). Fit_NAME: dn/dlnM
/// of cosmology::multiplicities(), the mean over the bin, where there is a theory. Halos without a mass (NaN
/// or 0) are not counted. Nor are spheres whose centre lies in the sphere of a more massive group, where the
/// table has centres and radii: about a small group at the rim of a cluster the outermost crossing encloses
/// much of the cluster, whose mass would count many times (Tinker et al. 2008, section 2.2). Throws
/// ArgumentError for a volume that is not positive, IoError for groups without GroupMass and GroupLen.
Table mass_function_table(const Table& groups, const CatalogueScales& scales, unsigned bins,
                          const LinearTheory* theory);

/// The units of both tables' numbers.
inline const io::ColumnUnits hubble_units{"Mpc/h", "Msun/h", ""};

/// Writes `table`: CSV where the name ends in .csv, else HDF5 with a dataset per
/// column, its unit and meaning as attributes, `attributes` of the root and /Provenance. Throws IoError.
void write_statistics(const std::filesystem::path& file, const Table& table, const io::ColumnUnits& units,
                      const io::Attributes& attributes, const io::Provenance& provenance);

}  // namespace aureole::run
