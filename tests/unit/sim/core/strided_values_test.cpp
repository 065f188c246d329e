#include "sim/core/strided_values.hpp"

#include <limits>

#include "sim/core/device_sharing.hpp"
#include "sim/core/memory/transfers.hpp"
#include "sim/core/particles.hpp"
#include "tests/support/backends.hpp"

namespace aureole::test::strided_values_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

class ValuesOfOtherLibraries : public OnEachBackend {
protected:
    /// A copy in the memory of the backend.
    template <class T>
    Buffer<T> there(const std::vector<T>& values) const
    {
        return Buffer<T>(GetParam(), std::span<const T>(values));
    }
    std::vector<double> widened(const StridedValues& from) const
    {
        Buffer<double> to(GetParam(), from.n);
        widen(exec(), from, to.data());
        wait();
        return to.to_vector();
    }
    void wait() const
    {
        if (GetParam() == Backend::cuda) device::synchronize();
    }
};

TEST_P(ValuesOfOtherLibraries, ColumnsOfRowsInEitherOrderAndEitherDirection)
{
    const Buffer<double> rows = there<double>({0, 1, 2, 10, 11, 12, 20, 21, 22});
    EXPECT_EQ(widened({rows.data() + 1, 3, 3 * sizeof(double), NumberType::float64}),
              (std::vector<double>{1, 11, 21}));
    EXPECT_EQ(widened({rows.data() + 3, 3, sizeof(double), NumberType::float64}),
              (std::vector<double>{10, 11, 12}));
    EXPECT_EQ(widened({rows.data() + 8, 3, -3 * std::ptrdiff_t{sizeof(double)}, NumberType::float64}),
              (std::vector<double>{22, 12, 2}));
}

TEST_P(ValuesOfOtherLibraries, OneNumberStandsForAll)
{
    const Buffer<float> one = there<float>({0.1f});
    EXPECT_EQ(widened({one.data(), 4, 0, NumberType::float32}), std::vector<double>(4, double{0.1f}));
    EXPECT_TRUE(widened({nullptr, 0, 0, NumberType::float32}).empty());
}

template <class T>
void expect_integers_keep_their_bits(Backend backend, NumberType type)
{
    const std::vector<T> values{0, 1, std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()};
    const Buffer<T> from(backend, std::span<const T>(values));
    Buffer<std::uint64_t> to(backend, values.size());
    widen({backend}, {from.data(), 4, sizeof(T), type}, to.data());
    if (backend == Backend::cuda) device::synchronize();
    const std::vector<std::uint64_t> found = to.to_vector();
    for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(found[i], static_cast<std::uint64_t>(values[i])) << static_cast<int>(type) << " " << i;
}

TEST_P(ValuesOfOtherLibraries, IntegersOfEveryTypeKeepTheirBits)
{
    expect_integers_keep_their_bits<std::int8_t>(GetParam(), NumberType::int8);
    expect_integers_keep_their_bits<std::int16_t>(GetParam(), NumberType::int16);
    expect_integers_keep_their_bits<std::int32_t>(GetParam(), NumberType::int32);
    expect_integers_keep_their_bits<std::int64_t>(GetParam(), NumberType::int64);
    expect_integers_keep_their_bits<std::uint8_t>(GetParam(), NumberType::uint8);
    expect_integers_keep_their_bits<std::uint16_t>(GetParam(), NumberType::uint16);
    expect_integers_keep_their_bits<std::uint32_t>(GetParam(), NumberType::uint32);
    expect_integers_keep_their_bits<std::uint64_t>(GetParam(), NumberType::uint64);
    Buffer<std::uint64_t> to(GetParam(), 1);
    EXPECT_THROW(widen(exec(), {to.data(), 1, 8, NumberType::float64}, to.data()), ArgumentError);
}

TEST_P(ValuesOfOtherLibraries, NamesTheFirstNumberThatIsNotFiniteOrTooSmall)
{
    for (const std::size_t n : {1u, 64u, 65u, 100000u}) {
        std::vector<double> values(n, 1.0);
        const auto first = [&](double least) {
            const Buffer<double> buffer = there(values);
            return first_beyond(exec(), buffer.data(), static_cast<Index>(n), least);
        };
        EXPECT_EQ(first(0), no_value);
        EXPECT_EQ(first(1), no_value);
        EXPECT_EQ(first(1.5), 0u);
        for (const double wrong : {not_a_number, infinity, -infinity}) {
            values[n - 1] = values[n / 2] = wrong;
            EXPECT_EQ(first(-infinity), n / 2) << wrong << " of " << n;
        }
        values[n - 1] = values[n / 2] = -1;
        EXPECT_EQ(first(-infinity), no_value);
        EXPECT_EQ(first(0), n / 2);
    }
    EXPECT_EQ(first_beyond(exec(), static_cast<const double*>(nullptr), 0, 0.0), no_value);
}

