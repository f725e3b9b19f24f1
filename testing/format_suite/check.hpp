// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by the tests of SpMV: a matrix on the device with its original on the host, and products
// compared with the oracle, with poison wherever the library must not read or write.
#pragma once

#include <cstring>
#include <heddle/spmv.hpp>
#include <string>

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
  /// Number of rows of x and of y.
  std::size_t rows_of_x(Op op = Op::none) const {
    return static_cast<std::size_t>(transposes(op) ? host.rows() : host.columns());
  }
  std::size_t rows_of_y(Op op = Op::none) const {
    return static_cast<std::size_t>(transposes(op) ? host.columns() : host.rows());
  }
};

template <class T>
DeviceMatrix<T> to_device(const typename T::Exec& exec, std::string name,
                          const typename DeviceMatrix<T>::Host& host) {
  DeviceMatrix<T> A{std::move(name), host, host.template copy_to<typename T::Space>(exec)};
  exec.fence("heddle::test::matrix");
  return A;
}

template <class T>
DeviceMatrix<T> to_device(const typename T::Exec& exec, const Pattern& pattern,
                          std::uint64_t seed = 1) {
  using D = DeviceMatrix<T>;
  return to_device<T>(exec, pattern.name,
                      make_matrix<typename D::S, typename D::O, typename D::Off>(pattern, seed));
}

/// Several vectors, column-major or row-major, as Views of one type in a space.
template <class V, MemorySpace Space>
class Vectors {
 public:
  using View = Kokkos::View<V**, Kokkos::LayoutStride, Space>;
  using Host = Vectors<V, Kokkos::HostSpace>;

  Vectors(std::size_t rows, std::size_t count, bool apart)
      : Vectors(Kokkos::View<V*, Space>("heddle::test::vectors", rows * count), rows, count,
                apart) {}
  Vectors(const Kokkos::View<V*, Space>& data, std::size_t rows, std::size_t count, bool apart)
      : data_(data),
        view_(data.data(), apart ? Kokkos::LayoutStride(rows, 1, count, rows ? rows : 1)
                                 : Kokkos::LayoutStride(rows, count ? count : 1, count, 1)),
        apart_(apart) {}

  const View& view() const { return view_; }
  const Kokkos::View<V*, Space>& data() const { return data_; }

  /// A copy in memory of its own.
  template <MemorySpace Target>
  Vectors<V, Target> in() const {
    return {test::copy_to<Target>(data_), view_.extent(0), view_.extent(1), apart_};
  }

 private:
  Kokkos::View<V*, Space> data_;
  View view_;
  bool apart_;
};

/// Random vectors, of which vector k equals vector k % 7. These are few for an oracle, and still a
/// kernel that processes them by twos, fours or eights and mistakes one for another is found out.
inline constexpr std::size_t different_vectors = 7;

template <Scalar V>
Vectors<V, Kokkos::HostSpace> random_vectors(std::size_t rows, std::size_t count, bool apart,
                                             std::uint64_t seed) {
  const Vectors<V, Kokkos::HostSpace> vectors(rows, count, apart);
  for (std::size_t k = 0; k < count; ++k) {
    const auto one = random_vector<V>(rows, seed + 100 * (k % different_vectors));
    for (std::size_t i = 0; i < rows; ++i) vectors.view()(i, k) = one(i);
  }
  return vectors;
}

/// The oracle for vectors of random_vectors.
template <class T>
Reference reference_of(const DeviceMatrix<T>& A, Op op, typename T::Scalar alpha,
                       const Vectors<typename T::Scalar, Kokkos::HostSpace>& x,
                       typename T::Scalar beta,
                       const Vectors<typename T::Scalar, Kokkos::HostSpace>& y) {
  const std::size_t count = x.view().extent(1);
  const std::pair first(std::size_t{0}, std::min(count, different_vectors));
  Reference all =
      reference_spmv(op, alpha, A.host.matrix(), Kokkos::subview(x.view(), Kokkos::ALL, first),
                     beta, Kokkos::subview(y.view(), Kokkos::ALL, first));
  const std::size_t rows = all.rows;
  const auto repeat = [&](auto& values) {
    values.resize(count * rows);
    for (std::size_t r = different_vectors * rows; r < values.size(); ++r) {
      values[r] = values[r - different_vectors * rows];
    }
  };
  repeat(all.values);
  repeat(all.magnitudes);
  repeat(all.terms);
  return all;
}

/// Whether two host views hold the same bits.
template <VectorView V, VectorView W>
bool same_bits(const V& a, const W& b) {
  using S = typename V::non_const_value_type;
  if (a.extent(0) != b.extent(0) || a.size() != b.size()) return false;
  const std::size_t vectors = V::rank() == 1 ? 1 : a.extent(1);
  for (std::size_t k = 0; k < vectors; ++k) {
    for (std::size_t i = 0; i < a.extent(0); ++i) {
      const S left = detail::at(a, i, k), right = detail::at(b, i, k);
      if (std::memcmp(&left, &right, sizeof(S)) != 0) return false;
    }
  }
  return true;
}

