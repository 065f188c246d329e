// aureole._core: arrays in, arrays out. It reads and writes no file. Its callers in aureole/*.py check and
// convert arguments; docstrings for users stand there.
#include "device_arrays.hpp"
#include "module.hpp"

NB_MODULE(_core, module)
{
    using namespace aureole::python;
    register_calls();
    bind_particles(module);
    bind_device_arrays(module);
    bind_groups(module);
    bind_catalogue(module);
    bind_gravity(module);
    bind_device_gravity(module);
    bind_density(module);
    bind_sheet(module);
    module.def("set_num_threads", set_num_threads, nb::arg("threads"));
    module.def("num_threads", num_threads);
    module.attr("_call_state") = call_state();
}
