// The interface of every way to find the centre of a group, and the methods by name.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "halo/centres/centres.hpp"
#include "sim/core/registry.hpp"

namespace aureole::halo {

namespace centre_search {
class CentreSearch;
struct CentreQuery;
struct FoundCentre;
}  // namespace centre_search

/// Lists of particles in host memory, which were checked: each has a member, and what counts is finite.
struct ListsOnHost {
    const ConstParticlesView& particles;
    const Members& members;
    const Box& box;
    const CentreConfig& config;
    const Progress& progress;
};

/// Lists in the memory of a GPU, with the search that keeps its scratch there (gpu/centre_search.hpp).
struct ListsOnGpu {
    centre_search::CentreSearch& search;
    CUstream_st* stream;
    const centre_search::CentreQuery& query;
    const CentreConfig& config;
    const PotentialOutput& potentials;  ///< asked for beside the centres; by_potential() says who writes them
    Members& ties;                      ///< written by methods that have them
};

/// One method. It keeps nothing from call to call. An implementation or a decorator has to define every
/// function; HostCentreMethod does it for methods that no GPU runs.
class CentreMethod {
public:
    virtual ~CentreMethod() = default;

    /// Throws ArgumentError for settings that the method cannot work with in this box.
    virtual void expect_possible(const CentreConfig& config, const Box& box) const = 0;

    /// Whether centres depend on velocities, which then must be there and finite.
    virtual bool needs_velocities() const = 0;

    /// A centre per list; equal bits for any number of threads.
    virtual Centres find(const ListsOnHost& lists) const = 0;

    /// Whether find_on_gpu() is there: without it particles on a GPU are copied to the host and found there.
    virtual bool runs_on_gpu() const = 0;

    /// The same as find(), or nothing where the input cannot be used.
    virtual std::vector<centre_search::FoundCentre> find_on_gpu(const ListsOnGpu& lists) const = 0;

    /// Whether values are energies, and a search on a GPU leaves the potentials that it is asked for.
    virtual bool by_potential() const = 0;
};

/// The base of methods for particles in host memory alone.
class HostCentreMethod : public CentreMethod {
public:
    bool runs_on_gpu() const final { return false; }

    /// Throws ArgumentError.
    std::vector<centre_search::FoundCentre> find_on_gpu(const ListsOnGpu& lists) const final;
};

/// `make` gets the settings that each method registered. Their keys stand below `halos.NAME.`
using CentrePlugin = Plugin<std::function<std::unique_ptr<CentreMethod>(const PluginConfigs&)>>;

/// All methods, the built-in ones first. docs/extending.md says how to add one.
Registry<CentrePlugin>& centre_methods();

/// Throws ConfigError for an unknown one, with the known ones.
std::unique_ptr<CentreMethod> make_centre_method(const CentreConfig& config);

/// Particles of their lists as centres, one after the other: the tools of a method.
class CentreList {
public:
    explicit CentreList(const ListsOnHost& lists);

    void set_position(std::size_t list, Vec3 position) { centres_.position[list] = box_.wrap(position); }
    void set_particle(std::size_t list, Index particle, double value);
    Centres& centres() { return centres_; }

private:
    const ConstParticlesView& particles_;
    Box box_;
    Centres centres_;
};

/// Members within the linking length, itself not counted (Sewell et al. 2015): the centre is the member with
/// most of them. Counted by walks of a tree in which nodes that lie within reach count whole. Cost n log n,
/// and n^(2/3) per member of the surface of a dense core.
std::unique_ptr<CentreMethod> make_most_connected();  // most_connected.cpp

}  // namespace aureole::halo
