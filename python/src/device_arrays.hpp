// Arrays in the memory of a CUDA device: those of other libraries, which are borrowed, and results of ours,
// which other libraries borrow in turn. All work runs in the default stream of the device: what its producer
// puts there, or orders before it by DLPack's protocol, is done first. A call returns when its results are
// complete, so that every stream may use them.
//
// Memory is given back by the module that took it, _core: others fill what was made there.
//
// Device -1 is the memory of the host: so that these ways can be tested where there is no GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <variant>

#include "arrays.hpp"
#include "call.hpp"
#include "sim/core/device_sharing.hpp"
#include "sim/core/strided_values.hpp"

namespace aureole::python {

/// An array of another library. Its memory is kept until the end of this object's life.
class DeviceValues {
public:
    /// Of a capsule of DLPack.
    explicit DeviceValues(nb::ndarray<nb::ro> array);

    /// Of what `__cuda_array_interface__` tells: strides in bytes, none for rows one after the other.
    DeviceValues(std::uintptr_t pointer, std::vector<std::size_t> shape,
                 const std::optional<std::vector<std::ptrdiff_t>>& strides, std::string dtype, int device,
                 nb::object owner);

    const std::vector<std::size_t>& shape() const { return shape_; }
    const std::string& dtype() const { return dtype_; }
    /// (1, 0) for the host, (2, number) for a CUDA device, as in DLPack.
    std::pair<int, int> device() const { return {kind_, device_}; }

    /// Column k of an array (n, columns), the whole of an array (n), or `n` times the one number of an array
    /// of no dimension.
    StridedValues column(std::size_t k, Index n) const;

    /// A copy in host memory of an array (n) of integers; unsigned ones beyond 2^63 become negative.
    std::vector<std::int64_t> integers_on_host() const;

private:
    const char* data_ = nullptr;
    std::vector<std::size_t> shape_;
    std::vector<std::ptrdiff_t> strides_;  ///< bytes
    std::string dtype_;
    int kind_ = 2, device_ = 0;
    nb::object owner_;
    std::optional<nb::ndarray<nb::ro>> array_;
};

/// Surrounds work on a device: with this thread's choice of the device as it was before, and all else that
/// Call does. Throws CudaError in a process that was forked after the use of a GPU.
class DeviceCall {
public:
    explicit DeviceCall(int device, nb::handle progress = nb::handle(Py_None));

    Exec exec() const { return exec_; }
    const Progress& progress() const { return call_.progress(); }
    /// Waits for all that was put into the stream.
    void finish() const;

private:
    Exec exec_;
    std::optional<device::Selection> selection_;
    Call call_;
};

/// An array of ours on a device, in rows. Other libraries borrow it by DLPack or __cuda_array_interface__; an
/// empty one has an address, too, because some of them look where it leads.
class DeviceArray {
public:
    using Values =
        std::variant<Buffer<double>, Buffer<std::int32_t>, Buffer<std::int64_t>, Buffer<std::uint8_t>>;

    DeviceArray(int device, Values values, std::vector<std::size_t> shape);

    int device() const { return device_; }
    const std::vector<std::size_t>& shape() const { return shape_; }
    const Values& values() const { return values_; }
    Values& values() { return values_; }

private:
    int device_;
    Values values_;
    std::vector<std::size_t> shape_;
};

/// A copy of `n` values of the backend's own memory.
template <class T>
Buffer<T> copied(Exec exec, const T* from, std::size_t n)
{
    Buffer<T> to(exec.backend, n);
    if (exec.backend == Backend::cuda)
        device::copy(exec.stream, to.data(), from, n * sizeof(T));
    else if (n > 0)
        std::memcpy(to.data(), from, n * sizeof(T));
    return to;
}

/// The first value of an array that is refused: its column, its index and itself.
using Refused = std::optional<std::tuple<int, std::uint64_t, double>>;

/// Particles in the memory of a device, in columns of doubles. Arrays are borrowed where they are that
/// already, else copied once, on the device.
class DeviceParticles {
public:
    DeviceParticles(int device, std::size_t n);
    DeviceParticles(int device, const HostParticles& host);

    std::size_t size() const { return n_; }
    int device() const { return device_; }
    ConstParticlesView view() const;

    /// Positions or velocities from particle `first` on, of one array (m, 3) or of three (m). What is not
    /// finite is refused.
    Refused set_vectors(bool velocities, std::size_t first, const std::vector<const DeviceValues*>& parts);
    /// Positions, and velocities where there are six, from the columns of an array (n, 1, 2, 3 or 6); columns
    /// that are missing are 0.
    Refused set_features(const DeviceValues& values);
    /// Masses from particle `first` on; others are 0. What is negative or not finite is refused.
    Refused set_masses(std::size_t first, std::size_t n, const DeviceValues& values);
    void set_mass(std::size_t first, std::size_t n, double mass);
    void set_ids(const DeviceValues& values);
    /// Types above 5 are refused.
    Refused set_types(const DeviceValues& values);

    /// Gives arrays that are absent their values (at rest, of mass 0, type 1, with the indices as ids), and
    /// brings positions into a periodic box. Within a DeviceCall.
    void complete(Exec exec, const Box& box);
    /// A copy of complete() ones in host memory. Within a DeviceCall.
    Particles to_host() const;
    /// Within a DeviceCall.
    std::vector<Vec3> positions_on_host() const;

private:
    struct Column {
        Buffer<double> own;
        const double* data = nullptr;
    };

    Backend where() const { return device_ < 0 ? Backend::cpu : Backend::cuda; }
    template <class T>
    void fetch(T* to, const T* from) const;
    double* own(Exec exec, Column& column);
    double* own_masses(Exec exec);
    void take(Exec exec, const StridedValues& from, std::size_t first, Column& to);

    int device_;
    Index n_;
    Column position_[3], velocity_[3], mass_;
    Buffer<std::uint64_t> id_;
    Buffer<ParticleType> type_;
    std::vector<nb::object> kept_;
};

/// Bytes that copies of this module moved between host and devices: (to the host, to the devices).
std::pair<std::uint64_t, std::uint64_t> transferred_bytes();

void bind_device_arrays(nb::module_& module);

}  // namespace aureole::python
