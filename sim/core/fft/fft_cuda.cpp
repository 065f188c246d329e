// Transforms on a GPU by cuFFT. Its scratch is a Buffer, so that it is counted.
#include <cufft.h>
#include <dlfcn.h>
#include <cmath>
#include <numbers>
#include <vector>

#include "sim/core/buffer.hpp"
#include "sim/core/error.hpp"
#include "sim/core/fft/plans.hpp"
#include "sim/core/fft/sine_lines.hpp"

namespace aureole {
namespace {

/// cuFFT by functions that are looked up when they are needed first: a program does not link it.
struct CufftLibrary {
    decltype(&cufftCreate) create;
    decltype(&cufftDestroy) destroy;
    decltype(&cufftSetAutoAllocation) set_auto_allocation;
    decltype(&cufftMakePlanMany64) make_plan;
    decltype(&cufftSetWorkArea) set_work_area;
    decltype(&cufftSetStream) set_stream;
    decltype(&cufftExecR2C) run_r2c;
    decltype(&cufftExecC2R) run_c2r;
    decltype(&cufftExecD2Z) run_d2z;
    decltype(&cufftExecZ2D) run_z2d;
};

template <class Function>
void look_up(void* library, const char* name, Function& function)
{
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) throw CudaError(fmt::format("found a cuFFT library without {}", name));
}

CufftLibrary functions_of(void* library)
{
    CufftLibrary found{};
    look_up(library, "cufftCreate", found.create);
    look_up(library, "cufftDestroy", found.destroy);
    look_up(library, "cufftSetAutoAllocation", found.set_auto_allocation);
    look_up(library, "cufftMakePlanMany64", found.make_plan);
    look_up(library, "cufftSetWorkArea", found.set_work_area);
    look_up(library, "cufftSetStream", found.set_stream);
    look_up(library, "cufftExecR2C", found.run_r2c);
    look_up(library, "cufftExecC2R", found.run_c2r);
    look_up(library, "cufftExecD2Z", found.run_d2z);
    look_up(library, "cufftExecZ2D", found.run_z2d);
    return found;
}

/// Opened once per process, by opened_cufft().
const CufftLibrary& cufft_library()
{
    static const CufftLibrary library = functions_of(opened_cufft());
    return library;
}

void check(cufftResult result, const char* what)
{
    if (result == CUFFT_SUCCESS) return;
    const char* const reason = result == CUFFT_ALLOC_FAILED   ? ": too little memory on the GPU"
                               : result == CUFFT_INVALID_SIZE ? ": a size that it does not take"
                                                              : "";
    const std::string message =
        fmt::format("cuFFT failed with error {} to {}{}", static_cast<int>(result), what, reason);
    if (result == CUFFT_ALLOC_FAILED) throw MemoryError(message);
    throw CudaError(message);
}

/// One direction of a transform.
class CufftPlan {
public:
    CufftPlan() { check(cufft_library().create(&handle_), "create a plan"); }
    CufftPlan(const CufftPlan&) = delete;
    CufftPlan& operator=(const CufftPlan&) = delete;
    ~CufftPlan() { cufft_library().destroy(handle_); }

    struct Side {
        long long* storage;  ///< points that are stored along each axis
        long long step, distance;
    };

    /// Returns the bytes of scratch that it needs.
    std::size_t make(int rank, long long* points, Side in, Side out, cufftType type, long long n)
    {
        check(cufft_library().set_auto_allocation(handle_, 0), "plan a transform");
        std::size_t bytes = 0;
        check(cufft_library().make_plan(handle_, rank, points, in.storage, in.step, in.distance, out.storage,
                                        out.step, out.distance, type, n, &bytes),
              "plan a transform");
        return bytes;
    }
    void set_work_area(std::byte* area)
    {
        check(cufft_library().set_work_area(handle_, area), "take its work area");
    }
    cufftHandle on(CUstream_st* stream) const
    {
        check(cufft_library().set_stream(handle_, stream), "take a stream");
        return handle_;
    }

private:
    cufftHandle handle_ = 0;
};

constexpr cufftType forward_type(float) { return CUFFT_R2C; }
constexpr cufftType forward_type(double) { return CUFFT_D2Z; }
constexpr cufftType inverse_type(float) { return CUFFT_C2R; }
constexpr cufftType inverse_type(double) { return CUFFT_Z2D; }

// cuFFT's complex numbers are laid out as those of C++. Values of forward transforms are not changed.
cufftResult run_forward(cufftHandle plan, const float* values, std::complex<float>* modes)
{
    return cufft_library().run_r2c(plan, const_cast<float*>(values), reinterpret_cast<cufftComplex*>(modes));
}
cufftResult run_forward(cufftHandle plan, const double* values, std::complex<double>* modes)
{
    return cufft_library().run_d2z(plan, const_cast<double*>(values),
                                   reinterpret_cast<cufftDoubleComplex*>(modes));
}
cufftResult run_inverse(cufftHandle plan, std::complex<float>* modes, float* values)
{
    return cufft_library().run_c2r(plan, reinterpret_cast<cufftComplex*>(modes), values);
}
cufftResult run_inverse(cufftHandle plan, std::complex<double>* modes, double* values)
{
    return cufft_library().run_z2d(plan, reinterpret_cast<cufftDoubleComplex*>(modes), values);
}

template <class Real>
class CudaPlan final : public RealPlan<Real> {
public:
    CudaPlan(const GridShape& shape, std::size_t n_grids, bool padded)
    {
        const auto [n0, n1, n2] = shape.points;
        const int rank = n0 > 1 ? 3 : n1 > 1 ? 2 : 1;
        long long points[3] = {n0, n1, n2}, stored[3] = {n0, n1, n2 / 2 + 1};
        long long* const from = points + 3 - rank;
        long long rows[3] = {n0, n1, padded ? 2 * stored[2] : n2};
        const CufftPlan::Side values{rows + 3 - rank, 1, rows[0] * rows[1] * rows[2]};
        const CufftPlan::Side modes{stored + 3 - rank, 1, static_cast<long long>(shape.n_modes())};
        const auto n = static_cast<long long>(n_grids);
        const std::size_t bytes = std::max(forward_.make(rank, from, values, modes, forward_type(Real{}), n),
                                           inverse_.make(rank, from, modes, values, inverse_type(Real{}), n));
        work_ = Buffer<std::byte>(Backend::cuda, std::max<std::size_t>(bytes, 1));
        forward_.set_work_area(work_.data());
        inverse_.set_work_area(work_.data());
    }

