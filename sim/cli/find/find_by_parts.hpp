// `aureole find` on more particles than the device holds, or in as many parts as --parts says.
#pragma once

#include "sim/cli/find/find_groups.hpp"

namespace aureole::cli {

/// How many parts a search is cut into: those of --parts; on a device that has too little memory free for
/// particles, search and catalogue, as few as fit there. 0: all particles are searched at once. Says so in
/// print where --parts does not.
int parts_of_search(const Find& find);

/// Groups of the particles in host memory, by parts on the device; on the host, where the catalogue is made.
halo::Groups groups_by_parts(Find& find, int n_parts);

}  // namespace aureole::cli