/// Whether two applies of a scheme give the same bits.
inline bool reproducible(const Scheme& scheme, Op op) {
  const std::string text = scheme.to_string();
  const bool adds_as_it_comes = text.find("=atomics") != std::string::npos && transposes(op);
  return !adds_as_it_comes && text.find("order=arrival") == std::string::npos;
}

/// y with `guard` poisoned entries before and after it, which must not change.
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

/// One product of a matrix and random vectors with its correct result, for any number of plans. If
/// beta == 0 y holds NaN before.
template <class T>
class CheckedProduct {
 public:
  using S = typename T::Scalar;

  CheckedProduct(const DeviceMatrix<T>& A, Op op, S alpha, S beta, std::uint64_t seed = 7)
      : op_(op), alpha_(alpha), beta_(beta) {
    const auto x = random_vector<S>(A.rows_of_x(op), seed);
    y_ = random_vector<S>(A.rows_of_y(op), seed + 1);
    if (beta == S(0)) fill_with_poison(y_);
    x_ = copy_to<typename T::Space>(x);
    reference_ = reference_spmv(op, alpha, A.host.matrix(), x, beta, y_);
  }

  Op op() const { return op_; }

  /// Describes what is wrong with the plan's result; empty if it is right.
  template <class Plan>
  std::string problem(const typename T::Exec& exec, Plan& plan) const {
    const GuardedVector<S, typename T::Space> y(y_);
    plan.apply(exec, op_, alpha_, x_, beta_, y.view());
    exec.fence("heddle::test::applied");
    const std::string wrong = mismatch(reference_, to_host(y.view()));
    if (!wrong.empty()) return std::string(name(op_)) + ": " + wrong;
    return y.guards_untouched() ? "" : std::string(name(op_)) + ": something was written beside y";
  }

  /// The plan's result.
  template <class Plan>
  HostVector<S> result(const typename T::Exec& exec, Plan& plan) const {
    const auto y = copy_to<typename T::Space>(y_);
    plan.apply(exec, op_, alpha_, x_, beta_, y);
    exec.fence("heddle::test::applied");
    return copy_to<Kokkos::HostSpace>(y);
  }

 private:
  Op op_;
  S alpha_, beta_;
  HostVector<S> y_;
  Kokkos::View<S*, typename T::Space> x_;
  Reference reference_;
};

/// One product of a matrix and several random vectors with its correct result. If beta == 0 y holds
/// NaN before.
template <class T>
class CheckedVectors {
 public:
  using S = typename T::Scalar;
  using Host = Vectors<S, Kokkos::HostSpace>;

  CheckedVectors(const DeviceMatrix<T>& A, Op op, S alpha, S beta, std::size_t count, bool x_apart,
                 bool y_apart)
      : op_(op),
        alpha_(alpha),
        beta_(beta),
        x_(random_vectors<S>(A.rows_of_x(op), count, x_apart, 3)),
        y_(random_vectors<S>(A.rows_of_y(op), count, y_apart, 4)),
        x_on_device_(x_.template in<typename T::Space>()) {
    if (beta == S(0)) fill_with_poison(y_.data());
    reference_ = reference_of(A, op, alpha, x_, beta, y_);
  }

  /// Describes what is wrong with the result of apply(op, alpha, x, beta, y); empty if it is right.
  template <class Apply>
  std::string problem_of(const typename T::Exec& exec, const Apply& apply) const {
    const auto y = y_.template in<typename T::Space>();
    apply(op_, alpha_, x_on_device_.view(), beta_, y.view());
    exec.fence("heddle::test::applied");
    return mismatch(reference_, y.template in<Kokkos::HostSpace>().view());
  }
  template <class Plan>
  std::string problem(const typename T::Exec& exec, Plan& plan) const {
    return problem_of(exec, [&](auto... operands) { plan.apply(exec, operands...); });
  }

 private:
  Op op_;
  S alpha_, beta_;
  Host x_, y_;
  Vectors<S, typename T::Space> x_on_device_;
  Reference reference_;
};

/// Compares one product with a random vector with the oracle.
template <class Plan, class T>
std::string apply_and_compare(const typename T::Exec& exec, Plan& plan, const DeviceMatrix<T>& A,
                              Op op, typename T::Scalar alpha, typename T::Scalar beta,
                              std::uint64_t seed = 7) {
  return CheckedProduct<T>(A, op, alpha, beta, seed).problem(exec, plan);
}

}  // namespace heddle::test
