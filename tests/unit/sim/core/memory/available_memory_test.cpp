#include "sim/core/memory/available_memory.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace aureole::test::available_memory_test {
namespace {

void write(const std::filesystem::path& file, const char* text)
{
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

TEST(AvailableMemory, IsTheLeastThatIsTold)
{
    const TemporaryFolder root;
    const auto available = [&] { return memory::host_available_bytes(0, root.path()); };
    EXPECT_FALSE(available());
    write(root / "proc/meminfo", "MemTotal:       8000 kB\nMemFree:  10 kB\nMemAvailable:   6000 kB\n");
    EXPECT_EQ(available(), 6144000u);
    write(root / "sys/fs/cgroup/memory.max", "max\n");
    write(root / "sys/fs/cgroup/memory.current", "3000\n");
    write(root / "sys/fs/cgroup/memory.stat", "anon 2000\nfile 1000\nkernel 5\n");
    EXPECT_EQ(available(), 6144000u) << "no limit";
    write(root / "sys/fs/cgroup/memory.max", "5000\n");
    EXPECT_EQ(available(), 3000u) << "cached files count as free";
    write(root / "sys/fs/cgroup/memory.stat", "anon 2000\nfile 1000\nshmem 400\n");
    EXPECT_EQ(available(), 2600u) << "files of tmpfs stay";
    write(root / "sys/fs/cgroup/memory/memory.limit_in_bytes", "4000\n");
    write(root / "sys/fs/cgroup/memory/memory.usage_in_bytes", "4500\n");
    EXPECT_EQ(available(), 0u);
}

TEST(AvailableMemory, IsThatOfTheProcesssGroupAndOfThoseAroundIt)
{
    const TemporaryFolder root;
    const auto available = [&] { return memory::host_available_bytes(0, root.path()); };
    const auto group = [&](const std::string& at, const char* limit, const char* used) {
        write(root / ("sys/fs/cgroup" + at) / "memory.max", limit);
        write(root / ("sys/fs/cgroup" + at) / "memory.current", used);
    };
    write(root / "proc/meminfo", "MemAvailable:   6000 kB\n");
    write(root / "proc/self/cgroup", "1:name=systemd:/\n0::/jobs/77\n");
    group("/jobs/77", "9000\n", "2000\n");
    group("/jobs/78", "10\n", "10\n");
    EXPECT_EQ(available(), 7000u) << "another's limit is not ours";
    group("/jobs", "9000\n", "8000\n");
    EXPECT_EQ(available(), 1000u) << "what is around limits all in it";
    write(root / "proc/self/cgroup", "4:memory:/outside/jobs/77\n0::/\n");
    write(root / "sys/fs/cgroup/memory/memory.limit_in_bytes", "700\n");
    write(root / "sys/fs/cgroup/memory/memory.usage_in_bytes", "200\n");
    EXPECT_EQ(available(), 500u) << "a path from outside a container leads to the root";
}

TEST(AvailableMemory, DoesNotCountTwiceWhatIsAllocated)
{
    const TemporaryFolder root;
    const auto available = [&](std::size_t allocated) {
        return memory::host_available_bytes(allocated, root.path());
    };
    write(root / "proc/meminfo", "MemAvailable:   6000 kB\n");
    EXPECT_EQ(available(1000), 6143000u) << "nothing is known to be in memory";
    write(root / "proc/self/status", "VmRSS:\t    120 kB\nRssAnon:\t    100 kB\nRssFile:\t     20 kB\n");
    EXPECT_EQ(available(0), 6144000u);
    EXPECT_EQ(available(102400), 6144000u) << "touched, so that the system has taken it off";
    EXPECT_EQ(available(102400 + 5000), 6139000u) << "what is untouched will be taken";
    EXPECT_EQ(available(std::size_t{1} << 40), 0u);
    write(root / "proc/self/status", "VmRSS:\t    120 kB\n");
    EXPECT_EQ(available(122880 + 5000), 6139000u);
}

TEST(AvailableMemory, OfThisMachineIsTold)
{
    const auto bytes = memory::host_available_bytes(0);
    ASSERT_TRUE(bytes);
    EXPECT_GT(*bytes, std::size_t{1} << 20);
    EXPECT_LT(*bytes, std::size_t{1} << 50);
}

}  // namespace
}  // namespace aureole::test::available_memory_test
