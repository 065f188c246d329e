// Small helpers for messages.
#pragma once

#include <cstddef>

namespace aureole {

/// In units of 10^6 bytes, as messages tell them.
constexpr double megabytes(std::size_t bytes) { return 1e-6 * static_cast<double>(bytes); }

}  // namespace aureole
