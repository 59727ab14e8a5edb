#include "codegen/kernels/machine_code.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <string>

namespace tinytune {
namespace {

#if LLVM_VERSION_MAJOR == 14
constexpr auto kObjectFile = llvm::CGFT_ObjectFile, kAssemblyFile = llvm::CGFT_AssemblyFile;
#else
constexpr auto kObjectFile = llvm::CodeGenFileType::ObjectFile,
               kAssemblyFile = llvm::CodeGenFileType::AssemblyFile;
#endif

void keep_first(const llvm::DiagnosticInfo& said, void* first_error) {
  auto& text = *static_cast<std::string*>(first_error);
  if (said.getSeverity() != llvm::DS_Error || !text.empty()) return;
  llvm::raw_string_ostream stream(text);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  said.print(printer);
}

#if LLVM_VERSION_MAJOR == 14
void keep_error(const llvm::DiagnosticInfo& said, void* first_error) {
  keep_first(said, first_error);
}
#else
void keep_error(const llvm::DiagnosticInfo* said, void* first_error) {
  keep_first(*said, first_error);
}
#endif

}  // namespace

Result<std::vector<uint8_t>> machine_code(llvm::Module& module, llvm::TargetMachine& machine,
                                          Emit kind) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  const auto type = kind == Emit::kObject ? kObjectFile : kAssemblyFile;
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
