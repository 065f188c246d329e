#include "sim/core/buffer.hpp"

#include "../../../support/backends.hpp"

namespace aureole::test {
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

TEST(HostBuffer, HostAccessToDeviceMemoryIsRefused)
{
    if (available_backends().size() < 2) GTEST_SKIP() << "no CUDA device";
    Buffer<int> buffer(Backend::cuda, 4);
    EXPECT_THROW(buffer.host(), Error);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(Buffers);

}  // namespace
}  // namespace aureole::test
