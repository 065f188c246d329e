// Directories of runs as the page of `aureole watch` sees them.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>

#include "call.hpp"
#include "module.hpp"
#include "sim/live/run_view.hpp"

namespace aureole::python {
namespace {

namespace fs = std::filesystem;
using live::RunView;

std::unique_ptr<RunView> view_of(const fs::path& directory)
{
    const Call call;
    live::expect_run(directory);
    return std::make_unique<RunView>(directory);
}

std::string state(RunView& view)
{
    const Call call;
    return view.state();
}

nb::object rows(const RunView& view, const std::string& log, std::uint64_t from, std::uint64_t most)
{
    std::optional<live::LogRows> found;
    {
        const Call call;
        found = view.rows(log, from, most);
    }
    if (!found) return nb::none();
    return nb::make_tuple(found->text, found->next);
}

nb::object picture(const RunView& view, unsigned number)
{
    std::optional<live::PictureFile> found;
    {
        const Call call;
        found = view.picture(number);
    }
    if (!found) return nb::none();
    return nb::make_tuple(nb::bytes(found->png.data(), found->png.size()), found->time);
}

}  // namespace

void bind_live(nb::module_& module)
{
    nb::class_<RunView>(module, "RunView", "What a page shows of a run's directory.")
        .def("state", state)
        .def("rows", rows, nb::arg("log"), nb::arg("first"), nb::arg("most"))
        .def("picture", picture, nb::arg("number"));
    module.def("view_run", view_of, nb::arg("directory"));
}

}  // namespace aureole::python
