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
        const auto [file, is_new] = files_.try_emplace(component, file_of(component));
        if (is_new)
            file->second.write(content(component, series));
        else
            file->second.append(content(component, {basis, {series.moments.back()}}));
    }
    return names;
}

void CoefficientOutput::cut_back()
{
    files_.clear();
    std::vector<std::filesystem::path> others;
    for (const auto& entry : std::filesystem::directory_iterator(directory_))
        if (const auto number = io::coefficient_names.number_in(entry.path().filename().string());
            number && !series_.contains(static_cast<int>(*number)))
            others.push_back(entry.path());
    for (const std::filesystem::path& file : others) std::filesystem::remove(file);
    for (const auto& [component, moments] : series_)
        files_.try_emplace(component, file_of(component)).first->second.write(content(component, moments));
}

std::filesystem::path CoefficientOutput::file_of(int component) const
{
    return directory_ / io::coefficient_names.of(static_cast<std::uint64_t>(component));
}

io::CoefficientFile CoefficientOutput::content(int component,
                                               const gravity::scf::CoefficientSeries& series) const
{
    const bool stays_nbody = units_.nbody && file_units_ == FileUnits::run;
    const UnitSystem target = units_.of_files(file_units_);
    io::CoefficientFile file = to_file(scaled(series, units_.to_files(file_units_)));
    file.name = fmt::format("component {}", component);
    if (!stays_nbody) file.units = target;  // without units G is 1
    file.gravitational_constant = stays_nbody ? 1 : target.gravitational_constant();
    file.config = fmt::format("basis: {}\nn_max: {}\nl_max: {}\nscale: {}\n", file.basis, file.n_max,
                              file.l_max, file.scale);
    file.provenance = {{"Component", std::int64_t{component}}};
    for (const auto& [name, value] : provenance_) file.provenance.emplace_back(name, value);
    return file;
}

}  // namespace aureole::run
