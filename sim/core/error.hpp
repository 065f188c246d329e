// One exception family and one precondition macro. Libraries throw; only main() prints and exits.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace aureole {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// A function was called with arguments that it does not take: the message says what was found and what was
/// expected.
struct ArgumentError : Error {
    using Error::Error;
};
/// Progress::stop() asked for an end. What the interrupted call was to fill is not to be used; its inputs are
/// as they were, and the objects involved may be used again.
struct Stopped : Error {
    using Error::Error;
};
/// A configuration key or command-line value is wrong: the message names key, file and line.
struct ConfigError : Error {
    using Error::Error;
};
/// A file cannot be read or written: the message names file, block and, where there is one, particle.
struct IoError : Error {
    using Error::Error;
};
struct CudaError : Error {
    using Error::Error;
};
/// Too little memory is available: the message names the bytes needed and available, and what takes less.
struct MemoryError : Error {
    using Error::Error;
};

[[noreturn]] void throw_argument_error(const std::string& message);

}  // namespace aureole

/// Precondition of a public function: always checked. Throws ArgumentError with the formatted message, which
/// says what was found and what was expected.
#define AUREOLE_EXPECT(condition, ...)                                               \
    do {                                                                             \
        if (!(condition)) ::aureole::throw_argument_error(fmt::format(__VA_ARGS__)); \
    } while (false)
