// Particles that the caller has read from a snapshot.
#include "ics/check_config.hpp"
#include "ics/model.hpp"

namespace aureole::ics {
namespace {

class File final : public ComponentModel {
public:
    void check(const std::string& where, const Component& c) const override
    {
        AUREOLE_EXPECT(c.given != nullptr, "{}: no particles given", where);
        AUREOLE_EXPECT(c.given->where() == Backend::cpu, "{}: the particles given are not in host memory",
                       where);
        if (c.given->size() == 0) refuse(where, "the file holds no particles, expected at least 1");
    }
    std::uint64_t particles(const Component& c) const override { return c.given->size(); }
    double carried_mass(const Component& c) const override
    {
        double sum = 0;
        for (double mass : c.given->mass.host()) sum += mass;
        return sum;
    }
    bool stays_in_place(const Component& c) const override { return !c.recenter; }
    bool reads_file() const override { return true; }
    bool has_profile() const override { return false; }

    /// Ids of a file that is the only component stay.
    void fill(const ParticlesView& p, const Slot& slot, const Config& config,
              std::size_t number) const override
    {
        const Component& component = config.components[number];
        const bool keep_ids = config.components.size() == 1;
        const auto mass = component.given->mass.host();
        const auto& x = component.given->position;
        const auto& v = component.given->velocity;
        for (Index k = 0; k < slot.n; ++k) {
            const Index i = slot.first + k;
            p.mass[i] = mass[k];
            p.position.store(i, slot.centre.position + Vec3{x.x.data()[k], x.y.data()[k], x.z.data()[k]});
            p.velocity.store(i, slot.centre.velocity + component.velocity_factor *
                                                           Vec3{v.x.data()[k], v.y.data()[k], v.z.data()[k]});
            p.type[i] = component.given->type.data()[k];
            if (keep_ids) p.id[i] = component.given->id.data()[k];
        }
    }
};

}  // namespace

std::unique_ptr<ComponentModel> make_file_model() { return std::make_unique<File>(); }

std::vector<Setting<Component>> file_settings()
{
    return {setting("recenter", Quantity::number, &Component::recenter,
                    "the particles of a file may be shifted to the barycentre of the system")};
}

}  // namespace aureole::ics
