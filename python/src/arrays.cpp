#include "arrays.hpp"

#include <algorithm>

namespace aureole::python {
namespace {

/// A null pointer means that an array is absent; one without elements is there.
template <class T>
const T* pointer_to(const Values<T>& values)
{
    static const T nothing{};
    return values.shape(0) == 0 ? &nothing : values.data();
}

template <class T>
const T* pointer_to(const Maybe<T>& values)
{
    return values ? pointer_to(*values) : nullptr;
}

template <class T>
void copy_values(Buffer<T>& to, const T* from)
{
    if (from) std::copy(from, from + to.size(), to.data());
}

}  // namespace

HostParticles::HostParticles(Numbers x, Numbers y, Numbers z, Maybe<double> vx, Maybe<double> vy,
                             Maybe<double> vz, Maybe<double> mass, Maybe<std::uint64_t> id,
                             Maybe<ParticleType> type)
    : position_{std::move(x), std::move(y), std::move(z)},
      velocity_{std::move(vx), std::move(vy), std::move(vz)},
      mass_(std::move(mass)),
      id_(std::move(id)),
      type_(std::move(type))
{
    const auto expect_length = [this](const auto& values, const char* name) {
        AUREOLE_EXPECT(!values || values->shape(0) == size(), "{}: found {} entries, expected {}", name,
                       values->shape(0), size());
    };
    AUREOLE_EXPECT(position_[1].shape(0) == size() && position_[2].shape(0) == size(),
                   "pos: found columns of {}, {} and {} entries, expected as many in each", size(),
                   position_[1].shape(0), position_[2].shape(0));
    AUREOLE_EXPECT(size() <= max_particles, "pos: found {} particles, expected at most {}", size(),
                   max_particles);
    for (const Maybe<double>& v : velocity_) expect_length(v, "vel");
    expect_length(mass_, "mass");
    expect_length(id_, "ids");
    expect_length(type_, "types");
}

ConstParticlesView HostParticles::view() const
{
    ConstParticlesView view{};
    view.n = static_cast<Index>(size());
    view.where = Backend::cpu;
    view.mass = pointer_to(mass_);
    view.position = {pointer_to(position_[0]), pointer_to(position_[1]), pointer_to(position_[2])};
    view.velocity = {pointer_to(velocity_[0]), pointer_to(velocity_[1]), pointer_to(velocity_[2])};
    view.id = pointer_to(id_);
    view.type = pointer_to(type_);
    return view;
}

Particles HostParticles::copy() const
{
    Particles copy(Backend::cpu, size());
    const ConstParticlesView from = view();
    copy_values(copy.mass, from.mass);
    copy_values(copy.position.x, from.position.x);
    copy_values(copy.position.y, from.position.y);
    copy_values(copy.position.z, from.position.z);
    copy_values(copy.velocity.x, from.velocity.x);
    copy_values(copy.velocity.y, from.velocity.y);
    copy_values(copy.velocity.z, from.velocity.z);
    for (Index i = 0; i < from.n; ++i) copy.id.data()[i] = from.id_of(i);
    copy_values(copy.type, from.type);
    return copy;
}

std::vector<double> rows_of(const Vec3Buffer& columns, std::size_t first, std::size_t n)
{
    std::vector<double> rows(3 * n);
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 row = columns.load(first + i);
        rows[3 * i] = row.x;
        rows[3 * i + 1] = row.y;
        rows[3 * i + 2] = row.z;
    }
    return rows;
}

void bind_particles(nb::module_& module)
{
    nb::class_<HostParticles>(module, "Particles", "Particles in arrays of numpy, which are borrowed.")
        .def(nb::init<Numbers, Numbers, Numbers, Maybe<double>, Maybe<double>, Maybe<double>, Maybe<double>,
                      Maybe<std::uint64_t>, Maybe<ParticleType>>(),
             nb::arg("x"), nb::arg("y"), nb::arg("z"), nb::arg("vx") = nb::none(), nb::arg("vy") = nb::none(),
             nb::arg("vz") = nb::none(), nb::arg("mass") = nb::none(), nb::arg("ids") = nb::none(),
             nb::arg("types") = nb::none())
        .def("__len__", &HostParticles::size);
}

}  // namespace aureole::python
