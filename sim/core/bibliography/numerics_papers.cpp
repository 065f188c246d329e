// Papers of forces, time steps, meshes and random numbers.
#include "sim/core/bibliography/bibliography.hpp"

namespace aureole::detail {

// clang-format off
constexpr Paper numerics[] = {
{"Ewald 1921", R"(@article{Ewald1921,
  author    = {Ewald, P. P.},
  title     = {Die {B}erechnung optischer und elektrostatischer {G}itterpotentiale},
  journal   = {Annalen der Physik},
  volume    = {369},
  pages     = {253--287},
  year      = {1921},
  doi       = {10.1002/andp.19213690304}
}
)"},
{"Aarseth, Henon & Wielen 1974", R"(@article{AarsethHenonWielen1974,
  author    = {Aarseth, S. J. and H{\'e}non, M. and Wielen, R.},
  title     = {A comparison of numerical methods for the study of star cluster dynamics},
  journal   = {Astronomy and Astrophysics},
  volume    = {37},
  pages     = {183--187},
  year      = {1974}
}
)"},
{"Hockney & Eastwood 1981", R"(@book{HockneyEastwood1981,
  author    = {Hockney, R. W. and Eastwood, J. W.},
  title     = {Computer Simulation Using Particles},
  publisher = {McGraw-Hill},
  address   = {New York},
  year      = {1981}
}
)"},
{"Monaghan & Lattanzio 1985", R"(@article{MonaghanLattanzio1985,
  author    = {Monaghan, J. J. and Lattanzio, J. C.},
  title     = {A refined particle method for astrophysical problems},
  journal   = {Astronomy and Astrophysics},
  volume    = {149},
  pages     = {135--143},
  year      = {1985}
}
)"},
{"Barnes & Hut 1986", R"(@article{BarnesHut1986,
  author    = {Barnes, J. and Hut, P.},
  title     = {A hierarchical {O}({N} log {N}) force-calculation algorithm},
  journal   = {Nature},
  volume    = {324},
  pages     = {446--449},
  year      = {1986},
  doi       = {10.1038/324446a0}
}
)"},
{"Hernquist & Ostriker 1992", R"(@article{HernquistOstriker1992,
  author    = {Hernquist, L. and Ostriker, J. P.},
  title     = {A self-consistent field method for galactic dynamics},
  journal   = {The Astrophysical Journal},
  volume    = {386},
  pages     = {375--397},
  year      = {1992},
  doi       = {10.1086/171025}
}
)"},
{"Weinberg 1996", R"(@article{Weinberg1996,
  author    = {Weinberg, M. D.},
  title     = {High-accuracy minimum relaxation {N}-body simulations using orthogonal series force computation},
  journal   = {The Astrophysical Journal},
  volume    = {470},
  pages     = {715},
  year      = {1996},
  doi       = {10.1086/177902}
}
)"},
{"Quinn et al. 1997", R"(@misc{Quinn1997,
  author    = {Quinn, T. and Katz, N. and Stadel, J. and Lake, G.},
  title     = {Time stepping {N}-body simulations},
  eprint    = {astro-ph/9710043},
  archivePrefix = {arXiv},
  year      = {1997}
}
)"},
{"Vine & Sigurdsson 1998", R"(@article{VineSigurdsson1998,
  author    = {Vine, S. and Sigurdsson, S.},
  title     = {Simulations of spheroidal systems with substructure: trees in fields},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {295},
  pages     = {475--487},
  year      = {1998},
  doi       = {10.1046/j.1365-8711.1998.01325.x}
}
)"},
{"Bagla 2002", R"(@article{Bagla2002,
  author    = {Bagla, J. S.},
  title     = {{TreePM}: A code for cosmological {N}-body simulations},
  journal   = {Journal of Astrophysics and Astronomy},
  volume    = {23},
  pages     = {185--196},
  year      = {2002},
  doi       = {10.1007/BF02702282}
}
)"},
{"Dehnen 2002", R"(@article{Dehnen2002,
  author    = {Dehnen, W.},
  title     = {A hierarchical {O}({N}) force calculation algorithm},
  journal   = {Journal of Computational Physics},
  volume    = {179},
  pages     = {27--42},
  year      = {2002},
  doi       = {10.1006/jcph.2002.7026}
}
)"},
{"Power et al. 2003", R"(@article{Power2003,
  author    = {Power, C. and Navarro, J. F. and Jenkins, A. and Frenk, C. S. and White, S. D. M. and Springel, V. and Stadel, J. and Quinn, T.},
  title     = {The inner structure of {$\Lambda$CDM} haloes -- {I}. A numerical convergence study},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {338},
  pages     = {14--34},
  year      = {2003},
  doi       = {10.1046/j.1365-8711.2003.05925.x}
}
)"},
{"Springel 2005", R"(@article{Springel2005,
  author    = {Springel, V.},
  title     = {The cosmological simulation code {GADGET}-2},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {364},
  pages     = {1105--1134},
  year      = {2005},
  doi       = {10.1111/j.1365-2966.2005.09655.x}
}
)"},
{"Salmon et al. 2011", R"(@inproceedings{Salmon2011,
  author    = {Salmon, J. K. and Moraes, M. A. and Dror, R. O. and Shaw, D. E.},
  title     = {Parallel random numbers: as easy as 1, 2, 3},
  booktitle = {Proceedings of the International Conference for High Performance Computing, Networking, Storage and Analysis (SC11)},
  year      = {2011},
  doi       = {10.1145/2063384.2063405}
}
)"},
{"Lowing et al. 2011", R"(@article{Lowing2011,
  author    = {Lowing, B. and Jenkins, A. and Eke, V. and Frenk, C.},
  title     = {A halo expansion technique for approximating simulated dark matter haloes},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {416},
  pages     = {2697--2711},
  year      = {2011},
  doi       = {10.1111/j.1365-2966.2011.19222.x}
}
)"},
{"Sefusatti et al. 2016", R"(@article{Sefusatti2016,
  author    = {Sefusatti, E. and Crocce, M. and Scoccimarro, R. and Couchman, H. M. P.},
  title     = {Accurate estimators of correlation functions in {F}ourier space},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {460},
  pages     = {3624--3636},
  year      = {2016},
  doi       = {10.1093/mnras/stw1229}
}
)"},
{"Hozumi, Nitadori & Iwasawa 2023", R"(@article{HozumiNitadoriIwasawa2023,
  author    = {Hozumi, S. and Nitadori, K. and Iwasawa, M.},
  title     = {{SCF-FDPS}: a fast {N}-body code for simulating disk-halo systems},
  journal   = {The Astrophysical Journal},
  volume    = {948},
  pages     = {29},
  year      = {2023},
  doi       = {10.3847/1538-4357/acbea5}
}
)"},
};
// clang-format on

std::span<const Paper> papers_of_numerics() { return numerics; }

}  // namespace aureole::detail
