#include "sim/core/buffer.hpp"

#include <cstdlib>

#include "tests/support/backends.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::buffer_test {
namespace {

class Buffers : public OnEachBackend {};

TEST_P(Buffers, ValuesSurviveTheWayThereAndBack)
{
    const std::vector<double> values{1.5, -2.25, 3.0};
    const Buffer<double> buffer(GetParam(), values);
    EXPECT_EQ(buffer.to_vector(), values);
    EXPECT_EQ(buffer.copy_to(Backend::cpu).to_vector(), values);
}

TEST_P(Buffers, EmptyBuffersCopyAndRelease)
{
    Buffer<int> buffer(GetParam(), 0);
    EXPECT_TRUE(buffer.to_vector().empty());
    EXPECT_EQ(buffer.copy_to(GetParam()).size(), 0u);
}

TEST_P(Buffers, TheLedgerCountsWhatIsHeldAndThePeak)
{
    const std::size_t before = memory::held_bytes(GetParam());
    memory::reset_peak(GetParam());
    {
        Buffer<double> first(GetParam(), 1000);
        EXPECT_EQ(memory::held_bytes(GetParam()), before + 8000);
        first.require(GetParam(), 500);
        EXPECT_EQ(first.size(), 1000u) << "scratch must not shrink";
        first.require(GetParam(), 2000);
        EXPECT_EQ(memory::held_bytes(GetParam()), before + 16000);
    }
    EXPECT_EQ(memory::held_bytes(GetParam()), before);
    EXPECT_EQ(memory::peak_bytes(GetParam()), before + 16000)
        << "growing scratch releases before it allocates";
}

TEST_P(Buffers, AbsurdSizesThrowInsteadOfCrashing)
{
    EXPECT_THROW(Buffer<double>(GetParam(), std::size_t{1} << 62), Error);
}

/// What the environment allows the Buffers of a backend, while it lives.
class MemoryLimit {
public:
    MemoryLimit(Backend where, const std::string& megabytes)
        : name_(where == Backend::cpu ? "AUREOLE_CPU_MEMORY_MB" : "AUREOLE_CUDA_MEMORY_MB")
    {
        ::setenv(name_, megabytes.c_str(), 1);
    }
    ~MemoryLimit() { ::unsetenv(name_); }
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;

private:
    const char* name_;
};

TEST_P(Buffers, WhatIsNotThereIsRefusedWithTheNumbers)
{
    const std::string name = name_of(GetParam());
    ASSERT_EQ(memory::held_bytes(GetParam()), 0u);
    const std::size_t machine = memory::available(GetParam()).bytes;
    EXPECT_GT(machine, std::size_t{1} << 28);
    {
        const MemoryLimit limit(GetParam(), "3");
        const Buffer<double> first(GetParam(), 250000);
        EXPECT_EQ(memory::available(GetParam()).bytes, 1000000u);
        const std::string message = message_of<MemoryError>([&] { Buffer<double>(GetParam(), 125001); });
        EXPECT_TRUE(
            contains(message, "out of memory: 1.0 MB wanted on " + name + ", 2.0 MB held, 1.0 MB available"));
        EXPECT_TRUE(contains(message, "_MEMORY_MB = 3)"));
        EXPECT_EQ(memory::held_bytes(GetParam()), 2000000u) << "a refusal is not held";
        EXPECT_EQ(Buffer<double>(GetParam(), 125000).size(), 125000u) << "the last byte may be taken";
    }
    EXPECT_EQ(Buffer<double>(GetParam(), 500000).size(), 500000u);
    const std::string absurd =
        message_of<MemoryError>([&] { Buffer<double>(GetParam(), std::size_t{1} << 50); });
    EXPECT_TRUE(contains(absurd, "MB available; fewer particles take less"));
    EXPECT_EQ(Buffer<double>(GetParam(), 1000).copy_to(Backend::cpu).size(), 1000u)
        << "the backend goes on working";
}

TEST_P(Buffers, WhatIsAllocatedIsNoLongerAvailableBeforeItIsTouched)
{
    const std::size_t before = memory::available(GetParam()).bytes;
    const Buffer<char> half(GetParam(), before / 2);
    const std::size_t after = memory::available(GetParam()).bytes;
    EXPECT_LT(after, before / 4 * 3);
    EXPECT_GT(after, before / 4) << "and is not taken off twice";
}

TEST_P(Buffers, ALimitAboveWhatThereIsIsNotNamed)
{
    const MemoryLimit limit(GetParam(), "1000000000");
    EXPECT_EQ(memory::available(GetParam()).limit, "");
    EXPECT_TRUE(memory::available(GetParam()).text().ends_with(" MB available"));
}

TEST_P(Buffers, ALimitThatIsNoNumberIsRefused)
{
    for (const char* text : {"4GB", "-1", "1.5", "99999999999999999999"}) {
        const MemoryLimit limit(GetParam(), text);
        EXPECT_TRUE(contains(message_of<ConfigError>([&] { Buffer<int>(GetParam(), 1); }), text));
    }
    const MemoryLimit none(GetParam(), "");
    EXPECT_EQ(Buffer<int>(GetParam(), 1).size(), 1u);
}

TEST(HostBuffer, HostAccessToDeviceMemoryIsRefused)
{
    if (available_backends().size() < 2) GTEST_SKIP() << "no CUDA device";
    Buffer<int> buffer(Backend::cuda, 4);
    EXPECT_THROW(buffer.host(), Error);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(Buffers);

}  // namespace
}  // namespace aureole::test::buffer_test
