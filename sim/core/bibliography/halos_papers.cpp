// Papers of groups, their centres and masses, and of the phase-space sheet.
#include "sim/core/bibliography/bibliography.hpp"

namespace aureole::detail {

// clang-format off
constexpr Paper halos[] = {
{"Davis et al. 1985", R"(@article{Davis1985,
  author    = {Davis, M. and Efstathiou, G. and Frenk, C. S. and White, S. D. M.},
  title     = {The evolution of large-scale structure in a universe dominated by cold dark matter},
  journal   = {The Astrophysical Journal},
  volume    = {292},
  pages     = {371--394},
  year      = {1985},
  doi       = {10.1086/163168}
}
)"},
{"Lacey & Cole 1994", R"(@article{LaceyCole1994,
  author    = {Lacey, C. and Cole, S.},
  title     = {Merger rates in hierarchical models of galaxy formation -- {II}. Comparison with {N}-body simulations},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {271},
  pages     = {676--692},
  year      = {1994},
  doi       = {10.1093/mnras/271.3.676}
}
)"},
{"Ester et al. 1996", R"(@inproceedings{Ester1996,
  author    = {Ester, M. and Kriegel, H.-P. and Sander, J. and Xu, X.},
  title     = {A density-based algorithm for discovering clusters in large spatial databases with noise},
  booktitle = {Proceedings of the Second International Conference on Knowledge Discovery and Data Mining},
  pages     = {226--231},
  year      = {1996}
}
)"},
{"Bryan & Norman 1998", R"(@article{BryanNorman1998,
  author    = {Bryan, G. L. and Norman, M. L.},
  title     = {Statistical properties of {X}-ray clusters: analytic and numerical comparisons},
  journal   = {The Astrophysical Journal},
  volume    = {495},
  pages     = {80--99},
  year      = {1998},
  doi       = {10.1086/305262}
}
)"},
{"Abel, Hahn & Kaehler 2012", R"(@article{AbelHahnKaehler2012,
  author    = {Abel, T. and Hahn, O. and Kaehler, R.},
  title     = {Tracing the dark matter sheet in phase space},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {427},
  pages     = {61--76},
  year      = {2012},
  doi       = {10.1111/j.1365-2966.2012.21754.x}
}
)"},
{"Behroozi, Wechsler & Wu 2013", R"(@article{BehrooziWechslerWu2013,
  author    = {Behroozi, P. S. and Wechsler, R. H. and Wu, H.-Y.},
  title     = {The {R}ockstar phase-space temporal halo finder and the velocity offsets of cluster cores},
  journal   = {The Astrophysical Journal},
  volume    = {762},
  pages     = {109},
  year      = {2013},
  doi       = {10.1088/0004-637X/762/2/109}
}
)"},
{"Campello, Moulavi & Sander 2013", R"(@inproceedings{CampelloMoulaviSander2013,
  author    = {Campello, R. J. G. B. and Moulavi, D. and Sander, J.},
  title     = {Density-based clustering based on hierarchical density estimates},
  booktitle = {Advances in Knowledge Discovery and Data Mining (PAKDD 2013)},
  pages     = {160--172},
  year      = {2013},
  doi       = {10.1007/978-3-642-37456-2_14}
}
)"},
{"Sewell et al. 2015", R"(@inproceedings{Sewell2015,
  author    = {Sewell, C. and Lo, L.-t. and Heitmann, K. and Habib, S. and Ahrens, J.},
  title     = {Utilizing many-core accelerators for halo and center finding within a cosmology simulation},
  booktitle = {2015 IEEE 5th Symposium on Large Data Analysis and Visualization (LDAV)},
  year      = {2015},
  doi       = {10.1109/LDAV.2015.7348076}
}
)"},
{"Prokopenko, Sao & Lebrun-Grandie 2022", R"(@inproceedings{ProkopenkoSaoLebrunGrandie2022,
  author    = {Prokopenko, A. and Sao, P. and Lebrun-Grandi{\'e}, D.},
  title     = {A single-tree algorithm to compute the {E}uclidean minimum spanning tree on {GPU}s},
  booktitle = {Proceedings of the 51st International Conference on Parallel Processing},
  year      = {2022},
  doi       = {10.1145/3545008.3546185}
}
)"},
};
// clang-format on

std::span<const Paper> papers_of_halos() { return halos; }

}  // namespace aureole::detail
