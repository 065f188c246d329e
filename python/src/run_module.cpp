// aureole._run: files and simulations, with HDF5. Docstrings for users stand in aureole/*.py.
#include "module.hpp"

#include "arrays.hpp"
#include "call.hpp"

NB_MODULE(_run, module)
{
    using namespace aureole::python;
    register_calls();
    nb::module_::import_("aureole._core");  // Particles is its class
    bind_files(module);
    bind_simulation(module);
    bind_live(module);
}
