#include "sim/core/bibliography/bibliography.hpp"

#include <algorithm>
#include <tuple>

namespace aureole {
namespace {

std::tuple<std::string_view, std::string_view> year_and_name(const Paper& paper)
{
    return {paper.name.substr(paper.name.size() - 4), paper.name};
}

std::vector<Paper> sorted_papers()
{
    std::vector<Paper> all;
    for (const auto papers : {detail::papers_of_numerics, detail::papers_of_galaxies,
                              detail::papers_of_cosmology, detail::papers_of_halos})
        all.insert(all.end(), papers().begin(), papers().end());
    std::ranges::sort(all, {}, year_and_name);
    return all;
}

}  // namespace

std::span<const Paper> bibliography()
{
    static const std::vector<Paper> papers = sorted_papers();
    return papers;
}

std::vector<const Paper*> papers_in(std::string_view text)
{
    std::vector<const Paper*> found;
    for (const Paper& paper : bibliography())
        if (text.find(paper.name) != std::string_view::npos) found.push_back(&paper);
    return found;
}

}  // namespace aureole
