// Friends-of-friends on arrays of its own: two cubes of 27 points, far from each other, and a lone point.
#include <cstdio>
#include <vector>

#include "halo/finder.hpp"

int main()
{
    std::vector<double> x, y, z;
    for (const double corner : {0.0, 100.0})
        for (int k = 0; k < 27; ++k) {
            x.push_back(corner + k % 3);
            y.push_back(k / 3 % 3);
            z.push_back(k / 9);
        }
    x.push_back(50);
    y.push_back(0);
    z.push_back(0);

    aureole::ConstParticlesView points{};
    points.n = static_cast<aureole::Index>(x.size());
    points.where = aureole::Backend::cpu;
    points.position = {x.data(), y.data(), z.data()};
    aureole::halo::FofConfig settings;
    settings.linking_length = 1.1;
    settings.min_members = 2;
    const auto finder = aureole::halo::make_finder("fastest", settings);
    const aureole::halo::GroupsView groups = finder->find_on_device({aureole::Backend::cpu}, points);
    std::printf("%u groups:", groups.n_groups);
    for (unsigned group = 0; group < groups.n_groups; ++group) std::printf(" %u", groups.n_members[group]);
    std::printf("; the lone point has label %d\n", groups.label[54]);
}
