// Names of files that differ in a number, as snapshot_007.hdf5: made and recognised by the same entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aureole::io {

/// `prefix`, the number with at least `digits` digits, `ending`.
struct NumberedName {
    std::string prefix, ending;
    unsigned digits = 3;

    /// The name that belongs to `number`.
    std::string of(std::uint64_t number) const;

    /// The number of a name of this kind; nothing for other names and for numbers beyond 32 bits.
    std::optional<unsigned> number_in(std::string_view name) const;
};

}  // namespace aureole::io
