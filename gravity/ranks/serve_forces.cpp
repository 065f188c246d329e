// What the other ranks do for rank 0: they hold its particles and an equal solver, and evaluate their slice.
#include <algorithm>
#include <map>

#include "gravity/ranks/ranked_solver.hpp"
#include "gravity/tree/tree.hpp"

namespace aureole::gravity {

using namespace ranks;

namespace {

/// The particles of rank 0, as far as solvers read them.
class ParticleCopy {
public:
    /// Takes what follows a header.
    void receive(comm::DeviceMoves& moves, const Header& header);

    ConstParticlesView view() const;
    ConstVec3View previous() const { return prepared_.view(n_); }
    /// Those of an evaluation that brought its own, in memory of their own.
    ConstVec3View later_previous() const { return later_.view(n_); }

private:
    struct Vec3Copy {
        Buffer<double> all;

        ConstVec3View view(std::size_t n) const
        {
            const double* const x = all.data();
            return {x, x + n, x + 2 * n};
        }
        void receive(comm::DeviceMoves& moves, std::size_t n)
        {
            // without particles, too, it is there
            all.require(moves.where(), std::max<std::size_t>(3 * n, 1));
            broadcast(moves, {moves.where()}, view(n), n);
        }
    };

    std::size_t n_ = 0;
    std::uint64_t set_ = 0;
    std::uint32_t present_ = 0;
    Backend where_ = Backend::cpu;
    SlowArrays<Buffer<std::byte>> slow_;
    Vec3Copy position_, prepared_, later_;
};

void ParticleCopy::receive(comm::DeviceMoves& moves, const Header& header)
{
    where_ = moves.where();
    n_ = header.n;
    if (header.task != Task::evaluate) present_ = header.present;
    for (std::size_t k = 0; k < n_slow; ++k) {
        if (!(header.changed >> k & 1)) continue;
        const std::size_t bytes = n_ * slow_size[k];
        if (k == component_array && header.set != set_) {
            // another particle set has another address here, too: the new array is made before the old one
            // goes
            Buffer<std::byte> fresh(where_, std::max<std::size_t>(bytes, 1));
            std::swap(slow_[k], fresh);
            set_ = header.set;
        } else {
            slow_[k].require(where_, std::max<std::size_t>(bytes, 1));
        }
        broadcast(moves, {where_}, slow_[k].data(), bytes);
    }
    if (header.task == Task::prepare || header.task == Task::restore) position_.receive(moves, n_);
    if (header.previous != Previous::sent) return;
    (header.task == Task::prepare ? prepared_ : later_).receive(moves, n_);
}

ConstParticlesView ParticleCopy::view() const
{
    const auto array = [&](std::size_t k) -> const void* {
        return present_ >> k & 1 ? slow_[k].data() : nullptr;
    };
    ConstParticlesView p{};
    p.n = static_cast<Index>(n_);
    p.where = where_;
    p.mass = static_cast<const double*>(array(0));
    p.position = position_.view(n_);
    p.id = static_cast<const std::uint64_t*>(array(1));
    p.type = static_cast<const ParticleType*>(array(2));
    p.component = static_cast<const Component*>(array(component_array));
    return p;
}

class Server {
public:
    Server(comm::Communicator& ranks, comm::DeviceMoves& moves, const SolverMaker& make,
           const OtherTask& other)
        : ranks_(ranks), moves_(moves), exec_{moves.where()}, make_(make), other_(other)
    {
    }

    /// False after the last task.
    bool next();

private:
    void begin();
    void prepare();
    void evaluate();
    void restore();
    void evaluate_by_domains();
    double work_seconds() const { return clock_.seconds() + (by_domains_ ? by_domains_->work_seconds() : 0); }
    void do_other() { other_(solver_.get(), work_seconds(), rest_); }
    Selection selection(const SelectionMessage& from);

