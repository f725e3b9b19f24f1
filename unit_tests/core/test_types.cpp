// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>

#include "../../core/types.hpp"

using heddle::Op;

static_assert(heddle::Scalar<float> && heddle::Scalar<double>);
static_assert(heddle::Scalar<Kokkos::complex<float>> && heddle::Scalar<Kokkos::complex<double>>);
static_assert(!heddle::Scalar<int> && !heddle::Scalar<long double> && !heddle::Scalar<const float>);

static_assert(heddle::Ordinal<std::int32_t> && heddle::Ordinal<std::int64_t>);
static_assert(!heddle::Ordinal<std::uint32_t> && !heddle::Ordinal<short>);
static_assert(!heddle::Ordinal<float> && !heddle::Ordinal<bool>);

static_assert(heddle::Offset<std::int32_t> && heddle::Offset<std::int64_t>);
static_assert(heddle::Offset<std::size_t> && heddle::Offset<std::uint32_t>);
static_assert(!heddle::Offset<short> && !heddle::Offset<bool> && !heddle::Offset<double>);

static_assert(heddle::ExecutionSpace<Kokkos::DefaultExecutionSpace>);
static_assert(!heddle::ExecutionSpace<Kokkos::HostSpace> && !heddle::ExecutionSpace<int>);
static_assert(heddle::MemorySpace<Kokkos::HostSpace>);
static_assert(!heddle::MemorySpace<Kokkos::DefaultHostExecutionSpace>);

static_assert(heddle::VectorView<Kokkos::View<double*>>);
static_assert(heddle::VectorView<Kokkos::View<const double**, Kokkos::LayoutStride>>);
static_assert(!heddle::VectorView<Kokkos::View<double***>> && !heddle::VectorView<double*>);
static_assert(!heddle::VectorView<Kokkos::View<double>>);
static_assert(heddle::WritableVectorView<Kokkos::View<float**, Kokkos::LayoutRight>>);
static_assert(!heddle::WritableVectorView<Kokkos::View<const float*>>);

static_assert(heddle::is_complex<Kokkos::complex<float>> && !heddle::is_complex<float>);

TEST_CASE("an op says whether it transposes and conjugates") {
  CHECK_FALSE(heddle::transposes(Op::none));
  CHECK(heddle::transposes(Op::transpose));
  CHECK_FALSE(heddle::transposes(Op::conjugate));
  CHECK(heddle::transposes(Op::conjugate_transpose));
  CHECK_FALSE(heddle::conjugates(Op::none));
  CHECK_FALSE(heddle::conjugates(Op::transpose));
  CHECK(heddle::conjugates(Op::conjugate));
  CHECK(heddle::conjugates(Op::conjugate_transpose));
  CHECK(heddle::name(Op::none) == std::string("none"));
  CHECK(heddle::name(Op::transpose) == std::string("transpose"));
  CHECK(heddle::name(Op::conjugate) == std::string("conjugate"));
  CHECK(heddle::name(Op::conjugate_transpose) == std::string("conjugate transpose"));
}

TEST_CASE("conjugation turns the imaginary part around and leaves real numbers alone") {
  CHECK(heddle::conjugate(2.5) == 2.5);
  CHECK(heddle::conjugate(-1.0f) == -1.0f);
  const auto turned = heddle::conjugate(Kokkos::complex<float>(1, 2));
  CHECK(turned.real() == 1);
  CHECK(turned.imag() == -2);
}

TEST_CASE("ceil_div rounds up") {
  static_assert(heddle::ceil_div(0, 4) == 0);
  static_assert(heddle::ceil_div(1, 4) == 1);
  static_assert(heddle::ceil_div(8, 4) == 2);
  static_assert(heddle::ceil_div(std::int64_t{1} << 40, 3) == 366503875926);
  static_assert(std::is_same_v<decltype(heddle::ceil_div(1, std::size_t{2})), std::size_t>);
  CHECK(heddle::ceil_div(9, 4) == 3);
}
