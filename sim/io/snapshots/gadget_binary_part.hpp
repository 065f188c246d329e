// One file of a Gadget binary snapshot: its header, and where its blocks lie.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/core/particles_view.hpp"

namespace aureole::io {

struct GadgetBinaryHeader {
    std::array<std::uint64_t, n_particle_types> count{};        ///< in this file
    std::array<std::uint64_t, n_particle_types> count_total{};  ///< in all files
    std::array<double, n_particle_types> mass{};                ///< 0: masses are in block MASS
    double time = 0, redshift = 0, box_size = 0, omega0 = 0, omega_lambda = 0, hubble = 0;
    std::uint32_t n_files = 1;

    std::uint64_t total() const;             ///< particles in this file
    std::uint64_t with_stored_mass() const;  ///< those whose mass block MASS holds
};

struct GadgetBinaryBlock {
    std::uint64_t offset = 0;       ///< of the first number
    std::uint64_t number_size = 0;  ///< bytes per number
};

struct GadgetBinaryPart {
    std::filesystem::path file;
    std::endian order = std::endian::native;
    int format = 1;
    bool gadget4 = false;  ///< GADGET-4's own header rather than GADGET-2's
    GadgetBinaryHeader header;
    GadgetBinaryBlock position, velocity, id, mass;
    std::vector<std::string> other_blocks;
};

/// Whether a Gadget file can begin with this 32-bit count: a label of format 2 or a header.
bool is_gadget_first_marker(std::uint32_t bytes);

/// Reads the header and walks every record of the file: both markers of each are compared with each other,
/// with the size the header implies and with the end of the file. Throws IoError naming file and block.
GadgetBinaryPart scan_gadget_binary_part(const std::filesystem::path& file);

}  // namespace aureole::io