    comm::Communicator& ranks_;
    comm::DeviceMoves& moves_;
    Exec exec_;
    const SolverMaker& make_;
    const OtherTask& other_;
    WorkClock clock_;
    std::unique_ptr<Solver> solver_;
    std::unique_ptr<ForcesByDomains> by_domains_;
    ParticleCopy particles_;
    std::map<std::pair<std::uint64_t, Index>, Buffer<Index>> lists_;  ///< by address and size
    Header header_;
    std::vector<std::byte> message_;
    std::span<const std::byte> rest_;  ///< of the message, behind what was read of it
    Buffer<double> sums_;
};

bool Server::next()
{
    exchange(ranks_, [&] {
        broadcast_message(ranks_, message_);
        AUREOLE_EXPECT(message_.size() >= sizeof header_, "a task of {} bytes", message_.size());
        std::memcpy(&header_, message_.data(), sizeof header_);
        rest_ = std::span<const std::byte>(message_).subspan(sizeof header_);
        const bool brings_particles =
            header_.task == Task::prepare || header_.task == Task::evaluate || header_.task == Task::restore;
        if (brings_particles) particles_.receive(moves_, header_);
    });
    if (header_.task == Task::end) return false;
    constexpr void (Server::*work[])() = {&Server::begin,   &Server::prepare,  &Server::evaluate,
                                          &Server::restore, &Server::do_other, &Server::evaluate_by_domains};
    try {
        (this->*work[static_cast<std::size_t>(header_.task)])();
    } catch (const std::exception&) {
        // agreed: rank 0 has it
    }
    return true;
}

void Server::begin()
{
    solver_.reset();
    by_domains_.reset();
    particles_ = {};
    lists_.clear();
    together(ranks_, [&] { solver_ = make_(rest_); });
}

/// A list is the same memory again as long as rank 0's is, so that solvers see which selections are equal.
Selection Server::selection(const SelectionMessage& from)
{
    if (from.list == 0) return from.range;
    const Index n = from.range.size();
    const std::size_t bytes = n * sizeof(Index);
    AUREOLE_EXPECT(bytes <= rest_.size(), "a list of {} particles in {} bytes", n, rest_.size());
    Buffer<Index>& list = lists_[{from.list, n}];
    list.require(exec_.backend, std::max<std::size_t>(n, 1));
    if (exec_.backend == Backend::cpu) {
        if (bytes > 0) std::memcpy(list.data(), rest_.data(), bytes);
    } else if (bytes > 0) {
        device::copy(list.data(), rest_.data(), bytes);
        device::synchronize();  // a copy from pageable memory may arrive later
    }
    rest_ = rest_.subspan(bytes);
    return Selection::listed(list.data(), n);
}

void Server::prepare()
{
    together(ranks_, [&] {
        lists_.clear();
        const SourceRequest request{header_.time, selection(header_.sources), header_.box};
        const TargetRequest expected{selection(header_.targets), header_.previous == Previous::absent
                                                                     ? ConstVec3View{}
                                                                     : particles_.previous()};
        clock_.time(exec_, [&] { solver_->prepare(exec_, particles_.view(), request, expected); });
    });
}

void Server::evaluate()
{
    const std::size_t n = header_.n, n_sums = sums_for(n, header_.potential);
    together(ranks_, [&] {
        sums_.require(exec_.backend, std::max<std::size_t>(n_sums, 1));
        ranks::set_to_zero(exec_, sums_.data(), n_sums);
        const ConstVec3View previous = header_.previous == Previous::absent ? ConstVec3View{}
                                       : header_.previous == Previous::kept ? particles_.previous()
                                                                            : particles_.later_previous();
        const Slice slice{static_cast<unsigned>(ranks_.rank()), static_cast<unsigned>(ranks_.size())};
        const TargetRequest request{selection(header_.targets), previous};
        clock_.time(exec_, [&] {
            dynamic_cast<SlicedSolver&>(*solver_).evaluate_slice(
                exec_, particles_.view(), request, slice, outputs_in(sums_.data(), n, header_.potential));
        });
    });
    exchange(ranks_, [&] { gather(moves_, exec_, sums_.data(), n_sums); });
}

/// Rank 0 has a tree over domains, so this rank has.
void Server::evaluate_by_domains()
{
    exchange(ranks_, [&] {
        if (!by_domains_)
            by_domains_ = std::make_unique<ForcesByDomains>(
                ranks_, dynamic_cast<const tree::Tree&>(*solver_).config(), moves_.where());
        by_domains_->evaluate({}, {}, {}, header_.potential);
    });
}

void Server::restore()
{
    together(ranks_, [&] {
        std::vector<double> state(rest_.size() / sizeof(double));
        if (!state.empty()) std::memcpy(state.data(), rest_.data(), rest_.size());
        solver_->restore_state(exec_, particles_.view(), state);
    });
}

}  // namespace

void serve_forces(comm::Communicator& ranks, comm::DeviceMoves& moves, const SolverMaker& make,
                  const OtherTask& other)
{
    Server server(ranks, moves, make, other);
    while (server.next()) {
    }
}

void serve_forces(comm::Communicator& ranks, const SolverMaker& make)
{
    const auto moves = comm::host_moves(ranks);
    serve_forces(ranks, *moves, make);
}

}  // namespace aureole::gravity
