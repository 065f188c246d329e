#include "sim/core/bibliography.hpp"

namespace aureole {
namespace {

// clang-format off
constexpr Paper papers[] = {
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
{"Zel'dovich 1970", R"(@article{Zeldovich1970,
  author    = {Zel'dovich, Ya. B.},
  title     = {Gravitational instability: an approximate theory for large density perturbations},
  journal   = {Astronomy and Astrophysics},
  volume    = {5},
  pages     = {84--89},
  year      = {1970}
}
)"},
{"Polyachenko & Shukhman 1973", R"(@misc{PolyachenkoShukhman1973,
  author    = {Polyachenko, V. L. and Shukhman, I. G.},
  howpublished = {Soviet Astronomy},
  year      = {1973},
  note      = {title, volume and pages to be looked up}
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
{"Hockney & Eastwood 1981", R"(@book{HockneyEastwood1981,
  author    = {Hockney, R. W. and Eastwood, J. W.},
  title     = {Computer Simulation Using Particles},
  publisher = {McGraw-Hill},
  address   = {New York},
  year      = {1981}
}
)"},
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
{"Bouchet et al. 1995", R"(@article{Bouchet1995,
  author    = {Bouchet, F. R. and Colombi, S. and Hivon, E. and Juszkiewicz, R.},
  title     = {Perturbative {L}agrangian approach to gravitational instability},
  journal   = {Astronomy and Astrophysics},
  volume    = {296},
  pages     = {575},
  year      = {1995}
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
{"Murray & Dermott 1999", R"(@book{MurrayDermott1999,
  author    = {Murray, C. D. and Dermott, S. F.},
  title     = {Solar System Dynamics},
  publisher = {Cambridge University Press},
  year      = {1999}
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
{"Binney & Tremaine 2008", R"(@book{BinneyTremaine2008,
  author    = {Binney, J. and Tremaine, S.},
  title     = {Galactic Dynamics},
  edition   = {2},
  publisher = {Princeton University Press},
  year      = {2008}
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
{"Sewell et al. 2015", R"(@inproceedings{Sewell2015,
  author    = {Sewell, C. and Lo, L.-t. and Heitmann, K. and Habib, S. and Ahrens, J.},
  title     = {Utilizing many-core accelerators for halo and center finding within a cosmology simulation},
  booktitle = {2015 IEEE 5th Symposium on Large Data Analysis and Visualization (LDAV)},
  year      = {2015},
  doi       = {10.1109/LDAV.2015.7348076}
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
{"Prokopenko, Sao & Lebrun-Grandie 2022", R"(@inproceedings{ProkopenkoSaoLebrunGrandie2022,
  author    = {Prokopenko, A. and Sao, P. and Lebrun-Grandi{\'e}, D.},
  title     = {A single-tree algorithm to compute the {E}uclidean minimum spanning tree on {GPU}s},
  booktitle = {Proceedings of the 51st International Conference on Parallel Processing},
  year      = {2022},
  doi       = {10.1145/3545008.3546185}
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

}  // namespace

std::span<const Paper> bibliography() { return papers; }

std::vector<const Paper*> papers_in(std::string_view text)
{
    std::vector<const Paper*> found;
    for (const Paper& paper : papers)
        if (text.find(paper.name) != std::string_view::npos) found.push_back(&paper);
    return found;
}

}  // namespace aureole
