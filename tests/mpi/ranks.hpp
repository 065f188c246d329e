// The ranks that run the tests of this folder.
#pragma once

#include "sim/comm/communicator.hpp"

namespace aureole::test {

comm::Communicator& ranks();

}  // namespace aureole::test
