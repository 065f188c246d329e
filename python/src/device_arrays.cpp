#include "device_arrays.hpp"

#include <algorithm>
#include <limits>

#include "sim/core/memory/transfers.hpp"

namespace aureole::python {
namespace {

constexpr std::pair<const char*, NumberType> number_types[] = {
    {"float32", NumberType::float32}, {"float64", NumberType::float64}, {"int8", NumberType::int8},
    {"int16", NumberType::int16},     {"int32", NumberType::int32},     {"int64", NumberType::int64},
    {"uint8", NumberType::uint8},     {"uint16", NumberType::uint16},   {"uint32", NumberType::uint32},
    {"uint64", NumberType::uint64}};

std::string name_of(nb::dlpack::dtype type)
{
    constexpr const char* kinds[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
    const std::string kind = type.code < std::size(kinds) ? kinds[type.code] : "unknown";
    const std::string bits = kind == "bool" ? "" : std::to_string(type.bits);
    return kind + bits + (type.lanes == 1 ? "" : "x" + std::to_string(type.lanes));
}

std::ptrdiff_t bytes_of(const std::string& dtype)
{
    for (const auto& [name, type] : number_types)
        if (dtype == name) return std::stoi(dtype.substr(dtype.find_first_of("123468"))) / 8;
    return 1;  // of a type that is refused
}

void set_all(Exec exec, double value, Index n, double* to)
{
    const Buffer<double> one(exec.backend, std::span<const double>(&value, 1));
    widen(exec, {one.data(), n, 0, NumberType::float64}, to);
    if (exec.backend == Backend::cuda) device::wait(exec.stream);
}

double fetched(Exec exec, const double* from)
{
    double value = 0;
    if (exec.backend == Backend::cpu) return *from;
    device::copy(&value, from, sizeof value);
    return value;
}

}  // namespace

DeviceValues::DeviceValues(nb::ndarray<nb::ro> array) : array_(std::move(array))
{
    const nb::ndarray<nb::ro>& from = *array_;
    dtype_ = name_of(from.dtype());
    const auto bytes = static_cast<std::ptrdiff_t>(from.itemsize());
    for (std::size_t k = 0; k < from.ndim(); ++k) {
        shape_.push_back(from.shape(k));
        strides_.push_back(bytes * static_cast<std::ptrdiff_t>(from.stride(k)));
    }
    data_ = static_cast<const char*>(from.data());
    kind_ = from.device_type();
    device_ = from.device_id();
}

DeviceValues::DeviceValues(std::uintptr_t pointer, std::vector<std::size_t> shape,
                           const std::optional<std::vector<std::ptrdiff_t>>& strides, std::string dtype,
                           int device, nb::object owner)
    : data_(reinterpret_cast<const char*>(pointer)),
      shape_(std::move(shape)),
      dtype_(std::move(dtype)),
      kind_(device < 0 ? 1 : 2),
      device_(device < 0 ? 0 : device),
      owner_(std::move(owner))
{
    strides_.resize(shape_.size());
    std::ptrdiff_t next = bytes_of(dtype_);
    for (std::size_t k = shape_.size(); k-- > 0; next *= static_cast<std::ptrdiff_t>(shape_[k]))
        strides_[k] = next;
    if (!strides) return;
    AUREOLE_EXPECT(strides->size() == shape_.size(), "strides: found {}, expected {}, as many as dimensions",
                   strides->size(), shape_.size());
    strides_ = *strides;
}

StridedValues DeviceValues::column(std::size_t k, Index n) const
{
    const auto* const known = std::find_if(std::begin(number_types), std::end(number_types),
                                           [&](const auto& pair) { return dtype_ == pair.first; });
    AUREOLE_EXPECT(known != std::end(number_types), "found an array of {}, expected numbers", dtype_);
    StridedValues values{data_, n, 0, known->second};
    if (!shape_.empty()) values.stride = strides_[0];
    if (n > 0 && shape_.size() > 1)  // an empty array may have no address
        values.data = data_ + static_cast<std::ptrdiff_t>(k) * strides_[1];
    const std::ptrdiff_t bytes = bytes_of(dtype_);
    AUREOLE_EXPECT(
        n == 0 || (reinterpret_cast<std::uintptr_t>(values.data) % bytes == 0 && values.stride % bytes == 0),
        "found {} numbers at addresses that are no multiples of {} bytes, expected aligned ones", dtype_,
        bytes);
    return values;
}

std::vector<std::int64_t> DeviceValues::integers_on_host() const
{
    const auto n = static_cast<Index>(shape_.at(0));
    const DeviceCall call(kind_ == 1 ? -1 : device_);
    Buffer<std::uint64_t> wide(call.exec().backend, n);
    widen(call.exec(), column(0, n), wide.data());
    call.finish();
    std::vector<std::int64_t> values;
    for (const std::uint64_t value : wide.to_vector()) values.push_back(static_cast<std::int64_t>(value));
    return values;
}

DeviceCall::DeviceCall(int device, nb::handle progress)
    : exec_{device < 0 ? Backend::cpu : Backend::cuda},
      selection_(),
      call_((expect_no_fork(device), progress))
{
    if (device < 0) return;
    selection_.emplace(device);
    note_device_use();
}

void DeviceCall::finish() const
{
    if (exec_.backend == Backend::cuda) device::wait(exec_.stream);
}

DeviceArray::DeviceArray(int device, Values values, std::vector<std::size_t> shape)
    : device_(device), values_(std::move(values)), shape_(std::move(shape))
{
    if (device < 0) return;
    const device::Selection selection(device);
    std::visit(
        [](auto& buffer) {
            if (buffer.size() == 0) buffer = std::remove_reference_t<decltype(buffer)>(Backend::cuda, 1);
        },
        values_);
}

DeviceParticles::DeviceParticles(int device, std::size_t n) : device_(device), n_(static_cast<Index>(n))
{
    AUREOLE_EXPECT(n <= max_particles, "pos: found {} particles, expected at most {}", n, max_particles);
}

DeviceParticles::DeviceParticles(int device, const HostParticles& host) : DeviceParticles(device, host.size())
{
    const ConstParticlesView from = host.view();
    const DeviceCall call(device);
    const auto send = [&](Column& column, const double* values) {
        if (!values) return;
        column.own = Buffer<double>(where(), std::span(values, n_));
        column.data = column.own.data();
    };
    const double* const position[] = {from.position.x, from.position.y, from.position.z};
    const double* const velocity[] = {from.velocity.x, from.velocity.y, from.velocity.z};
    for (int k = 0; k < 3; ++k) {
        send(position_[k], position[k]);
        send(velocity_[k], velocity[k]);
    }
    send(mass_, from.mass);
    if (from.id) id_ = Buffer<std::uint64_t>(where(), std::span(from.id, n_));
    if (from.type) type_ = Buffer<ParticleType>(where(), std::span(from.type, n_));
}

ConstParticlesView DeviceParticles::view() const
{
    ConstParticlesView view{};
    view.n = n_;
    view.where = where();
    view.mass = mass_.data;
    view.position = {position_[0].data, position_[1].data, position_[2].data};
    view.velocity = {velocity_[0].data, velocity_[1].data, velocity_[2].data};
    view.id = id_.data();
    view.type = type_.data();
    return view;
}

double* DeviceParticles::own(Exec exec, Column& column)
{
    if (column.own.size() != n_) column.own = Buffer<double>(exec.backend, n_);
    column.data = column.own.data();
    return column.own.data();
}

void DeviceParticles::take(Exec exec, const StridedValues& from, std::size_t first, Column& to)
{
    if (from.n == n_ && from.type == NumberType::float64 && from.stride == sizeof(double))
        to.data = static_cast<const double*>(from.data);
    else
        widen(exec, from, own(exec, to) + first);
}

Refused DeviceParticles::set_vectors(bool velocities, std::size_t first,
                                     const std::vector<const DeviceValues*>& parts)
{
    Column* const to = velocities ? velocity_ : position_;
    const std::size_t n = parts.at(0)->shape().at(0);
    AUREOLE_EXPECT(first + n <= n_, "found {} vectors behind {}, expected {} in all", n, first, n_);
    for (const DeviceValues* part : parts) kept_.push_back(nb::find(part));
    const DeviceCall call(device_);
    for (std::size_t k = 0; k < 3; ++k) {
        const DeviceValues& part = *parts[parts.size() == 3 ? k : 0];
        take(call.exec(), part.column(k, static_cast<Index>(n)), first, to[k]);
    }
    for (int k = 0; k < 3; ++k) {
        const double* const values = to[k].data + first;
        const std::uint64_t at = first_beyond(call.exec(), values, static_cast<Index>(n),
                                              -std::numeric_limits<double>::infinity());
        if (at != no_value) return std::tuple{k, at, fetched(call.exec(), values + at)};
    }
    return {};
}

Refused DeviceParticles::set_features(const DeviceValues& values)
{
    const std::size_t features = values.shape().at(1);
    AUREOLE_EXPECT(values.shape()[0] == n_, "found {} rows, expected {}", values.shape()[0], n_);
    kept_.push_back(nb::find(&values));
    const DeviceCall call(device_);
    for (std::size_t k = 0; k < std::max(features, std::size_t{3}); ++k) {
        Column& to = k < 3 ? position_[k] : velocity_[k - 3];
        if (k < features)
            take(call.exec(), values.column(k, n_), 0, to);
        else
            set_all(call.exec(), 0, n_, own(call.exec(), to));
        const std::uint64_t at =
            first_beyond(call.exec(), to.data, n_, -std::numeric_limits<double>::infinity());
        if (at != no_value) return std::tuple{static_cast<int>(k), at, fetched(call.exec(), to.data + at)};
    }
    return {};
}

/// Masses that were not given are 0.
double* DeviceParticles::own_masses(Exec exec)
{
    const bool is_new = mass_.own.size() != n_;
    double* const masses = own(exec, mass_);
    if (is_new) set_all(exec, 0, n_, masses);
    return masses;
}

Refused DeviceParticles::set_masses(std::size_t first, std::size_t n, const DeviceValues& values)
{
    AUREOLE_EXPECT(first + n <= n_, "found {} masses behind {}, expected {} in all", n, first, n_);
    kept_.push_back(nb::find(&values));
    const DeviceCall call(device_);
    if (n < n_) own_masses(call.exec());
    take(call.exec(), values.column(0, static_cast<Index>(n)), first, mass_);
    for (const double least : {-std::numeric_limits<double>::infinity(), 0.0}) {
        const std::uint64_t at = first_beyond(call.exec(), mass_.data + first, static_cast<Index>(n), least);
        if (at != no_value) return std::tuple{0, at, fetched(call.exec(), mass_.data + first + at)};
    }
    return {};
}

void DeviceParticles::set_mass(std::size_t first, std::size_t n, double mass)
{
    AUREOLE_EXPECT(first + n <= n_, "found {} masses behind {}, expected {} in all", n, first, n_);
    const DeviceCall call(device_);
    set_all(call.exec(), mass, static_cast<Index>(n), own_masses(call.exec()) + first);
}

void DeviceParticles::set_ids(const DeviceValues& values)
{
    const DeviceCall call(device_);
    id_ = Buffer<std::uint64_t>(where(), n_);
    widen(call.exec(), values.column(0, n_), id_.data());
    call.finish();
}

Refused DeviceParticles::set_types(const DeviceValues& values)
{
    const DeviceCall call(device_);
    Buffer<std::uint64_t> wide(where(), n_);
    widen(call.exec(), values.column(0, n_), wide.data());
    const std::uint64_t at = first_beyond(call.exec(), wide.data(), n_, n_particle_types - 1);
    if (at != no_value) {
        Buffer<double> one(where(), 1);
        StridedValues refused = values.column(0, 1);
        refused.data =
            static_cast<const char*>(refused.data) + static_cast<std::ptrdiff_t>(at) * refused.stride;
        widen(call.exec(), refused, one.data());
        call.finish();
        return std::tuple{0, at, one.to_vector()[0]};
    }
    type_ = Buffer<ParticleType>(where(), n_);
    narrow(call.exec(), wide.data(), n_, type_.data());
    call.finish();
    return {};
}

void DeviceParticles::complete(Exec exec, const Box& box)
{
    if (n_ == 0) return;
    for (Column& column : position_) {
        if (!box.periodic()) break;
        if (column.data != column.own.data()) column.own = copied(exec, column.data, n_);
        column.data = column.own.data();
        wrap_values(exec, box, column.own.data(), n_);
    }
    for (Column* column : {&velocity_[0], &velocity_[1], &velocity_[2], &mass_})
        if (!column->data) set_all(exec, 0, n_, own(exec, *column));
    if (id_.size() == 0) {
        id_ = Buffer<std::uint64_t>(exec.backend, n_);
        count_up(exec, id_.data(), n_);
    }
    if (type_.size() > 0) return;
    constexpr std::uint64_t one = 1;
    const Buffer<std::uint64_t> value(exec.backend, std::span(&one, 1));
    Buffer<std::uint64_t> wide(exec.backend, n_);
    widen(exec, {value.data(), n_, 0, NumberType::uint64}, wide.data());
    type_ = Buffer<ParticleType>(exec.backend, n_);
    narrow(exec, wide.data(), n_, type_.data());
    if (exec.backend == Backend::cuda) device::wait(exec.stream);
}

template <class T>
void DeviceParticles::fetch(T* to, const T* from) const
{
    if (where() == Backend::cpu)
        std::copy(from, from + n_, to);
    else
        device::copy(to, from, n_ * sizeof *from);
}

std::vector<Vec3> DeviceParticles::positions_on_host() const
{
    std::vector<double> axis(n_);
    std::vector<Vec3> positions(n_);
    double Vec3::*const parts[] = {&Vec3::x, &Vec3::y, &Vec3::z};
    for (std::size_t k = 0; k < 3; ++k) {
        fetch(axis.data(), position_[k].data);
        for (std::size_t i = 0; i < n_; ++i) positions[i].*parts[k] = axis[i];
    }
    return positions;
}

Particles DeviceParticles::to_host() const
{
    Particles host(Backend::cpu, n_);
    const std::pair<Vec3Buffer*, const Column*> vectors[] = {{&host.position, position_},
                                                             {&host.velocity, velocity_}};
    for (const auto& [to, from] : vectors) {
        fetch(to->x.data(), from[0].data);
        fetch(to->y.data(), from[1].data);
        fetch(to->z.data(), from[2].data);
    }
    fetch(host.mass.data(), mass_.data);
    fetch(host.id.data(), id_.data());
    fetch(host.type.data(), type_.data());
    return host;
}

std::pair<std::uint64_t, std::uint64_t> transferred_bytes()
{
    const device::Transfers moved = device::transfers();
    return {moved.to_host.bytes, moved.to_device.bytes};
}

}  // namespace aureole::python
