// The spanning tree against a route of its own: in open space it is part of the Delaunay triangulation
// (Preparata & Shamos 1985), so Kruskal's algorithm over that triangulation's edges finds it. Triangulated by
// CGAL, solved by Boost; built where CGAL is installed. Distances in phase space have no such triangulation:
// those are left to Prim's algorithm.
#include <CGAL/Delaunay_triangulation_3.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Triangulation_vertex_base_with_info_3.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>

#include "tests/support/backends.hpp"
#include "tests/support/halo/reference_spanning_tree.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Vertex = CGAL::Triangulation_vertex_base_with_info_3<std::size_t, Kernel>;
using Triangulation = CGAL::Delaunay_triangulation_3<Kernel, CGAL::Triangulation_data_structure_3<Vertex>>;
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                    boost::property<boost::edge_weight_t, double>>;

/// Distinct points only: coincident ones are one vertex of the triangulation.
EdgeKeys delaunay_spanning_tree(const Particles& host)
{
    std::vector<std::pair<Kernel::Point_3, std::size_t>> points;
    for (std::size_t i = 0; i < host.size(); ++i) {
        const Vec3 x = host.position.load(i);
        points.push_back({{x.x, x.y, x.z}, i});
    }
    const Triangulation triangulation(points.begin(), points.end());
    const SpanningProblem problem{host, {}};
    Graph graph(host.size());
    for (const auto& edge : triangulation.finite_edges()) {
        const std::size_t a = edge.first->vertex(edge.second)->info();
        const std::size_t b = edge.first->vertex(edge.third)->info();
        boost::add_edge(a, b, problem.squared_distance(a, b), graph);
    }
    std::vector<Graph::edge_descriptor> chosen;
    boost::kruskal_minimum_spanning_tree(graph, std::back_inserter(chosen));
    EdgeKeys keys;
    for (const auto& edge : chosen) {
        const auto [low, high] =
            std::minmax({problem.id(source(edge, graph)), problem.id(target(edge, graph))});
        keys.push_back({get(boost::edge_weight, graph, edge), low, high});
    }
    std::sort(keys.begin(), keys.end());
    return keys;
}

class DelaunaySpanningTree : public OnEachBackend {
protected:
    EdgeKeys found(const Particles& host)
    {
        Particles particles = host.copy_to(GetParam());
        return keys_of(halo::SpanningTreeFinder().find(exec(), particles.view(), {}), host);
    }
};

TEST_P(DelaunaySpanningTree, ClusteredPointsHaveTheSameEdges)
{
    const Particles host = particles_at(clustered_points(6000, 51));
    EXPECT_EQ(found(host), delaunay_spanning_tree(host));
}

TEST_P(DelaunaySpanningTree, ALatticeHasTheSameLengths)
{
    const Particles host = particles_at(lattice_points(10, 0.3));  // ties: another tree may be as short
    const EdgeKeys tree = found(host), reference = delaunay_spanning_tree(host);
    ASSERT_EQ(tree.size(), reference.size());
    for (std::size_t e = 0; e < tree.size(); ++e)
        EXPECT_DOUBLE_EQ(std::get<0>(tree[e]), std::get<0>(reference[e]));
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(DelaunaySpanningTree);

}  // namespace
}  // namespace aureole::test