TEST_P(ValuesOfOtherLibraries, NamesTheFirstIntegerThatIsTooLargeAndNarrowsTheOthers)
{
    const Buffer<std::uint64_t> wide = there<std::uint64_t>({5, 0, 6, 7});
    EXPECT_EQ(first_beyond(exec(), wide.data(), 4, std::uint64_t{5}), 2u);
    EXPECT_EQ(first_beyond(exec(), wide.data(), 2, std::uint64_t{5}), no_value);
    Buffer<ParticleType> types(GetParam(), 2);
    narrow(exec(), wide.data(), 2, types.data());
    wait();
    EXPECT_EQ(types.to_vector(), (std::vector<ParticleType>{5, 0}));
}

TEST_P(ValuesOfOtherLibraries, VectorsBecomeRowsTimesAFactor)
{
    Vec3Buffer vectors;
    vectors.x = there<double>({1, 2});
    vectors.y = there<double>({3, 4});
    vectors.z = there<double>({5, 6});
    Buffer<double> rows(GetParam(), 6);
    interleave(exec(), vectors.view(), 2, 10, rows.data());
    scale_values(exec(), rows.data() + 3, 3, 0.5);
    wait();
    EXPECT_EQ(rows.to_vector(), (std::vector<double>{10, 30, 50, 10, 20, 30}));
}

TEST_P(ValuesOfOtherLibraries, AreWrappedIntoABoxAndNumbered)
{
    Buffer<double> values = there<double>({-0.25, 0.25, 1.25, 1});
    wrap_values(exec(), Box{1}, values.data(), 4);
    Buffer<std::uint64_t> numbers(GetParam(), 3);
    count_up(exec(), numbers.data(), 3);
    wait();
    EXPECT_EQ(values.to_vector(), (std::vector<double>{0.75, 0.25, 0.25, 0}));
    EXPECT_EQ(numbers.to_vector(), (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST_P(ValuesOfOtherLibraries, AreReadWhereTheyAre)
{
    const std::size_t n = 100000;
    const Buffer<float> values = there(std::vector<float>(n, 1));
    Buffer<double> to(GetParam(), n);
    const device::Transfers before = device::transfers();
    widen(exec(), {values.data(), n, sizeof(float), NumberType::float32}, to.data());
    EXPECT_EQ(first_beyond(exec(), to.data(), n, 0.0), no_value);
    EXPECT_LE((device::transfers() - before).bytes(), 16u);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ValuesOfOtherLibraries);

TEST(SharedDevice, SaysWhyThereIsNone)
{
    EXPECT_EQ(device::why_no_device().empty(), device::count() > 0);
    if constexpr (!with_cuda) {
        EXPECT_THROW(device::selected(), CudaError);
    }
}

TEST(SharedDevice, TellsWhichDeviceMemoryIsOnAndKeepsTheSelectedOne)
{
    if (device::count() == 0) GTEST_SKIP() << "no GPU";
    const Buffer<double> here(Backend::cpu, 1), there(Backend::cuda, 1);
    EXPECT_EQ(device::number_of(here.data()), -1);
    EXPECT_EQ(device::number_of(there.data()), device::selected());
    const int before = device::selected();
    {
        const device::Selection last(device::count() - 1);
        EXPECT_EQ(device::selected(), device::count() - 1);
    }
    EXPECT_EQ(device::selected(), before);
}

TEST(SharedDevice, WorkBeginsBehindThatOfTheOtherStream)
{
    if (device::count() == 0) GTEST_SKIP() << "no GPU";
    const std::size_t n = std::size_t{1} << 26;
    Buffer<double> values(Backend::cuda, n);
    const device::Stream earlier;
    device::fill_zero(nullptr, values.data(), n * sizeof(double));
    device::synchronize();
    const double nine = 9;
    const Buffer<double> source(Backend::cuda, std::span<const double>(&nine, 1));
    widen({Backend::cuda, earlier.get()}, {source.data(), static_cast<Index>(n), 0, NumberType::float64},
          values.data());
    device::order_after(nullptr, earlier.get());
    EXPECT_EQ(first_beyond({Backend::cuda}, values.data(), static_cast<Index>(n), 9.0), no_value);
}

}  // namespace
}  // namespace aureole::test::strided_values_test
