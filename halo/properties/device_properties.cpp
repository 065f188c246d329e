#include "halo/properties/device_properties.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "halo/copy_bytes.hpp"
#include "halo/needed_arrays.hpp"
#include "halo/properties/gpu/arrays.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/memory/pages.hpp"

namespace aureole::halo {

struct PropertyScratch {
    Buffer<std::byte> block, sort;
    std::vector<HaloProperties> row;
};

namespace {

using namespace properties;

/// Hands out aligned parts of a block; of no block it counts the bytes.
class Parts {
public:
    explicit Parts(std::byte* block) : block_(block) {}

    template <class T>
    T* of(std::size_t n)
    {
        constexpr std::size_t alignment = 256;
        const std::size_t at = bytes_;
        bytes_ += (n * sizeof(T) + alignment - 1) / alignment * alignment;
        return block_ ? reinterpret_cast<T*>(block_ + at) : nullptr;
    }
    Vec3View vectors(std::size_t n) { return {of<double>(n), of<double>(n), of<double>(n)}; }
    std::size_t bytes() const { return bytes_; }

private:
    std::byte* block_;
    std::size_t bytes_ = 0;
};

PropertyArrays arrays_in(Parts& part, const PropertyInputView& input)
{
    const std::size_t n = input.members.n_members, lists = input.members.n_lists;
    const std::size_t segments = n / segment_size + lists;
    PropertyArrays a{};
    a.particles = input.particles;
    a.members = input.members;
    a.box = input.box;
    a.centre = input.centre.empty() ? nullptr : part.of<Vec3>(lists);
    a.potential = input.potential;
    a.gravitational_constant = input.gravitational_constant;
    a.n_segments = static_cast<Index>(segments);
    a.segment = part.of<ListSegment>(segments);
    a.mass = part.of<double>(n);
    a.position = part.vectors(n);
    a.velocity = part.vectors(n);
    a.squared = part.of<double>(n);
    a.key = part.of<std::uint64_t>(n);
    a.radial.key = part.of<std::uint64_t>(n);
    a.radial.spare_key = part.of<std::uint64_t>(n);
    a.radial.value = part.of<Index>(n);
    a.radial.spare_value = part.of<Index>(n);
    a.first = part.of<SegmentSums<first_term::width>>(segments);
    a.moments = part.of<SegmentSums<moment_term::width>>(segments);
    a.inside = part.of<double>(segments);
    a.curve = part.of<CurvePart>(segments);
    a.frame = part.of<ListFrame>(lists);
    a.row = part.of<HaloProperties>(lists);
    a.fault = part.of<MemberFaults>(1);
    return a;
}

PropertyArrays arrays_for(Exec exec, const PropertyInputView& input, PropertyScratch& scratch)
{
    Parts counted(nullptr);
    arrays_in(counted, input);
    scratch.block.require(exec.backend, counted.bytes());
    scratch.sort.require(exec.backend, sort_pairs_scratch_bytes(exec.backend, input.members.n_members));
    Parts parts(scratch.block.data());
    PropertyArrays a = arrays_in(parts, input);
    if (a.centre)
        copy_bytes(exec, const_cast<Vec3*>(a.centre), input.centre.data(), input.centre.size_bytes());
    return a;
}

void expect_member(const PropertyInputView& input, Index particle)
{
    AUREOLE_EXPECT(particle < input.particles.n, "a list has particle {}, of {} particles", particle,
                   input.particles.n);
}

void expect_type(Index particle, ParticleType type)
{
    AUREOLE_EXPECT(type < n_particle_types, "particle {} has type {}, expected 0 to {}", particle, +type,
                   n_particle_types - 1);
}

/// What the kernels found to be wrong.
void expect_no_fault(Exec exec, const PropertyArrays& a, const PropertyInputView& input)
{
    const MemberFaults fault = fetched(exec, a.fault);
    const std::uint64_t first = std::min(fault.particle, fault.type);
    if (first == MemberFaults::none) return;
    const Index particle = fetched(exec, input.members.particle + first);
    expect_member(input, particle);
    if (input.particles.type) expect_type(particle, fetched(exec, input.particles.type + particle));
}

/// Rows get their memory, of which the system hands out fresh pages, while the GPU works.
void device_properties(Exec exec, const PropertyInputView& input, PropertyScratch& scratch,
                       std::vector<HaloProperties>& rows)
{
    if constexpr (with_cuda) {
        const std::uint64_t n = input.members.n_members;
        PropertyArrays a = arrays_for(exec, input, scratch);
        compute_moments(exec, a);
        if (n > 0) {
            sort_pairs(exec, n, a.radial, 32, scratch.sort.data());
            key_by_list(exec, a);
            const auto list_bits = static_cast<int>(std::bit_width(input.members.n_lists - 1));
            sort_pairs(exec, n, a.radial, high_bits + list_bits, scratch.sort.data());
            compute_curves(exec, a);
        }
        if (rows.capacity() < input.members.n_lists) {
            rows.clear();
            rows.reserve(input.members.n_lists);
            memory::touch_pages(rows.data(), input.members.n_lists * sizeof(HaloProperties));
        }
        rows.resize(input.members.n_lists);
        copy_bytes(exec, rows.data(), a.row, rows.size() * sizeof(HaloProperties));
        expect_no_fault(exec, a, input);
    } else {
        throw_not_built(exec.backend);
    }
}

void expect_members(const PropertyInputView& input)
{
    for (std::uint64_t k = 0; k < input.members.n_members; ++k) {
        const Index i = input.members.particle[k];
        expect_member(input, i);
        expect_type(i, input.particles.type_of(i));
    }
}

void expect_input(Exec exec, const PropertyInputView& input)
{
    const MembersView& members = input.members;
    expect_arrays(input.particles, exec.backend, "the properties of groups",
                  {.mass = true, .velocity = true});
    AUREOLE_EXPECT(members.n_members <= max_particles, "{} members, expected at most {}", members.n_members,
                   max_particles);
    const std::uint64_t end = fetched(exec, members.begin + members.n_lists);
    AUREOLE_EXPECT(end == members.n_members, "lists of {} members, {} given", end, members.n_members);
    AUREOLE_EXPECT(members.n_members == 0 || input.particles.n > 0, "{} members of no particles",
                   members.n_members);
    AUREOLE_EXPECT(input.centre.empty() || input.centre.size() == members.n_lists, "{} centres for {} lists",
                   input.centre.size(), members.n_lists);
    for (std::size_t list = 0; list < input.centre.size(); ++list) {
        const Vec3 x = input.centre[list];
        AUREOLE_EXPECT(std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z),
                       "the centre of list {} is not finite", list);
    }
    AUREOLE_EXPECT(input.gravitational_constant > 0, "the gravitational constant is {}, expected above 0",
                   input.gravitational_constant);
}

}  // namespace

void expect_host_input(const PropertyInputView& input)
{
    expect_input({Backend::cpu}, input);
    expect_members(input);
}

DeviceProperties::DeviceProperties() : scratch_(std::make_unique<PropertyScratch>()) {}
DeviceProperties::~DeviceProperties() = default;

const std::vector<HaloProperties>& DeviceProperties::compute(Exec exec, const PropertyInputView& input)
{
    compute(exec, input, scratch_->row);
    return scratch_->row;
}

void DeviceProperties::compute(Exec exec, const PropertyInputView& input, std::vector<HaloProperties>& rows)
{
    if (input.members.n_lists == 0) return rows.clear();
    if (exec.backend == Backend::cpu) {
        rows.resize(input.members.n_lists);
        expect_host_input(input);
        host_properties(input, rows);
    } else {
        expect_input(exec, input);
        device_properties(exec, input, *scratch_, rows);
    }
}

}  // namespace aureole::halo
