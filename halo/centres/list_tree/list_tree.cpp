#include "halo/centres/list_tree/list_tree.hpp"

namespace aureole::halo::list_tree {

std::size_t cut_nodes(const MembersView& members, const Levels& levels, std::byte* block, NodeArrays& nodes)
{
    constexpr std::size_t alignment = 256;
    std::size_t end = 0;
    const auto cut = [&]<class T>(T*& part, std::size_t n) {
        part = block ? reinterpret_cast<T*>(block + end) : nullptr;
        end += (n * sizeof(T) + alignment - 1) / alignment * alignment;
    };
    const std::size_t n = levels.base[levels.n];
    cut(nodes.ball, n);
    cut(nodes.box, n);
    for (double*& term : nodes.term) cut(term, n);
    cut(nodes.bucket, most_segments(members, bucket_size));
    return end;
}

}  // namespace aureole::halo::list_tree
