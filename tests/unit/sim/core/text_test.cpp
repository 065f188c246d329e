#include <gtest/gtest.h>

#include "sim/core/backend.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::text_test {
namespace {

TEST(Text, MegabytesAreMillionsOfBytes) { EXPECT_DOUBLE_EQ(megabytes(2500000), 2.5); }

// what a user reads; AUREOLE_SYNC_KERNELS adds the place for those who look for the fault
TEST(Text, OfAFailedGpuTellsNeitherTheCallNorItsPlaceInTheSource)
{
    const std::string text = message_of<CudaError>([] {
        throw_cuda(700, "cudaErrorIllegalAddress", "an illegal memory access was encountered",
                   "launch of walk_kernel", "gravity/tree/walk.cu", 42);
    });
    EXPECT_EQ(text,
              "the GPU failed: an illegal memory access was encountered (cudaErrorIllegalAddress = 700); "
              "--device cpu computes without it");
}

TEST(Text, OfAGpuWithoutMemoryTellsWhatIsHeld)
{
    const std::string text = message_of<MemoryError>([] {
        throw_cuda(2, "cudaErrorMemoryAllocation", "out of memory", "cudaMalloc(&p, bytes)", "a.cu", 1);
    });
    EXPECT_EQ(text,
              "out of memory on the GPU, 0.0 MB held by this process, others may hold the rest; --device cpu "
              "takes none of it");
}

}  // namespace
}  // namespace aureole::test::text_test
