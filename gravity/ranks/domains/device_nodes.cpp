#include "gravity/ranks/domains/device_nodes.hpp"

#include <numeric>

namespace aureole::gravity::domains {
namespace {

/// Slots of nodes in the memory of a GPU, zero at first.
class DeviceSlots {
public:
    DeviceSlots(std::size_t n, bool by_body)
        : heads_(Backend::cuda, n),
          tails_(Backend::cuda, n),
          boxes_(Backend::cuda, n),
          softening_(Backend::cuda, by_body ? n : 1),
          meetings_(Backend::cuda, n),
          by_body_(by_body)
    {
        device::fill_zero(on_gpu.stream, heads_.data(), n * sizeof(tree::NodeHead));
        device::fill_zero(on_gpu.stream, tails_.data(), n * sizeof(tree::NodeTail));
        device::fill_zero(on_gpu.stream, boxes_.data(), n * sizeof(tree::NodeBox));
        if (by_body) device::fill_zero(on_gpu.stream, softening_.data(), n * sizeof(float));
    }

    tree::NodeArrays arrays()
    {
        return {heads_.data(), tails_.data(), boxes_.data(), by_body_ ? softening_.data() : nullptr,
                meetings_.data()};
    }

    /// The first `n`, when the stream has made them.
    void download(std::size_t n, tree::NodeHead* heads, tree::NodeTail* tails, tree::NodeBox* boxes,
                  float* softening) const
    {
        device::wait(on_gpu.stream);
        device::download(heads, heads_.data(), n * sizeof *heads);
        device::download(tails, tails_.data(), n * sizeof *tails);
        device::download(boxes, boxes_.data(), n * sizeof *boxes);
        if (by_body_) device::download(softening, softening_.data(), n * sizeof *softening);
    }

private:
    Buffer<tree::NodeHead> heads_;
    Buffer<tree::NodeTail> tails_;
    Buffer<tree::NodeBox> boxes_;
    Buffer<float> softening_;
    Buffer<Index> meetings_;
    bool by_body_;
};

Buffer<tree::Survey> survey_of(Index n_leaves)
{
    tree::Survey survey{};
    survey.n_leaves = n_leaves;
    return {Backend::cuda, std::span<const tree::Survey>(&survey, 1)};
}

}  // namespace

void make_nodes_on_gpu(const tree::Likeness* likeness, DomainTree& to)
{
    const bool by_body = !to.node_softening.empty();
    Buffer<tree::Body> bodies;
    Buffer<float> softening;
    Buffer<Index> starts;
    Buffer<tree::Likeness> alike;
    tree::TreeView view{};
    view.n_bodies = to.n_with_leaf;
    view.bodies = upload(to.bodies, bodies);
    view.body_softening = by_body ? upload(to.body_softening, softening) : nullptr;
    const Buffer<tree::Survey> survey = survey_of(to.n_leaves);
    DeviceSlots slots(to.heads.size(), by_body);
    tree::build_nodes(
        on_gpu, view, {survey.data(), to.n_leaves + 1, true}, upload(to.leaf_starts, starts),
        upload(std::span<const tree::Likeness>(likeness, to.n_with_leaf + std::size_t{1}), alike),
        slots.arrays());
    slots.download(to.heads.size(), to.heads.data(), to.tails.data(), to.boxes.data(),
                   to.node_softening.data());
}

void remake_top_on_gpu(NodeRow branches, DomainTree& to)
{
    const std::size_t n = branches.heads.size();
    if (n == 0) return;
    const bool by_body = !to.node_softening.empty();
    Buffer<tree::NodeHead> heads;
    Buffer<tree::NodeTail> tails;
    Buffer<tree::NodeBox> boxes;
    Buffer<float> softening;
    Buffer<Index> numbers;
    Buffer<tree::Likeness> left;
    const tree::NodeArrays given{upload(branches.heads, heads), upload(branches.tails, tails),
                                 upload(branches.boxes, boxes),
                                 by_body ? upload(branches.softening, softening) : nullptr, nullptr};
    std::vector<Index> counted(n);
    std::iota(counted.begin(), counted.end(), Index{0});
    branches.left.push_back(0);
    const Buffer<tree::Survey> survey = survey_of(static_cast<Index>(n));
    DeviceSlots slots(2 * n, by_body);
    tree::join_nodes(on_gpu, given, {survey.data(), static_cast<Index>(n), true}, upload(counted, numbers),
                     upload(branches.left, left), slots.arrays());

    std::vector<tree::NodeHead> made_heads(2 * n);
    std::vector<tree::NodeTail> made_tails(2 * n);
    std::vector<tree::NodeBox> made_boxes(2 * n);
    std::vector<float> made_softening(2 * n);
    slots.download(2 * n, made_heads.data(), made_tails.data(), made_boxes.data(), made_softening.data());
    const auto take = [&](std::size_t from, std::size_t slot) {
        const Index first = to.tails[slot].first, count = to.tails[slot].count;
        to.heads[slot] = made_heads[from];
        to.tails[slot] = made_tails[from];
        to.tails[slot].first = first;
        to.tails[slot].count = count;
        to.boxes[slot] = made_boxes[from];
        if (by_body) to.node_softening[slot] = made_softening[from];
    };
    take(tree::root_slot, tree::root_slot);
    for (std::size_t slot = 2; slot < 2 * n; ++slot) take(slot, 2 * std::size_t{to.top} + slot);
}

}  // namespace aureole::gravity::domains