    void forward(CUstream_st* stream, const Real* values, std::complex<Real>* modes) override
    {
        check(run_forward(forward_.on(stream), values, modes), "transform");
    }
    void inverse(CUstream_st* stream, std::complex<Real>* modes, Real* values) override
    {
        check(run_inverse(inverse_.on(stream), modes, values), "transform");
    }
    std::size_t work_bytes() const override { return work_.size(); }

private:
    CufftPlan forward_, inverse_;
    Buffer<std::byte> work_;
};

/// Lines beside each other, as sine_lines.hpp folds them.
template <class Real>
class LinePlan {
public:
    LinePlan(std::size_t points, std::size_t n_lines) : points_(points), n_lines_(n_lines)
    {
        const auto n = static_cast<long long>(n_lines);
        long long along[1] = {static_cast<long long>(points)}, modes[1] = {along[0] / 2 + 1};
        const std::size_t bytes = plan_.make(1, along, {along, n, 1}, {modes, n, 1}, forward_type(Real{}), n);
        work_ = Buffer<std::byte>(Backend::cuda, std::max<std::size_t>(bytes, 1));
        plan_.set_work_area(work_.data());
    }

    bool is_for(std::size_t points, std::size_t n_lines) const
    {
        return points == points_ && n_lines == n_lines_;
    }
    void run(CUstream_st* stream, const Real* values, std::complex<Real>* modes)
    {
        check(run_forward(plan_.on(stream), values, modes), "transform lines");
    }

private:
    std::size_t points_, n_lines_;
    CufftPlan plan_;
    Buffer<std::byte> work_;
};

/// Keeps the plan and buffers of the last axis: those of a cube serve all three.
template <class Real>
class CudaSinePlan final : public SinePlan<Real> {
public:
    explicit CudaSinePlan(const GridShape& shape) : shape_(shape)
    {
        static_cast<void>(cufft_library());  // says what is missing
        for (int axis = 0; axis < 3; ++axis) sine_[axis] = sines(shape.points[axis] + 1);
    }

    void execute(CUstream_st* stream, Real* values, std::size_t n_grids) override
    {
        for (int axis = 2; axis >= 0; --axis)
            transform(stream, lines_of(shape_, axis, n_grids), sine_[axis].data(), values);
    }

private:
    static Buffer<Real> sines(int m)
    {
        std::vector<Real> sine;
        for (int j = 0; j <= m / 2; ++j)
            sine.push_back(static_cast<Real>(std::sin(std::numbers::pi * j / m)));
        return Buffer<Real>(Backend::cuda, std::span<const Real>(sine));
    }

    void transform(CUstream_st* stream, const AxisLines& lines, const Real* sine, Real* values)
    {
        const std::size_t points = lines.folded_points(), pitch = line_pitch(lines);
        if (!plan_ || !plan_->is_for(points, pitch)) {
            plan_ = nullptr;  // its memory first
            plan_ = std::make_unique<LinePlan<Real>>(points, pitch);
        }
        folded_.require(Backend::cuda, points * pitch);
        modes_.require(Backend::cuda, lines.modes() * pitch);
        const Exec exec{Backend::cuda, stream};
        for (std::size_t first = 0; first < lines.n; first += pitch) {
            const LinePart part{first, std::min(pitch, lines.n - first), pitch};
            fold_lines(exec, lines, part, values, sine, folded_.data());
            plan_->run(stream, folded_.data(), modes_.data());
            unfold_lines(exec, lines, part, modes_.data(), values);
        }
    }

    GridShape shape_;
    Buffer<Real> sine_[3], folded_;
    Buffer<std::complex<Real>> modes_;
    std::unique_ptr<LinePlan<Real>> plan_;
};

}  // namespace

template <class Real>
Plans<Real> cuda_plans()
{
    return plans_of<CudaSinePlan, CudaPlan, Real>();
}

template Plans<float> cuda_plans();
template Plans<double> cuda_plans();

}  // namespace aureole
