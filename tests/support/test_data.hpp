// Real files that are no part of the project. Tests that use one are skipped where it is absent.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace aureole::test {

/// The root of the project's sources. Defined in main.cpp, so that no other object depends on where they lie.
const std::filesystem::path& source_folder();

/// Where the real files are: $AUREOLE_TEST_DATA, else ../shared/data from the project's root.
inline std::filesystem::path test_data_folder()
{
    if (const char* folder = std::getenv("AUREOLE_TEST_DATA")) return folder;
    return source_folder() / "../shared/data";
}

}  // namespace aureole::test

/// Declares the path `name` of a real file, or skips the test with the reason.
#define AUREOLE_TEST_DATA_OR_SKIP(name, relative)                                                         \
    const std::filesystem::path name = ::aureole::test::test_data_folder() / (relative);                  \
    if (!std::filesystem::exists(name))                                                                   \
        GTEST_SKIP() << name.string() << " is absent (AUREOLE_TEST_DATA names the folder of real files)"; \
    static_assert(true)
