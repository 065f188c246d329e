// Coefficients of a basis expansion over time, on disk: HDF5 laid out as EXP's time series (Weinberg et al.
// 2023), or text. The numbers are those of Lowing et al. (2011), which gala takes as they are:
//     Phi = (G / a) sum_nlm Phi_nl(r / a) Ybar_lm(theta) (S_nlm cos m phi + T_nlm sin m phi)
// about the centre, with the functions of gravity/scf/basis.hpp. Layouts: docs/file_formats.md.
#pragma once

#include <complex>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/units.hpp"
#include "sim/core/vec3.hpp"
#include "sim/io/atomic_file.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/numbered_name.hpp"

namespace aureole::io {

/// The file of component 2 of a run: coefficients_2.hdf5.
inline const NumberedName coefficient_names{"coefficients_", ".hdf5", 1};

/// Radial or angular orders above this are refused.
inline constexpr int largest_order = 256;

/// The coefficients of one time.
struct CoefficientMoment {
    double time = 0;
    Vec3 centre;
    std::vector<std::complex<double>> values;     ///< S + iT in units of mass, [row][n_max + 1]
    std::vector<std::complex<double>> variances;  ///< of S and of T, laid out alike; may be empty
};

/// Everything in the file's units; row l (l + 1) / 2 + m counts (l, m), m from 0 to l.
struct CoefficientFile {
    std::string name;
    std::string basis = "hernquist-ostriker";  ///< or "clutton-brock"
    double eta = 1;                            ///< 1, or 1/2 for clutton-brock
    int n_max = 0, l_max = 0;
    double scale = 1;
    std::optional<UnitSystem> units;  ///< nothing: nbody units
    double gravitational_constant = 1;
    std::string config;  ///< the settings that led to the numbers, as YAML; not kept in text
    Attributes provenance;
    std::vector<CoefficientMoment> moments;  ///< in rising order of time

    std::size_t rows() const { return static_cast<std::size_t>(l_max + 1) * (l_max + 2) / 2; }
    std::size_t index(int n, int l, int m) const
    {
        return static_cast<std::size_t>(l * (l + 1) / 2 + m) * static_cast<std::size_t>(n_max + 1) +
               static_cast<std::size_t>(n);
    }
    std::size_t size() const { return rows() * static_cast<std::size_t>(n_max + 1); }
};

/// Throws IoError beginning with `where` for an unknown basis, orders, scale, G or units out of range,
/// moments of the wrong size or out of order, and numbers that are not finite.
void expect_valid(const CoefficientFile& content, const std::string& where);

/// Text when the name ends in .txt, else HDF5; renamed when complete. Throws IoError naming file and object.
void write_coefficients(const std::filesystem::path& file, const CoefficientFile& content);

/// Reads either layout, told by content; the result fulfils expect_valid(). Throws IoError naming
/// file and object or line. Allocates no more than the file's size explains.
CoefficientFile read_coefficients(const std::filesystem::path& file);

/// Whether a file is one of either layout, told by content.
bool is_coefficient_file(const std::filesystem::path& file);

// The two layouts of coefficient files, for coefficient_file.cpp. Writers write the temporary file and leave
// the commit to their caller; readers promise what read_coefficients() does.

void write_coefficient_hdf5(const AtomicFile& target, const CoefficientFile& content);
/// Adds `moments` behind the first `count` of `file`, in place; messages call the file `shown`. `content` is
/// the file's but for its moments.
void append_coefficient_hdf5(const std::filesystem::path& file, const std::filesystem::path& shown,
                             const CoefficientFile& content, std::size_t count,
                             std::span<const CoefficientMoment> moments);
CoefficientFile read_coefficient_hdf5(const std::filesystem::path& file);

void write_coefficient_text(const AtomicFile& target, const CoefficientFile& content);
CoefficientFile read_coefficient_text(const std::filesystem::path& file);

/// Whether the comments at a text's beginning name a basis.
bool names_a_basis(const std::filesystem::path& file);

}  // namespace aureole::io
