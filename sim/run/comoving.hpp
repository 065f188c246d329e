// Runs in a box and in an expanding universe: the frame that particles move in, what files say of it, and how
// particles of files and models come into it. Internal numbers: comoving lengths, momenta p = a^2 dx/dt as
// velocities, the scale factor a as time; G = 1.
#pragma once

#include "ics/cosmological.hpp"
#include "integrators/clock.hpp"
#include "sim/analysis/halo_catalogue.hpp"
#include "sim/config/config.hpp"
#include "sim/io/halos/catalogue_file.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::run {

/// Open space where the run has no box.
Box box_of(const Config& internal);

/// The clock of `internal` and its box. In G = 1 the mean density settles the expansion rate: H0^2 = 8 pi rho
/// / (3 Omega_m), rho being the `mass` of all particles per volume.
integrators::Frame frame_of(const Config& internal, double mass);

/// Header and scales of files of the state at `time`, in the units of output.units.
io::SnapshotContent file_frame(const Config& internal, const RunUnits& units, double time);

/// The same with velocities that are peculiar already, as those of catalogues.
io::CatalogueContent catalogue_frame(const Config& internal, const RunUnits& units, double time);

/// What properties of halos depend on at `time`, in internal numbers.
HaloContext halo_context(const Config& internal, const RunUnits& units, double time);

/// From the numbers of a comoving file to internal lengths and masses, and peculiar velocities.
UnitScales scales_of_comoving_file(const io::SnapshotHeader& header, const UnitSystem& of_file,
                                   const RunUnits& of_run);

/// Throws ConfigError unless the file is of the universe of `config`: comoving, with the same Omega0 and h to
/// 1e-3, which headers round.
void expect_same_universe(const std::filesystem::path& file, const io::SnapshotHeader& header,
                          const Config& config);

/// Wraps positions into [0, side)^3. Throws ConfigError naming the particle unless all of them are from 0 to
/// the side, or from minus half of it to half of it, which is how tipsy files lie; displaced particles of
/// initial conditions may be a twentieth of the side beyond.
void wrap_into(const Box& box, Particles& host, const std::filesystem::path& file);

/// Positions modulo the side, in [0, side).
void wrap(const Box& box, Particles& host);

/// The factor by which masses are multiplied so that the box holds the matter of Omega_m: files and their
/// headers agree to 1e-4 or so only, codes having different constants. Throws ConfigError beyond 1e-2.
double mass_correction(const Config& internal, const RunUnits& units, double mass);

/// The units with G = 1 of a comoving file that names none, as tipsy files: its box is that of the run, and
/// its particles are the matter in it. Throws ConfigError where one of them is not known.
UnitSystem units_by_box(const io::Snapshot& file, const Config& internal, const RunUnits& units);

/// The mass of the matter in the box.
double cosmic_mass(const Config& internal, const RunUnits& units);

/// What fields of initial conditions at `time` need to know. Reads the table of the spectrum, where one is
/// needed.
ics::Universe universe_at_start(const Config& internal, const RunUnits& units, double time,
                                bool needs_spectrum = true);

/// From peculiar velocities to momenta at the scale factor `a`, and masses times `mass_factor`.
void make_comoving(Particles& host, double a, double mass_factor);

}  // namespace aureole::run
