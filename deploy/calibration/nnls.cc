#include "deploy/calibration/nnls.h"

#include <Eigen/QR>
#include <algorithm>

namespace tinytune {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

constexpr double kNothing = 1e-10;  // threshold of gradients, relative, and of unknowns

// Returns the least-squares fit of the unknowns in use; the others are 0.
Vector fit_of(const Matrix& matrix, const Vector& values, const std::vector<bool>& in_use) {
  std::vector<Index> columns;
  for (Index i = 0; i < matrix.cols(); ++i)
    if (in_use[static_cast<size_t>(i)]) columns.push_back(i);
  const Matrix part = matrix(Eigen::all, columns);
  const Vector solved = part.colPivHouseholderQr().solve(values);
  Vector all = Vector::Zero(matrix.cols());
  for (size_t i = 0; i < columns.size(); ++i) all[columns[i]] = solved[static_cast<Index>(i)];
  return all;
}

// Moves from `at` towards `wanted` until the first unknown in use is 0, which leaves the set.
void approach(Vector& at, const Vector& wanted, std::vector<bool>& in_use) {
  double step = 1;
  for (Index i = 0; i < at.size(); ++i)
    if (in_use[static_cast<size_t>(i)] && wanted[i] <= 0)
      step = std::min(step, at[i] / (at[i] - wanted[i]));
  at += step * (wanted - at);
  for (Index i = 0; i < at.size(); ++i) {
    if (!in_use[static_cast<size_t>(i)] || at[i] > kNothing) continue;
    at[i] = 0;
    in_use[static_cast<size_t>(i)] = false;
  }
}

bool all_positive(const Vector& fit, const std::vector<bool>& in_use) {
  for (Index i = 0; i < fit.size(); ++i)
    if (in_use[static_cast<size_t>(i)] && fit[i] <= 0) return false;
  return true;
}

}  // namespace

std::vector<double> fit_nonnegative(std::span<const Equation> equations, size_t unknowns) {
  Matrix matrix(equations.size(), unknowns);
  Vector values(equations.size());
  for (size_t row = 0; row < equations.size(); ++row) {
    const auto at = static_cast<Index>(row);
    matrix.row(at) = Eigen::Map<const Eigen::RowVectorXd>(equations[row].factors.data(),
                                                          static_cast<Index>(unknowns));
    values[at] = equations[row].value;
  }
  Vector fit = Vector::Zero(static_cast<Index>(unknowns));
  std::vector<bool> in_use(unknowns, false);
  const double scale = (matrix.transpose() * values).cwiseAbs().maxCoeff();
  // Each round adds one unknown to the set and reduces the error, so no set occurs twice.
  for (size_t round = 0; round < 3 * unknowns + 1; ++round) {
    const Vector gradient = matrix.transpose() * (values - matrix * fit);
    Index best = -1;
    for (Index i = 0; i < gradient.size(); ++i)
      if (!in_use[static_cast<size_t>(i)] && gradient[i] > kNothing * scale &&
          (best < 0 || gradient[i] > gradient[best]))
        best = i;
    if (best < 0) break;
    in_use[static_cast<size_t>(best)] = true;
    Vector wanted = fit_of(matrix, values, in_use);
    while (!all_positive(wanted, in_use)) {
      approach(fit, wanted, in_use);
      wanted = fit_of(matrix, values, in_use);
    }
    fit = wanted;
  }
  return {fit.begin(), fit.end()};
}

}  // namespace tinytune
