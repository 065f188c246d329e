// The message of an object header that holds an attribute: whether its parts fit into it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace aureole::io::hdf5 {

/// What is longer than the message, as "a type of 300 bytes, ..."; empty where all fits, and for versions and
/// classes of types that are not known here, which the library refuses. `length_bytes`: of a length in the
/// file.
std::string attribute_fault(std::span<const std::byte> message, unsigned length_bytes);

}  // namespace aureole::io::hdf5
