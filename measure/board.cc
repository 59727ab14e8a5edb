#include "measure/board.h"

namespace tinytune {

Digest digest_of(std::span<const uint8_t> bytes) { return Digester().add(bytes).value(); }

bool clean(const KernelRunReport& report) {
  return report.end == RunEnd::kReturned && report.registers_restored && report.inputs_unchanged;
}

Result<std::vector<KernelRunReport>> Board::run_each(std::span<const RunRequest> requests) {
  std::vector<KernelRunReport> reports;
  for (const RunRequest& request : requests) {
    TT_TRY_ASSIGN(KernelRunReport report, run(request));
    reports.push_back(std::move(report));
    if (!clean(reports.back())) break;
  }
  return reports;
}

}  // namespace tinytune
