#include "codegen/kernels/machine_code.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <string>

#include "codegen/kernels/llvm_versions.h"

namespace tinytune {
namespace {

void keep_error(llvm_versions::Diagnostic diagnostic, void* first_error) {
  const llvm::DiagnosticInfo& said = llvm_versions::information(diagnostic);
  auto& text = *static_cast<std::string*>(first_error);
  if (said.getSeverity() != llvm::DS_Error || !text.empty()) return;
  llvm::raw_string_ostream stream(text);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  said.print(printer);
}

}  // namespace

Result<std::vector<uint8_t>> machine_code(llvm::Module& module, llvm::TargetMachine& machine,
                                          Emit kind) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  const auto type =
      kind == Emit::kObject ? llvm_versions::kObjectFile : llvm_versions::kAssemblyFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return Error(ErrorCode::kFailed, "LLVM cannot emit code for this target");
  std::string first_error;
  module.getContext().setDiagnosticHandlerCallBack(keep_error, &first_error);
  passes.run(module);
  module.getContext().setDiagnosticHandlerCallBack(nullptr);
  if (!first_error.empty()) return Error(ErrorCode::kFailed, "LLVM says " + first_error);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

}  // namespace tinytune
