// Papers of initial conditions, spectra and mass functions.
#include "sim/core/bibliography/bibliography.hpp"

namespace aureole::detail {

// clang-format off
constexpr Paper cosmology[] = {
{"Zel'dovich 1970", R"(@article{Zeldovich1970,
  author    = {Zel'dovich, Ya. B.},
  title     = {Gravitational instability: an approximate theory for large density perturbations},
  journal   = {Astronomy and Astrophysics},
  volume    = {5},
  pages     = {84--89},
  year      = {1970}
}
)"},
{"Press & Schechter 1974", R"(@article{PressSchechter1974,
  author    = {Press, W. H. and Schechter, P.},
  title     = {Formation of galaxies and clusters of galaxies by self-similar gravitational condensation},
  journal   = {The Astrophysical Journal},
  volume    = {187},
  pages     = {425--438},
  year      = {1974},
  doi       = {10.1086/152650}
}
)"},
{"Bouchet et al. 1995", R"(@article{Bouchet1995,
  author    = {Bouchet, F. R. and Colombi, S. and Hivon, E. and Juszkiewicz, R.},
  title     = {Perturbative {L}agrangian approach to gravitational instability},
  journal   = {Astronomy and Astrophysics},
  volume    = {296},
  pages     = {575},
  year      = {1995}
}
)"},
{"Eisenstein & Hu 1998", R"(@article{EisensteinHu1998,
  author    = {Eisenstein, D. J. and Hu, W.},
  title     = {Baryonic features in the matter transfer function},
  journal   = {The Astrophysical Journal},
  volume    = {496},
  pages     = {605--614},
  year      = {1998},
  doi       = {10.1086/305424}
}
)"},
{"Jenkins et al. 1998", R"(@article{Jenkins1998,
  author    = {Jenkins, A. and Frenk, C. S. and Pearce, F. R. and Thomas, P. A. and Colberg, J. M. and White, S. D. M. and Couchman, H. M. P. and Peacock, J. A. and Efstathiou, G. and Nelson, A. H.},
  title     = {Evolution of structure in cold dark matter universes},
  journal   = {The Astrophysical Journal},
  volume    = {499},
  pages     = {20--40},
  year      = {1998},
  doi       = {10.1086/305630}
}
)"},
{"Sheth & Tormen 1999", R"(@article{ShethTormen1999,
  author    = {Sheth, R. K. and Tormen, G.},
  title     = {Large-scale bias and the peak background split},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {308},
  pages     = {119--126},
  year      = {1999},
  doi       = {10.1046/j.1365-8711.1999.02692.x}
}
)"},
{"Jenkins et al. 2001", R"(@article{Jenkins2001,
  author    = {Jenkins, A. and Frenk, C. S. and White, S. D. M. and Colberg, J. M. and Cole, S. and Evrard, A. E. and Couchman, H. M. P. and Yoshida, N.},
  title     = {The mass function of dark matter haloes},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {321},
  pages     = {372--384},
  year      = {2001},
  doi       = {10.1046/j.1365-8711.2001.04029.x}
}
)"},
{"Warren et al. 2006", R"(@article{Warren2006,
  author    = {Warren, M. S. and Abazajian, K. and Holz, D. E. and Teodoro, L.},
  title     = {Precision determination of the mass function of dark matter halos},
  journal   = {The Astrophysical Journal},
  volume    = {646},
  pages     = {881--885},
  year      = {2006},
  doi       = {10.1086/504962}
}
)"},
{"Tinker et al. 2008", R"(@article{Tinker2008,
  author    = {Tinker, J. and Kravtsov, A. V. and Klypin, A. and Abazajian, K. and Warren, M. and Yepes, G. and Gottl{\"o}ber, S. and Holz, D. E.},
  title     = {Toward a halo mass function for precision cosmology: the limits of universality},
  journal   = {The Astrophysical Journal},
  volume    = {688},
  pages     = {709--728},
  year      = {2008},
  doi       = {10.1086/591439}
}
)"},
{"Crocce et al. 2010", R"(@article{Crocce2010,
  author    = {Crocce, M. and Fosalba, P. and Castander, F. J. and Gazta{\~n}aga, E.},
  title     = {Simulating the {U}niverse with {MICE}: the abundance of massive clusters},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {403},
  pages     = {1353--1367},
  year      = {2010},
  doi       = {10.1111/j.1365-2966.2009.16194.x}
}
)"},
{"Watson et al. 2013", R"(@article{Watson2013,
  author    = {Watson, W. A. and Iliev, I. T. and D'Aloisio, A. and Knebe, A. and Shapiro, P. R. and Yepes, G.},
  title     = {The halo mass function through the cosmic ages},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {433},
  pages     = {1230--1245},
  year      = {2013},
  doi       = {10.1093/mnras/stt791}
}
)"},
{"Angulo & Pontzen 2016", R"(@article{AnguloPontzen2016,
  author    = {Angulo, R. E. and Pontzen, A.},
  title     = {Cosmological {N}-body simulations with suppressed variance},
  journal   = {Monthly Notices of the Royal Astronomical Society: Letters},
  volume    = {462},
  pages     = {L1--L5},
  year      = {2016},
  doi       = {10.1093/mnrasl/slw098}
}
)"},
{"Garrison et al. 2016", R"(@article{Garrison2016,
  author    = {Garrison, L. H. and Eisenstein, D. J. and Ferrer, D. and Metchnik, M. V. and Pinto, P. A.},
  title     = {Improving initial conditions for cosmological {N}-body simulations},
  journal   = {Monthly Notices of the Royal Astronomical Society},
  volume    = {461},
  pages     = {4125--4145},
  year      = {2016},
  doi       = {10.1093/mnras/stw1594}
}
)"},
};
// clang-format on

std::span<const Paper> papers_of_cosmology() { return cosmology; }

}  // namespace aureole::detail
