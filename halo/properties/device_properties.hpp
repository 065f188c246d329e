// Properties of lists of members, computed in the memory of the backend that holds them.
//
// On the GPU: members' data are gathered once into the order of the lists; every list is cut into segments of
// equal length, one warp sums a segment, another the segments of a list, so sums run in a fixed order. Radii
// of all lists are sorted at once, exactly, and the mass inside each is summed along. Cost: the random reads
// of one gather (some 300 bytes a member) and a radix sort of 63 bits and those of a list's number.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "halo/groups_view.hpp"
#include "halo/properties/halo_properties.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

/// As PropertyInput, of particles and lists in one memory.
struct PropertyInputView {
    ConstParticlesView particles;
    MembersView members;
    Box box{};
    std::span<const Vec3> centre{};     ///< in host memory: one per list; none: centres of mass
    const double* potential = nullptr;  ///< per entry of the lists, in their memory; none: energies are NaN
    double gravitational_constant = 1;
};

struct PropertyScratch;

/// Computes with the memory it keeps from call to call.
class DeviceProperties {
public:
    DeviceProperties();
    ~DeviceProperties();

    /// One entry per list, valid until the next call: as halo_properties(PropertyInput, Members) has it, to
    /// rounding; equal input gives equal bits. `particles` are in the memory that `exec` runs in. Throws as
    /// that does.
    const std::vector<HaloProperties>& compute(Exec exec, const PropertyInputView& input);
    /// The same into `rows`, whose memory is kept where it suffices.
    void compute(Exec exec, const PropertyInputView& input, std::vector<HaloProperties>& rows);

private:
    std::unique_ptr<PropertyScratch> scratch_;
};

/// Throws aureole::ArgumentError for input in host memory that cannot be computed with.
void expect_host_input(const PropertyInputView& input);

/// The implementation on the host, of checked input; that on the GPU is properties/gpu/arrays.hpp.
void host_properties(const PropertyInputView& input, std::span<HaloProperties> rows);

}  // namespace aureole::halo
