// The names by which users choose a centre: in configurations, on the command line and in Python.
#pragma once

#include <array>
#include <string_view>

#include "halo/centres/centres.hpp"

namespace aureole::halo {

struct CentreName {
    std::string_view name;
    Centre value;
};

inline constexpr std::array centre_names{CentreName{"most_bound", Centre::most_bound},
                                         CentreName{"most_bound_energy", Centre::most_bound_energy},
                                         CentreName{"most_connected", Centre::most_connected},
                                         CentreName{"poisson", Centre::poisson},
                                         CentreName{"mass", Centre::mass},
                                         CentreName{"shrinking_sphere", Centre::shrinking_sphere}};

}  // namespace aureole::halo
