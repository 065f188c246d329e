// aureole._run: files and simulations, with HDF5. Docstrings for users stand in aureole/*.py.
#include "module.hpp"

#include "arrays.hpp"
#include "call.hpp"

NB_MODULE(_run, module)
{
    using namespace aureole::python;
    const nb::module_ core = nb::module_::import_("aureole._core");  // Particles is its class
    register_calls(core.attr("_call_state"));
    module.def("num_threads", num_threads);
    bind_files(module);
    bind_simulation(module);
    bind_live(module);
}
