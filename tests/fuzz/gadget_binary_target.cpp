// Gadget binary snapshots, formats 1 and 2 and GADGET-4's, in one file or several.
#include "tests/fuzz/scratch.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/files/gadget_binary_writer.hpp"

namespace aureole::fuzz {
namespace {

using test::GadgetBinaryFile;

std::vector<std::string> seeds()
{
    GadgetBinaryFile plain, labelled{.format = 2}, big{.order = std::endian::big, .double_precision = true},
        fourth{.long_ids = true, .gadget4 = true};
    labelled.box_size = 10;
    labelled.omega0 = 0.3;
    labelled.redshift = 1;
    // GADGET-4's in format 2, and one of two files
    GadgetBinaryFile fifth{.format = 2, .gadget4 = true}, first{}, second{};
    for (GadgetBinaryFile* part : {&first, &second}) {
        part->n_files = 2;
        part->total = {4, 3, 0, 0, 1, 0};
    }
    second.count = {2, 0, 0, 0, 0, 0};
    return {plain.bytes(),  labelled.bytes(), big.bytes(),
            fourth.bytes(), fifth.bytes(),    join_files({first.bytes(), second.bytes()})};
}

void read(const std::string& input)
{
    clear_scratch();
    const std::vector<std::string> files = split_files(input);
    const std::string name(input_name);
    if (files.size() == 1)
        put(name, files[0]);
    else
        for (std::size_t k = 0; k < files.size() && k < 8; ++k) put(name + "." + std::to_string(k), files[k]);
    expect_sound(io::read_snapshot(scratch(name)));
}

}  // namespace

Target gadget_binary_target()
{
    return {.name = "gadget_binary",
            .seeds = seeds,
            .read = read,
            .dictionary = {"HEAD", "POS ", "VEL ", "ID  ", "MASS", "\n%%%%\n", std::string("\x08\0\0\0", 4),
                           std::string("\0\1\0\0", 4), std::string("\0\0\1\0", 4)}};
}

}  // namespace aureole::fuzz
