// A solver whose field is a formula and does not care where the particles are: exact, and on any backend (it
// visits the host, which tests may).
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "gravity/solver.hpp"
#include "sim/core/device.hpp"

namespace aureole::test {

class FrozenPotential final : public gravity::Stateless<gravity::Solver> {
public:
    /// The acceleration at a place and a time.
    using Field = std::function<Vec3(Vec3, double)>;

    explicit FrozenPotential(Field field) : field_(std::move(field)) {}

    void prepare(Exec, const ConstParticlesView&, const gravity::SourceRequest& request,
                 const gravity::TargetRequest&) override
    {
        time_ = request.time;
        box_ = request.box;
    }
    void evaluate(Exec, const ConstParticlesView& p, const gravity::TargetRequest& request,
                  const gravity::ForceOutputs& outputs) override
    {
        requests.push_back({.time = time_,
                            .potential = outputs.potential != nullptr,
                            .targets = request.targets,
                            .box = box_});
        const auto x = host(p, p.position.x), y = host(p, p.position.y), z = host(p, p.position.z);
        std::vector<double> ax(p.n), ay(p.n), az(p.n);
        for (Index i = 0; i < p.n; ++i) {
            const Vec3 a = field_({x[i], y[i], z[i]}, time_);
            ax[i] = a.x;
            ay[i] = a.y;
            az[i] = a.z;
        }
        store(p, outputs.acceleration.x, ax);
        store(p, outputs.acceleration.y, ay);
        store(p, outputs.acceleration.z, az);
    }
    std::size_t scratch_bytes(Backend, std::size_t) const override { return 0; }
    gravity::EnergyTerms energy_terms() const override { return {}; }

    std::vector<gravity::ForceRequest> requests;  ///< all evaluations

private:
    static std::vector<double> host(const ConstParticlesView& p, const double* values)
    {
        std::vector<double> result(values, values + (p.where == Backend::cpu ? p.n : 0));
        result.resize(p.n);
        if (p.where == Backend::cuda) device::copy(result.data(), values, p.n * sizeof(double));
        return result;
    }
    static void store(const ConstParticlesView& p, double* to, const std::vector<double>& values)
    {
        if (p.where == Backend::cuda)
            device::copy(to, values.data(), p.n * sizeof(double));
        else
            std::copy(values.begin(), values.end(), to);
    }

    Field field_;
    double time_ = 0;
    Box box_;
};

/// -x / r^3: a unit point mass at the origin.
inline Vec3 kepler_field(Vec3 x, double)
{
    const double r2 = dot(x, x);
    return -1 / (r2 * std::sqrt(r2)) * x;
}

/// Hernquist (1990) with M = a = 1.
inline Vec3 hernquist_field(Vec3 x, double)
{
    const double r = std::sqrt(dot(x, x));
    return -1 / (r * (1 + r) * (1 + r)) * x;
}

}  // namespace aureole::test
