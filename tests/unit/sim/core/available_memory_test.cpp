#include "sim/core/available_memory.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

void write(const std::filesystem::path& file, const char* text)
{
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

TEST(AvailableMemory, IsTheLeastThatIsTold)
{
    const TemporaryFolder root;
    EXPECT_FALSE(memory::available_bytes(root.path()));
    write(root / "proc/meminfo", "MemTotal:       8000 kB\nMemFree:  10 kB\nMemAvailable:   6000 kB\n");
    EXPECT_EQ(memory::available_bytes(root.path()), 6144000u);
    write(root / "sys/fs/cgroup/memory.max", "max\n");
    write(root / "sys/fs/cgroup/memory.current", "3000\n");
    write(root / "sys/fs/cgroup/memory.stat", "anon 2000\nfile 1000\nkernel 5\n");
    EXPECT_EQ(memory::available_bytes(root.path()), 6144000u) << "no limit";
    write(root / "sys/fs/cgroup/memory.max", "5000\n");
    EXPECT_EQ(memory::available_bytes(root.path()), 3000u) << "cached files count as free";
    write(root / "sys/fs/cgroup/memory/memory.limit_in_bytes", "4000\n");
    write(root / "sys/fs/cgroup/memory/memory.usage_in_bytes", "4500\n");
    EXPECT_EQ(memory::available_bytes(root.path()), 0u);
}

TEST(AvailableMemory, OfThisMachineIsSomeOrUnknown)
{
    const auto bytes = memory::available_bytes();
    if (bytes) {
        EXPECT_GT(*bytes, std::size_t{1} << 20);
    }
}

}  // namespace
}  // namespace aureole::test
