// The papers that the documentation of methods names, as BibTeX. Documentation writes them as authors and
// year, "Barnes & Hut 1986"; a test finds those that are missing here.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace aureole {

struct Paper {
    std::string_view name;    ///< authors and year, as documentation writes them
    std::string_view bibtex;  ///< one entry
};

/// All papers in the order of their years, those of one year in the order of their names.
std::span<const Paper> bibliography();

/// The papers whose names stand in `text`, in the order of the bibliography.
std::vector<const Paper*> papers_in(std::string_view text);

namespace detail {

// A field has a file of its own, FIELD_papers.cpp.
std::span<const Paper> papers_of_numerics();
std::span<const Paper> papers_of_galaxies();
std::span<const Paper> papers_of_cosmology();
std::span<const Paper> papers_of_halos();

}  // namespace detail
}  // namespace aureole
