// The entry of libFuzzer for the target named AUREOLE_FUZZ_TARGET. A fault ends the process with the input
// kept; so do crashes, leaks, time-outs and allocations beyond -malloc_limit_mb.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/target.hpp"

namespace {

const aureole::fuzz::Target& chosen()
{
    const auto& all = aureole::fuzz::targets();
    const auto found = std::ranges::find(all, AUREOLE_FUZZ_TARGET, &aureole::fuzz::Target::name);
    if (found == all.end()) std::abort();
    return *found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const aureole::fuzz::Target& target = chosen();
    try {
        aureole::fuzz::refuses(target, std::string(reinterpret_cast<const char*>(data), size));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "FAULT of %s: %s\n", AUREOLE_FUZZ_TARGET, error.what());
        std::abort();
    }
    return 0;
}
