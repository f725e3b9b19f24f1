# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Heddle's recipe for Spack 1.0 and newer. docs/install.md says how it is used from here.
# `homepage` and `git` are placeholders of packaging/addresses. Whoever publishes a release gives each version the
# `commit` of its tag.
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Heddle(CMakePackage, CudaPackage, ROCmPackage):
    """Sparse kernels on Kokkos that look at a matrix once and run it many times: products of
    sparse matrices with vectors in many formats, and triangular solves."""

    homepage = "https://heddle.invalid"
    git = "https://heddle.invalid/heddle.git"

    license("Apache-2.0 WITH LLVM-exception")

    version("0.3.0", tag="v0.3.0")
    version("0.2.0", tag="v0.2.0")

    variant("openmp", default=False, description="Have a Kokkos with OpenMP")
    variant(
        "compiled",
        values=any_combination_of("float", "double", "cfloat", "cdouble").with_default("double"),
        description="Scalars whose common plans are compiled once, which Heddle::heddle links",
    )
    variant("shared", default=True, description="Make that library a shared one")
    variant("tpetra", default=False, description="Have a Trilinos for heddle/tpetra.hpp")
    variant("petsc", default=False, description="Have a PETSc for heddle/petsc.hpp")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("doctest", type="test")
    depends_on("zlib-api")
    depends_on("xz")

    depends_on("kokkos@4.6:5.2")
    depends_on("kokkos+openmp", when="+openmp")
    depends_on("kokkos+pic", when="+shared")
    depends_on("trilinos@17: +tpetra+ifpack2+belos", when="+tpetra")
    depends_on("petsc@3.25: +mpi", when="+petsc")
    depends_on("trilinos+openmp", when="+tpetra+openmp")

    for _arch in CudaPackage.cuda_arch_values:
        _cuda = f"+cuda cuda_arch={_arch}"
        depends_on(f"kokkos {_cuda}", when=_cuda)
        depends_on(f"trilinos {_cuda}", when=f"+tpetra {_cuda}")
    for _target in ROCmPackage.amdgpu_targets:
        _rocm = f"+rocm amdgpu_target={_target}"
        depends_on(f"kokkos {_rocm}", when=_rocm)
        depends_on(f"trilinos {_rocm}", when=f"+tpetra {_rocm}")

    conflicts("+cuda", when="cuda_arch=none")
    conflicts("+rocm", when="+cuda", msg="a Kokkos has one kind of GPU")
    conflicts("%gcc@:11", msg="gcc 11 lacks parts of C++20; 12.2 is the oldest that Heddle was built with")
    conflicts("^cuda@:11", when="+cuda", msg="nvcc knows C++20 from CUDA 12 on")
    requires("^kokkos+wrapper", when="+cuda", msg="nvcc is tested by Kokkos' nvcc_wrapper")
    requires("^kokkos+cuda_lambda", when="+cuda ^kokkos@:4")

    def cmake_args(self):
        scalars = [s for s in self.spec.variants["compiled"].value if s != "none"]
        args = [
            self.define("HEDDLE_INSTALL", True),
            self.define("HEDDLE_INSTANTIATE", scalars),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("HEDDLE_BUILD_TESTS", self.run_tests),
            self.define("HEDDLE_BUILD_BENCHMARKS", False),
            self.define("HEDDLE_BUILD_EXAMPLES", False),
            # Builds tests and examples alone; the headers and the CMake package are there anyway.
            self.define("HEDDLE_ENABLE_TPETRA", False),
            self.define("HEDDLE_ENABLE_PETSC", False),
        ]
        if self.spec.satisfies("+rocm"):
            args.append(self.define("CMAKE_CXX_COMPILER", self.spec["hip"].hipcc))
        elif self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        return args
