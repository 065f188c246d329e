// What the phases of one find share: the query, its geometry and the memory.
#pragma once

#include "halo/copy_bytes.hpp"
#include "halo/fof/fof_memory.hpp"
#include "halo/fof/friends_of_friends.hpp"
#include "halo/separation.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::halo {

/// l / psi.
double length_per_velocity(const FofConfig& config);

/// (l / psi)^2; 0 in space, which is what a linking velocity without end comes to.
double squared_velocity_ratio(const FofConfig& config);

bool in_phase_space(const FofConfig& config);

/// Whether friends meet through cells, where the extent suits them.
bool uses_cells(Backend where, const FofConfig& config);

/// How much memory a find needs.
FofSize size_of(Backend where, std::size_t n, const FofConfig& config);

/// Corners of what is searched.
struct FofExtent {
    Vec3 low, high;                    ///< of positions: the whole box when periodic
    Vec3 low_velocity, high_velocity;  ///< in phase space
};

class FofWorkspace {
public:
    FofWorkspace(Exec exec, const ConstParticlesView& particles, const FofConfig& config,
                 Buffer<std::byte>& block);

    Exec exec() const { return exec_; }
    const ConstParticlesView& particles() const { return particles_; }
    const FofConfig& config() const { return config_; }
    const FofMemory& memory() const { return memory_; }

    template <class T>
    T* at(std::size_t offset) const
    {
        return reinterpret_cast<T*>(block_.data() + offset);
    }
    Index* order() const { return at<Index>(memory_.order); }  ///< particles; core ones first
    Index* set() const { return at<Index>(memory_.set); }      ///< per place in the order
    Index* wide_part(int k) const { return at<Index>(memory_.wide + k * memory_.wide_part); }
    Index* counters() const { return at<Index>(memory_.counters); }

    void wait() const;
    void copy(void* to, const void* from, std::size_t bytes) const { copy_bytes(exec_, to, from, bytes); }
    template <class T>
    T fetched(const T* from) const
    {
        T value;
        copy(&value, from, sizeof value);
        return value;
    }

    void set_extent(const FofExtent& extent) { extent_ = extent; }
    const FofExtent& extent() const { return extent_; }
    /// Half of the longest side of the extent, velocities as lengths.
    double longest_half() const;
    LinkQuery query() const;
    /// Places for the points of the order, without nodes.
    LinkTree points(Index n) const;

private:
    Exec exec_;
    ConstParticlesView particles_;
    FofConfig config_;
    Buffer<std::byte>& block_;
    FofMemory memory_;
    FofExtent extent_{};
};

}  // namespace aureole::halo
