#include "sim/run/outputs/coefficient_output.hpp"

#include "sim/analysis/expansion_file.hpp"

namespace aureole::run {

CoefficientOutput::CoefficientOutput(std::filesystem::path directory, const RunUnits& units,
                                     FileUnits file_units, io::Provenance provenance)
    : directory_(std::move(directory)),
      units_(units),
      file_units_(file_units),
      provenance_(std::move(provenance))
{
}

std::string CoefficientOutput::write(const std::vector<gravity::scf::ComponentCoefficients>& present,
                                     double time)
{
    std::string names;
    for (const auto& [component, basis, moment] : present) {
        auto& series = series_[component];
        series.basis = basis;
        names += (names.empty() ? "" : " ") + io::coefficient_names.of(static_cast<std::uint64_t>(component));
        if (!series.moments.empty() && !(time > series.moments.back().time)) continue;
        series.moments.push_back(moment);
        series.moments.back().time = time;
        write_file(component);
    }
    return names;
}

void CoefficientOutput::write_file(int component) const
{
    const bool stays_nbody = units_.nbody && file_units_ == FileUnits::run;
    const UnitSystem target = units_.of_files(file_units_);
    io::CoefficientFile file = to_file(scaled(series_.at(component), units_.to_files(file_units_)));
    file.name = fmt::format("component {}", component);
    if (!stays_nbody) file.units = target;  // without units G is 1
    file.gravitational_constant = stays_nbody ? 1 : target.gravitational_constant();
    file.config = fmt::format("basis: {}\nn_max: {}\nl_max: {}\nscale: {}\n", file.basis, file.n_max,
                              file.l_max, file.scale);
    file.provenance = {{"Component", std::int64_t{component}}};
    for (const auto& [name, value] : provenance_) file.provenance.emplace_back(name, value);
    io::write_coefficients(directory_ / io::coefficient_names.of(static_cast<std::uint64_t>(component)),
                           file);
}

}  // namespace aureole::run
