# UNTESTED: no Spack was at hand; the file is valid Python. Copy it to packages/aureole/package.py of a repository of
# yours, and give `git` the address of your copy of the sources.
from spack.package import *


class Aureole(CMakePackage, CudaPackage):
    """N-body simulations with a built-in halo finder, on GPUs and CPUs."""

    git = "https://example.org/aureole.git"

    license("MIT")
    version("main", branch="main")

    variant("tests", default=False, description="Build the tests")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("fmt@9:")
    depends_on("yaml-cpp@0.7:")
    depends_on("cli11@2.1:")
    depends_on("hdf5@1.10.5:~mpi")
    depends_on("libpng")
    depends_on("random123")
    depends_on("googletest", when="+tests")
    depends_on("python@3.11:", when="+tests")
    depends_on("py-h5py", when="+tests")
    depends_on("py-numpy", when="+tests")

    def cmake_args(self):
        args = [
            self.define("AUREOLE_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define_from_variant("AUREOLE_TESTS", "tests"),
        ]
        archs = self.spec.variants["cuda_arch"].value if self.spec.satisfies("+cuda") else ("none",)
        if "none" not in archs:
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", list(archs)))
        return args
