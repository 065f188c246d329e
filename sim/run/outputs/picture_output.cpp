#include "sim/run/outputs/picture_output.hpp"

#include <memory>

#include "sim/io/images/image.hpp"
#include "sim/run/comoving.hpp"
#include "sim/run/outputs/output_names.hpp"

namespace aureole::run {
namespace {

bool same(const std::optional<Vec3>& a, const std::optional<Vec3>& b)
{
    if (!a || !b) return a.has_value() == b.has_value();
    return a->x == b->x && a->y == b->y && a->z == b->z;
}

const std::array<const io::NumberedName*, 2> names{&picture_names, &zoom_names};

}  // namespace

PictureOutput::PictureOutput(const Config& config, const Config& internal)
    : config_(config), internal_(internal), units_(config.units.value())
{
}

PictureOptions PictureOutput::common_options() const
{
    PictureOptions options;
    options.axis = config_.pictures.axis;
    options.side = box_of(internal_).side;
    options.pixels = config_.pictures.pixels;
    options.colour_by = colour_by_of(config_.pictures.colour_by);
    options.length_unit = units_.name(Quantity::length);
    return options;
}

std::vector<PictureOptions> PictureOutput::configured() const
{
    const PicturesConfig& pictures = internal_.pictures;
    std::vector<PictureOptions> all{common_options()};
    all[0].width = pictures.width;
    all[0].centre = pictures.centre;
    if (!(pictures.zoom.width > 0)) return all;
    all.push_back(common_options());
    all[1].width = pictures.zoom.width;
    all[1].centre = pictures.zoom.centre ? pictures.zoom.centre : pictures.centre;
    return all;
}

std::string PictureOutput::shown_time(double time) const
{
    return (units_.comoving() ? "a = " : "t = ") +
           time_text(time * units_.from_internal(Quantity::time), units_);
}

std::vector<DrawnPicture> PictureOutput::draw(Simulation& simulation, const halo::GroupsView* groups,
                                              const Table* catalogue, const Progress& progress)
{
    const Exec exec = simulation.exec();
    const ConstParticlesView particles = simulation.view();
    const std::vector<PictureOptions> fields = configured();
    std::vector<DrawnPicture> drawn;
    for (std::size_t k = 0; k < fields.size(); ++k) {
        std::optional<PictureOptions>& frame = frames_[k];
        // a resumed run may be coloured by velocity for the first time
        if (!frame || (frame->colour_by == ColourBy::velocity && !frame->velocities)) {
            PictureOptions options = frame ? *frame : fields[k];
            if (k > 0 && !options.centre) options.centre = frames_[0]->centre;
            frame = painter_.with_fixed_frame(exec, particles, options, progress);
        }
        PictureOptions options = *frame;
        options.time_text = shown_time(simulation.time());
        if (catalogue) options.halos = halo_circles(*catalogue);
        const std::int32_t* const labels =
            groups && options.colour_by == ColourBy::halo ? groups->label : nullptr;
        drawn.push_back(painter_.draw(exec, particles, options, labels, progress));
    }
    return drawn;
}

/// The background thread adds circles and texts, too: it has all that they need.
std::string PictureOutput::begin(std::vector<DrawnPicture> drawn, const std::filesystem::path& directory,
                                 unsigned number, const io::Provenance& provenance)
{
    std::string line;
    std::vector<std::filesystem::path> files;
    for (std::size_t k = 0; k < drawn.size(); ++k) {
        line += " " + names[k]->of(number);
        files.push_back(directory / names[k]->of(number));
    }
    auto shared = std::make_shared<std::vector<DrawnPicture>>(std::move(drawn));
    writing_.start([shared, files = std::move(files), provenance] {
        for (std::size_t k = 0; k < files.size(); ++k) {
            io::Provenance texts = provenance;
            texts.emplace_back(picture_time_text, (*shared)[k].options.time_text);
            io::write_png(files[k], finished_picture(std::move((*shared)[k])), texts);
        }
    });
    return line;
}

DrawnPicture PictureOutput::requested(Simulation& simulation, const FrameRequest& request)
{
    PictureOptions options = configured().front();
    options.axis = request.axis;
    options.colour_by = colour_by_of(request.colour_by);
    options.pixels = request.pixels;
    const std::pair key(request.axis, request.colour_by);
    auto kept = requested_frames_.find(key);
    if (kept == requested_frames_.end())
        kept = requested_frames_
                   .emplace(key, painter_.with_fixed_frame(simulation.exec(), simulation.view(), options))
                   .first;
    options = kept->second;
    options.time_text = shown_time(simulation.time());
    return painter_.draw(simulation.exec(), simulation.view(), options);
}

PictureOutput::Frames PictureOutput::frames() const
{
    Frames frames;
    const std::vector<PictureOptions> fields = configured();
    for (std::size_t k = 0; k < fields.size(); ++k)
        if (const auto& frame = frames_[k])
            frames[k] = PictureFrame{frame->axis,  fields[k].width,   frame->width,    frame->centre,
                                     frame->range, frame->velocities, fields[k].centre};
    return frames;
}

void PictureOutput::restore(const Frames& frames)
{
    const std::vector<PictureOptions> fields = configured();
    for (std::size_t k = 0; k < fields.size(); ++k) {
        if (!frames[k]) continue;
        const PictureFrame& kept = *frames[k];
        if (kept.axis != fields[k].axis || kept.configured_width != fields[k].width ||
            !same(kept.configured_centre, fields[k].centre))
            continue;
        frames_[k] = fields[k];
        frames_[k]->width = kept.width;
        frames_[k]->centre = kept.centre;
        frames_[k]->range = kept.range;
        frames_[k]->velocities = kept.velocities;
    }
}

memory::Part pictures_memory(const Config& internal, std::size_t n, std::size_t n_components)
{
    PictureOptions options;
    options.pixels = internal.pictures.pixels;
    options.colour_by = colour_by_of(internal.pictures.colour_by);
    const std::size_t labels = options.colour_by == ColourBy::halo ? n * sizeof(std::int32_t) : 0;
    const std::size_t bytes = PicturePainter::bytes(options, n_components) + labels;
    return {.what = "pictures", .knob = "fewer pictures.pixels", .kept = bytes, .transfer = bytes};
}

}  // namespace aureole::run
