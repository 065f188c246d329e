// Transfers of the finders, whichever memory they work in.
#pragma once

#include <cstddef>

#include "sim/core/backend.hpp"

namespace aureole::halo {

/// Between the host and the memory that `exec` runs in, in either direction; waits for what runs there first.
void copy_bytes(Exec exec, void* to, const void* from, std::size_t bytes);

/// One value of the memory that `exec` runs in.
template <class T>
T fetched(Exec exec, const T* from)
{
    T value;
    copy_bytes(exec, &value, from, sizeof value);
    return value;
}

}  // namespace aureole::halo
