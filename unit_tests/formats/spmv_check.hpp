// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of SpMV share: a matrix on the device with its original on the host, and one apply
// held against the oracle, with poison wherever the library has no business.
#pragma once

#include <doctest/doctest.h>

#include <heddle/spmv.hpp>
#include <string>

#include "../backends.hpp"
#include "../matrices.hpp"
#include "../random.hpp"
#include "../reference.hpp"

namespace heddle::test {

/// A test matrix on the host and on the device of T::Exec.
template <class T>
struct DeviceMatrix {
  using S = typename T::Scalar;
  using O = typename T::Ordinal;
  using Off = typename T::Offset;
  using Host = CsrStorage<S, O, Off, Kokkos::HostSpace>;
  using Device = CsrStorage<S, O, Off, typename T::Space>;
  using Matrix = typename Device::Matrix;

  std::string name;
  Host host;
  Device device;

  Matrix matrix() const { return device.matrix(); }
};

template <class T>
DeviceMatrix<T> to_device(const typename T::Exec& exec, const Pattern& pattern,
                          std::uint64_t seed = 1) {
  using D = DeviceMatrix<T>;
  D one;
  one.name = pattern.name;
  one.host = make_matrix<typename D::S, typename D::O, typename D::Off>(pattern, seed);
  one.device = one.host.template copy_to<typename T::Space>(exec);
  exec.fence("heddle::test::matrix");
  return one;
}

/// y with `guard` poisoned entries before and after, which must stay as they are.
template <Scalar V, MemorySpace Space>
class GuardedVector {
 public:
  static constexpr std::size_t guard = 40;

  explicit GuardedVector(const HostVector<V>& content)
      : all_("heddle::test::guarded", content.extent(0) + 2 * guard) {
    fill_with_poison(all_);
    Kokkos::deep_copy(view(), content);
  }
  auto view() const { return Kokkos::subview(all_, std::pair(guard, all_.extent(0) - guard)); }
  bool guards_untouched() const {
    const auto host = to_host(all_);
    bool untouched = true;
    for (std::size_t i = 0; i < guard; ++i) {
      untouched = untouched && is_poison(host(i)) && is_poison(host(host.extent(0) - 1 - i));
    }
    return untouched;
  }

 private:
  static bool is_poison(const V& value) { return value != value; }
  Kokkos::View<V*, Space> all_;
};

/// Applies a plan to random vectors and says what is wrong; empty if nothing. With beta == 0 y
/// holds NaN before.
template <class Plan, class T>
std::string apply_and_compare(const typename T::Exec& exec, const Plan& plan,
                              const DeviceMatrix<T>& A, Op op, typename T::Scalar alpha,
                              typename T::Scalar beta, std::uint64_t seed = 7) {
  using S = typename T::Scalar;
  const auto rows = static_cast<std::size_t>(A.host.rows());
  const auto columns = static_cast<std::size_t>(A.host.columns());
  const auto x = random_vector<S>(transposes(op) ? rows : columns, seed);
  const auto y = random_vector<S>(transposes(op) ? columns : rows, seed + 1);
  if (beta == S(0)) fill_with_poison(y);
  const auto x_device = copy_to<typename T::Space>(x);
  const GuardedVector<S, typename T::Space> y_device(y);
  plan.apply(exec, op, alpha, x_device, beta, y_device.view());
  exec.fence("heddle::test::applied");
  const auto reference = reference_spmv(op, alpha, A.host.matrix(), x, beta, y);
  const std::string problem = mismatch(reference, to_host(y_device.view()));
  if (!problem.empty()) return problem;
  return y_device.guards_untouched() ? "" : "something was written beside y";
}

/// Patterns at the edges of the tiles of csr/adaptive and csr/merge, and larger than many of them.
inline std::vector<Pattern> tile_patterns() {
  std::vector<Pattern> all;
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t columns, auto length) {
    all.push_back(random_pattern(name, 100 + all.size(), rows, columns, length));
  };
  for (const std::int64_t length : {255, 256, 257, 511, 512, 767, 768, 1023, 1024, 1025}) {
    add("rows of about a tile", 37, 3000, [=](std::int64_t) { return length; });
  }
  add("empty rows fill tiles", 30000, 200, [](std::int64_t i) { return i % 5000 == 7 ? 150 : 0; });
  add("huge rows among short ones", 12000, 40000,
      [](std::int64_t i) { return i % 3000 == 1 ? 30000 : i % 4; });
  add("huge rows side by side", 40, 60000, [](std::int64_t i) { return i % 2 ? 20000 : 5000; });
  add("120,000 rows", 120000, 120000, [](std::int64_t i) { return 1 + i % 3; });
  return all;
}

}  // namespace heddle::test
