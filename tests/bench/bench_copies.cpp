// Copies between device memory and pageable host memory: as device::copy() makes them, and plain.
// usage: bench_copies [--mb N ...] [--repeat 5]   one JSON line per case
// `new` memory has no pages yet: what receives the labels of a finder, or a state. Sizes in 2^20 bytes.
#include <cstdio>
#include <vector>

#include "sim/core/buffer.hpp"
#include "sim/core/memory/pages.hpp"
#include "sim/core/memory/transfers.hpp"
#include "tests/bench/options.hpp"

namespace aureole {
namespace {

const Exec on_device{Backend::cuda};

void plain_copy(void* to, const void* from, std::size_t bytes)
{
    if constexpr (with_cuda) return device::cuda::copy(to, from, bytes);
    throw_not_built(Backend::cuda);
}

struct Case {
    std::size_t bytes;
    int repeats;

    template <class Work>
    void print(const char* name, int warm_up, Work work) const
    {
        const double seconds = bench::median_seconds(on_device, warm_up, repeats, work);
        std::printf(R"({"copy": "%s", "megabytes": %zu, "ms": %.3f, "gigabytes_per_second": %.3g})"
                    "\n",
                    name, bytes >> 20, 1e3 * seconds, 1e-9 * static_cast<double>(bytes) / seconds);
    }
};

void run(const bench::Options& options)
{
    for (const auto& size : options.all("--mb")) {
        const Case one{std::stoull(size) << 20, options.repeats()};
        const std::size_t bytes = one.bytes;
        Buffer<std::byte> there(Backend::cuda, bytes), here(Backend::cpu, bytes);
        std::fill_n(here.data(), bytes, std::byte{1});
        Case{bytes, 1}.print("to the device, first call", 0,
                             [&] { device::copy(there.data(), here.data(), bytes); });
        one.print("to the device", 1, [&] { device::copy(there.data(), here.data(), bytes); });
        one.print("to the device, plain", 1, [&] { plain_copy(there.data(), here.data(), bytes); });
        one.print("to the host", 1, [&] { device::copy(here.data(), there.data(), bytes); });
        one.print("to the host, plain", 1, [&] { plain_copy(here.data(), there.data(), bytes); });
        one.print("to the host, new", 1, [&] {
            auto fresh = memory::touched_vector<std::byte>(bytes);
            device::copy(fresh.data(), there.data(), bytes);
        });
        one.print("to the host, new, without the copy", 1,
                  [&] { static_cast<void>(memory::touched_vector<std::byte>(bytes)); });
        one.print("to the host, new, plain", 1, [&] {
            std::vector<std::byte> fresh(bytes);
            plain_copy(fresh.data(), there.data(), bytes);
        });
    }
    std::printf("{\"transfers\": \"%s\", \"pinned_bytes\": %zu}\n",
                device::text_of(device::transfers()).c_str(), device::pinned_bytes());
}

}  // namespace
}  // namespace aureole

int main(int argc, char** argv)
{
    return aureole::bench::run(argc, argv, "", "--mb 64 1024 --repeat 5", aureole::run);
}
