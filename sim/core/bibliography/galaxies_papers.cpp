// Papers of models of galaxies and clusters, and of orbits in them.
#include "sim/core/bibliography/bibliography.hpp"

namespace aureole::detail {

// clang-format off
constexpr Paper galaxies[] = {
{"Plummer 1911", R"(@article{Plummer1911,
  author    = {Plummer, H. C.},
  title     = {On the problem of distribution in globular star clusters},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {71},
  pages     = {460--470},
  year      = {1911},
  doi       = {10.1093/mnras/71.5.460}
}
)"},
{"Chandrasekhar 1943", R"(@article{Chandrasekhar1943,
  author    = {Chandrasekhar, S.},
  title     = {Dynamical friction. {I}. {G}eneral considerations: the coefficient of dynamical friction},
  journal   = {The Astrophysical Journal},
  volume    = {97},
  pages     = {255--262},
  year      = {1943},
  doi       = {10.1086/144517}
}
)"},
{"Henon 1959", R"(@article{Henon1959,
  author    = {H{\'e}non, M.},
  title     = {L'amas isochrone. I},
  journal   = {Annales d'Astrophysique},
  volume    = {22},
  pages     = {126--139},
  year      = {1959}
}
)"},
{"Einasto 1965", R"(@article{Einasto1965,
  author    = {Einasto, J.},
  title     = {On the construction of a composite model for the {G}alaxy and on the determination of the system of galactic parameters},
  journal   = {Trudy Astrofizicheskogo Instituta Alma-Ata},
  volume    = {5},
  pages     = {87--100},
  year      = {1965}
}
)"},
{"Polyachenko & Shukhman 1973", R"(@misc{PolyachenkoShukhman1973,
  author    = {Polyachenko, V. L. and Shukhman, I. G.},
  howpublished = {Soviet Astronomy},
  year      = {1973},
  note      = {title, volume and pages to be looked up}
}
)"},
{"Miyamoto & Nagai 1975", R"(@article{MiyamotoNagai1975,
  author    = {Miyamoto, M. and Nagai, R.},
  title     = {Three-dimensional models for the distribution of mass in galaxies},
  journal   = {Publications of the Astronomical Society of Japan},
  volume    = {27},
  pages     = {533--543},
  year      = {1975}
}
)"},
{"Osipkov 1979", R"(@article{Osipkov1979,
  author    = {Osipkov, L. P.},
  title     = {Spherical systems of gravitating bodies with an ellipsoidal velocity distribution},
  journal   = {Soviet Astronomy Letters},
  volume    = {5},
  pages     = {42--44},
  year      = {1979}
}
)"},
{"Merritt 1985", R"(@article{Merritt1985,
  author    = {Merritt, D.},
  title     = {Spherical stellar systems with spheroidal velocity distributions},
  journal   = {The Astronomical Journal},
  volume    = {90},
  pages     = {1027--1037},
  year      = {1985},
  doi       = {10.1086/113810}
}
)"},
{"Hernquist 1990", R"(@article{Hernquist1990,
  author    = {Hernquist, L.},
  title     = {An analytical model for spherical galaxies and bulges},
  journal   = {The Astrophysical Journal},
  volume    = {356},
  pages     = {359--364},
  year      = {1990},
  doi       = {10.1086/168845}
}
)"},
{"Long & Murali 1992", R"(@article{LongMurali1992,
  author    = {Long, K. and Murali, C.},
  title     = {Analytical potentials for barred galaxies},
  journal   = {The Astrophysical Journal},
  volume    = {397},
  pages     = {44--48},
  year      = {1992},
  doi       = {10.1086/171764}
}
)"},
{"Hernquist 1993", R"(@article{Hernquist1993,
  author    = {Hernquist, L.},
  title     = {N-body realizations of compound galaxies},
  journal   = {The Astrophysical Journal Supplement Series},
  volume    = {86},
  pages     = {389--400},
  year      = {1993},
  doi       = {10.1086/191784}
}
)"},
{"Dehnen 1993", R"(@article{Dehnen1993,
  author    = {Dehnen, W.},
  title     = {A family of potential-density pairs for spherical galaxies and bulges},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {265},
  pages     = {250--256},
  year      = {1993},
  doi       = {10.1093/mnras/265.1.250}
}
)"},
{"Burkert 1995", R"(@article{Burkert1995,
  author    = {Burkert, A.},
  title     = {The structure of dark matter halos in dwarf galaxies},
  journal   = {The Astrophysical Journal Letters},
  volume    = {447},
  pages     = {L25--L28},
  year      = {1995},
  doi       = {10.1086/309560}
}
)"},
{"Navarro, Frenk & White 1996", R"(@article{NavarroFrenkWhite1996,
  author    = {Navarro, J. F. and Frenk, C. S. and White, S. D. M.},
  title     = {The structure of cold dark matter halos},
  journal   = {The Astrophysical Journal},
  volume    = {462},
  pages     = {563--575},
  year      = {1996},
  doi       = {10.1086/177173}
}
)"},
{"Prugniel & Simien 1997", R"(@article{PrugnielSimien1997,
  author    = {Prugniel, Ph. and Simien, F.},
  title     = {The fundamental plane of early-type galaxies: non-homology of the spatial structure},
  journal   = {Astronomy and Astrophysics},
  volume    = {321},
  pages     = {111--122},
  year      = {1997}
}
)"},
{"Murray & Dermott 1999", R"(@book{MurrayDermott1999,
  author    = {Murray, C. D. and Dermott, S. F.},
  title     = {Solar System Dynamics},
  publisher = {Cambridge University Press},
  year      = {1999}
}
)"},
{"Dehnen 1999", R"(@article{Dehnen1999,
  author    = {Dehnen, W.},
  title     = {Simple distribution functions for stellar disks},
  journal   = {The Astronomical Journal},
  volume    = {118},
  pages     = {1201--1210},
  year      = {1999},
  doi       = {10.1086/301009}
}
)"},
{"Dehnen 2000", R"(@article{Dehnen2000,
  author    = {Dehnen, W.},
  title     = {The effect of the outer {L}indblad resonance of the {G}alactic bar on the local stellar velocity distribution},
  journal   = {The Astronomical Journal},
  volume    = {119},
  pages     = {800--812},
  year      = {2000},
  doi       = {10.1086/301226}
}
)"},
{"Cox & Gomez 2002", R"(@article{CoxGomez2002,
  author    = {Cox, D. P. and G{\'o}mez, G. C.},
  title     = {Analytical expressions for spiral arm gravitational potential and density},
  journal   = {The Astrophysical Journal Supplement Series},
  volume    = {142},
  pages     = {261--267},
  year      = {2002},
  doi       = {10.1086/341946}
}
)"},
{"Hashimoto et al. 2003", R"(@article{Hashimoto2003,
  author    = {Hashimoto, Y. and Funato, Y. and Makino, J.},
  title     = {To circularize or not to circularize? {O}rbital evolution of satellite galaxies},
  journal   = {The Astrophysical Journal},
  volume    = {582},
  pages     = {196--201},
  year      = {2003},
  doi       = {10.1086/344260}
}
)"},
{"Kazantzidis, Magorrian & Moore 2004", R"(@article{KazantzidisMagorrianMoore2004,
  author    = {Kazantzidis, S. and Magorrian, J. and Moore, B.},
  title     = {Generating equilibrium dark matter halos: inadequacies of the local {M}axwellian approximation},
  journal   = {The Astrophysical Journal},
  volume    = {601},
  pages     = {37--46},
  year      = {2004},
  doi       = {10.1086/380192}
}
)"},
{"Binney & Tremaine 2008", R"(@book{BinneyTremaine2008,
  author    = {Binney, J. and Tremaine, S.},
  title     = {Galactic Dynamics},
  edition   = {2},
  publisher = {Princeton University Press},
  year      = {2008}
}
)"},
{"Smith et al. 2015", R"(@article{Smith2015,
  author    = {Smith, R. and Flynn, C. and Candlish, G. N. and Fellhauer, M. and Gibson, B. K.},
  title     = {Simple and accurate modelling of the gravitational potential produced by thick and thin exponential discs},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {448},
  pages     = {2934--2940},
  year      = {2015},
  doi       = {10.1093/mnras/stv228}
}
)"},
{"Petts et al. 2016", R"(@article{Petts2016,
  author    = {Petts, J. A. and Read, J. I. and Gualandris, A.},
  title     = {A semi-analytic dynamical friction model for cored galaxies},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {463},
  pages     = {858--869},
  year      = {2016},
  doi       = {10.1093/mnras/stw2011}
}
)"},
{"Dehnen, Semczuk & Schoenrich 2023", R"(@article{DehnenSemczukSchoenrich2023,
  author    = {Dehnen, W. and Semczuk, M. and Sch{\"o}nrich, R.},
  title     = {Measuring bar pattern speeds from single simulation snapshots},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {518},
  pages     = {2712--2718},
  year      = {2023},
  doi       = {10.1093/mnras/stac3184}
}
)"},
};
// clang-format on

std::span<const Paper> papers_of_galaxies() { return galaxies; }

}  // namespace aureole::detail
