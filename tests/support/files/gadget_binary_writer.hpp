// Gadget binary snapshots of every variant, written by hand. Particle k of a snapshot has id 101 + k and
// numbers that follow from k, so that a reader's answer can be judged without the file.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/support/files/byte_writer.hpp"

namespace aureole::test {

struct GadgetBinaryFile {
    std::endian order = std::endian::little;
    int format = 1;
    bool double_precision = false, long_ids = false, gadget4 = false;
    std::array<std::int64_t, 6> count{2, 3, 0, 0, 1, 0};  ///< in this file
    std::array<std::int64_t, 6> total{2, 3, 0, 0, 1, 0};
    std::array<std::int64_t, 6> first{0, 2, 5, 5, 5, 6};  ///< number k of the first particle of each type
    std::array<double, 6> mass{0, 0.5, 0, 0, 0, 0};       ///< types 0 and 4 store theirs
    double time = 0.25, redshift = 0, box_size = 0, omega0 = 0, omega_lambda = 0, hubble = 1;
    std::int32_t n_files = 1;
    int types = 6;  ///< of GADGET-4's header
    std::vector<std::pair<std::string, int>> further{{"U", 0},
                                                     {"HSML", 0}};  ///< label, type with a number each

    static double number(std::int64_t k, int column) { return 0.5 * static_cast<double>(k) + column; }
    static double stored_mass(std::int64_t k) { return 1.0 + 0.25 * static_cast<double>(k); }

    std::string bytes() const
    {
        ByteWriter file{order, {}};
        put_record(file, "HEAD", gadget4 ? gadget4_header() : gadget2_header());
        ByteWriter position{order, {}}, velocity{order, {}}, id{order, {}}, masses{order, {}};
        for (std::size_t t = 0; t < 6; ++t)
            for (std::int64_t k = first[t]; k < first[t] + count[t]; ++k) {
                for (int column = 0; column < 3; ++column) put_real(position, number(k, column));
                for (int column = 3; column < 6; ++column) put_real(velocity, -number(k, column));
                if (long_ids)
                    id.put(static_cast<std::uint64_t>(101 + k));
                else
                    id.put(static_cast<std::uint32_t>(101 + k));
                if (mass[t] == 0) put_real(masses, stored_mass(k));
            }
        put_record(file, "POS ", position.bytes);
        put_record(file, "VEL ", velocity.bytes);
        put_record(file, "ID  ", id.bytes);
        if (!masses.bytes.empty()) put_record(file, "MASS", masses.bytes);
        for (const auto& [label, type] : further) {
            ByteWriter block{order, {}};
            for (std::int64_t k = 0; k < count[static_cast<std::size_t>(type)]; ++k) put_real(block, 7.0);
            if (!block.bytes.empty()) put_record(file, (label + "    ").substr(0, 4), block.bytes);
        }
        return file.bytes;
    }

    void put_record(ByteWriter& file, const std::string& label, const std::string& data) const
    {
        const auto n = static_cast<std::int32_t>(data.size());
        if (format == 2) {
            file.put(std::int32_t{8});
            file.bytes += label;
            file.put(n + 8);
            file.put(std::int32_t{8});
        }
        file.put(n);
        file.bytes += data;
        file.put(n);
    }

private:
    void put_real(ByteWriter& to, double value) const
    {
        if (double_precision)
            to.put(value);
        else
            to.put(static_cast<float>(value));
    }

    std::string gadget2_header() const
    {
        ByteWriter h{order, {}};
        for (const auto n : count) h.put(static_cast<std::int32_t>(n));
        for (const double m : mass) h.put(m);
        h.put(time);
        h.put(redshift);
        h.put(std::int32_t{0});
        h.put(std::int32_t{0});
        for (const auto n : total) h.put(static_cast<std::uint32_t>(n));
        h.put(std::int32_t{0});
        h.put(n_files);
        for (const double x : {box_size, omega0, omega_lambda, hubble}) h.put(x);
        h.bytes.resize(256, '\0');
        return h.bytes;
    }

    std::string gadget4_header() const
    {
        ByteWriter h{order, {}};
        const auto each = [this](auto put) {
            for (int t = 0; t < types; ++t) put(static_cast<std::size_t>(t));
        };
        each([&](std::size_t t) { h.put(t < 6 ? count[t] : std::int64_t{0}); });
        each([&](std::size_t t) { h.put(t < 6 ? total[t] : std::int64_t{0}); });
        each([&](std::size_t t) { h.put(t < 6 ? mass[t] : 0.0); });
        for (const double x : {time, redshift, box_size}) h.put(x);
        h.put(n_files);
        h.put(std::int32_t{0});
        h.put(std::int64_t{0});
        h.put(std::int64_t{0});
        return h.bytes;
    }
};

}  // namespace aureole::test
