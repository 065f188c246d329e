// What Python sees of device_arrays.hpp.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>

#include "device_arrays.hpp"

namespace aureole::python {
namespace {

template <class T>
nb::dlpack::dtype dtype_of(const Buffer<T>&)
{
    return nb::dtype<T>();
}

/// Borrows an array of ours. The results are complete: a consumer's stream has nothing to wait for.
nb::object to_dlpack(nb::handle self, nb::handle, nb::handle, nb::handle dl_device, nb::handle copy)
{
    const auto& array = nb::cast<const DeviceArray&>(self);
    const nb::object here = nb::make_tuple(array.device() < 0 ? 1 : 2, std::max(array.device(), 0));
    if ((!dl_device.is_none() && !nb::tuple(dl_device).equal(here)) ||
        (!copy.is_none() && nb::cast<bool>(copy)))
        throw nb::buffer_error(
            "__dlpack__: the array stays where it is and is not copied; copy it with its new library");
    nb::object exported = std::visit(
        [&](const auto& values) {
            using T = std::remove_cvref_t<decltype(*values.data())>;
            return nb::cast(nb::ndarray<T>(
                const_cast<T*>(values.data()), array.shape().size(), array.shape().data(), self, nullptr,
                dtype_of(values), array.device() < 0 ? nb::device::cpu::value : nb::device::cuda::value,
                std::max(array.device(), 0)));
        },
        array.values());
    return PyCapsule_CheckExact(exported.ptr()) ? exported : exported.attr("__dlpack__")();
}

nb::object numpy_of(const DeviceArray& array)
{
    return std::visit(
        [&](const auto& values) {
            using T = std::remove_cvref_t<decltype(*values.data())>;
            std::vector<T> host;
            {
                const DeviceCall call(array.device());
                host = values.to_vector();
            }
            std::size_t n = 1;
            for (const std::size_t rows : array.shape()) n *= rows;
            host.resize(n);
            return to_numpy(std::move(host), array.shape());
        },
        array.values());
}

/// Of float64, int64 or uint8, for what fills it.
DeviceArray empty_array(int device, const std::string& dtype, const std::vector<std::size_t>& shape)
{
    std::size_t n = 1;
    for (const std::size_t rows : shape) n *= rows;
    const DeviceCall call(device);
    const Backend where = call.exec().backend;
    if (dtype == "float64") return {device, Buffer<double>(where, n), shape};
    if (dtype == "int64") return {device, Buffer<std::int64_t>(where, n), shape};
    AUREOLE_EXPECT(dtype == "uint8", "dtype: found {}, expected float64, int64 or uint8", dtype);
    return {device, Buffer<std::uint8_t>(where, n), shape};
}

const char* type_text(const DeviceArray& array)
{
    constexpr std::array texts{"<f8", "<i4", "<i8", "|u1"};
    return texts.at(array.values().index());
}

nb::dict cuda_interface(const DeviceArray& array)
{
    if (array.device() < 0) throw nb::attribute_error("__cuda_array_interface__");
    nb::list shape;
    for (const std::size_t n : array.shape()) shape.append(n);
    const auto address = std::visit(
        [](const auto& values) { return reinterpret_cast<std::uintptr_t>(values.data()); }, array.values());
    nb::dict result;
    result["shape"] = nb::tuple(shape);
    result["typestr"] = type_text(array);
    result["data"] = nb::make_tuple(address, false);
    result["strides"] = nb::none();
    result["version"] = 3;
    result["stream"] = nb::none();
    return result;
}

/// A copy of an array of the host.
template <class T>
void make_array(DeviceArray* self, int device,
                const nb::ndarray<const T, nb::c_contig, nb::device::cpu>& host)
{
    const DeviceCall call(device);
    Buffer<T> there(call.exec().backend, std::span(host.data(), host.size()));
    call.finish();
    std::vector<std::size_t> shape;
    for (std::size_t k = 0; k < host.ndim(); ++k) shape.push_back(host.shape(k));
    new (self) DeviceArray(device, std::move(there), shape);
}

/// x, y, z and velocities, masses, ids, types as arrays of numpy.
nb::tuple columns_on_host(const DeviceParticles& particles)
{
    Particles host;
    {
        const DeviceCall call(particles.device());
        host = particles.to_host();
    }
    const auto column = [](const auto& values) {
        using T = std::remove_cvref_t<decltype(*values.data())>;
        return to_numpy(std::vector<T>(values.data(), values.data() + values.size()));
    };
    return nb::make_tuple(column(host.position.x), column(host.position.y), column(host.position.z),
                          column(host.velocity.x), column(host.velocity.y), column(host.velocity.z),
                          column(host.mass), column(host.id), column(host.type));
}

void bind_array(nb::module_& module)
{
    nb::class_<DeviceArray>(
        module, "DeviceArray",
        "A result on a CUDA device. Libraries take it by their from_dlpack() or by "
        "__cuda_array_interface__; to_numpy() is a copy in host memory. It is complete: no "
        "stream has to wait for it.")
        .def("__init__", make_array<std::int32_t>, nb::arg("device"), nb::arg("host"))
        .def("__init__", make_array<std::int64_t>, nb::arg("device"), nb::arg("host"))
        .def("__init__", make_array<double>, nb::arg("device"), nb::arg("host"))
        .def("__dlpack__", to_dlpack, nb::kw_only(), nb::arg("stream") = nb::none(),
             nb::arg("max_version") = nb::none(), nb::arg("dl_device") = nb::none(),
             nb::arg("copy") = nb::none())
        .def("__dlpack_device__",
             [](const DeviceArray& a) { return std::pair(a.device() < 0 ? 1 : 2, std::max(a.device(), 0)); })
        .def_prop_ro("__cuda_array_interface__", cuda_interface)
        .def_prop_ro("shape",
                     [](const DeviceArray& a) {
                         nb::list shape;
                         for (const std::size_t n : a.shape()) shape.append(n);
                         return nb::tuple(shape);
                     })
        .def_prop_ro("dtype",
                     [](const DeviceArray& a) {
                         constexpr std::array names{"float64", "int32", "int64", "uint8"};
                         return names.at(a.values().index());
                     })
        .def("to_numpy", numpy_of)
        .def("__len__", [](const DeviceArray& a) { return a.shape().at(0); });
}

void bind_device_particles(nb::module_& module)
{
    nb::class_<DeviceValues>(module, "DeviceValues",
                             "An array of another library on a device, which is borrowed.")
        .def(nb::init<nb::ndarray<nb::ro>>(), nb::arg("capsule"))
        .def(nb::init<std::uintptr_t, std::vector<std::size_t>,
                      const std::optional<std::vector<std::ptrdiff_t>>&, std::string, int, nb::object>(),
             nb::arg("pointer"), nb::arg("shape"), nb::arg("strides").none(), nb::arg("dtype"),
             nb::arg("device"), nb::arg("owner"))
        .def_prop_ro("shape", &DeviceValues::shape)
        .def("integers_on_host",
             [](const DeviceValues& values) { return to_numpy(values.integers_on_host()); })
        .def_prop_ro("dtype", &DeviceValues::dtype)
        .def_prop_ro("device", &DeviceValues::device);
    nb::class_<DeviceParticles>(module, "DeviceParticles", "Particles in the memory of a device.")
        .def(nb::init<int, std::size_t>(), nb::arg("device"), nb::arg("n"))
        .def(nb::init<int, const HostParticles&>(), nb::arg("device"), nb::arg("host"))
        .def("__len__", &DeviceParticles::size)
        .def("complete",
             [](DeviceParticles& particles) {
                 const DeviceCall call(particles.device());
                 particles.complete(call.exec(), {});
                 call.finish();
             })
        .def("columns_on_host", columns_on_host)
        .def("set_vectors", &DeviceParticles::set_vectors, nb::arg("velocities"), nb::arg("first"),
             nb::arg("parts"))
        .def("set_features", &DeviceParticles::set_features, nb::arg("values"))
        .def("set_masses", &DeviceParticles::set_masses, nb::arg("first"), nb::arg("n"), nb::arg("values"))
        .def("set_mass", &DeviceParticles::set_mass, nb::arg("first"), nb::arg("n"), nb::arg("mass"))
        .def("set_ids", &DeviceParticles::set_ids, nb::arg("values"))
        .def("set_types", &DeviceParticles::set_types, nb::arg("values"));
}

/// How many devices may be used; raises in a process that was forked after the use of one.
int device_count()
{
    expect_no_fork(0);
    const int n = device::count();
    if (n > 0) note_device_use();  // the driver is at work from now on
    return n;
}

}  // namespace

void bind_device_arrays(nb::module_& module)
{
    bind_array(module);
    bind_device_particles(module);
    module.def("empty_device_array", empty_array, nb::arg("device"), nb::arg("dtype"), nb::arg("shape"));
    module.def("device_count", device_count);
    module.def("why_no_device", device::why_no_device);
    module.def(
        "device_of_pointer",
        [](std::uintptr_t pointer) { return device::number_of(reinterpret_cast<const void*>(pointer)); },
        nb::arg("pointer"));
    module.def(
        "follow_stream",
        [](int number, std::uintptr_t stream) {
            const DeviceCall call(number);
            device::order_after(call.exec().stream, reinterpret_cast<CUstream_st*>(stream));
        },
        nb::arg("device"), nb::arg("stream"));
    module.def("transferred_bytes", transferred_bytes);
}

}  // namespace aureole::python
