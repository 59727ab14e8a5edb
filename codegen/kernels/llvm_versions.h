// What LLVM 14 and 19 call differently, in one place.
#pragma once

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>

#include <optional>

static_assert(LLVM_VERSION_MAJOR == 14 || LLVM_VERSION_MAJOR == 19, "versions that were tried");

namespace tinytune::llvm_versions {

#if LLVM_VERSION_MAJOR == 14

inline constexpr auto kObjectFile = llvm::CGFT_ObjectFile;
inline constexpr auto kAssemblyFile = llvm::CGFT_AssemblyFile;
inline constexpr auto kAggressive = llvm::CodeGenOpt::Aggressive;
inline const auto kNoModel = llvm::None;  // of code

inline constexpr bool kWithSymbolTable = true;

inline llvm::Type* pointer_to(llvm::Type* type, unsigned space = 0) {
  return type->getPointerTo(space);
}

using Diagnostic = const llvm::DiagnosticInfo&;
inline const llvm::DiagnosticInfo& information(Diagnostic said) { return said; }

#else

inline constexpr auto kObjectFile = llvm::CodeGenFileType::ObjectFile;
inline constexpr auto kAssemblyFile = llvm::CodeGenFileType::AssemblyFile;
inline constexpr auto kAggressive = llvm::CodeGenOptLevel::Aggressive;
inline constexpr std::nullopt_t kNoModel = std::nullopt;

inline constexpr auto kWithSymbolTable = llvm::SymtabWritingMode::NormalSymtab;

inline llvm::Type* pointer_to(llvm::Type* type, unsigned space = 0) {
  return llvm::PointerType::get(type->getContext(), space);
}

using Diagnostic = const llvm::DiagnosticInfo*;
inline const llvm::DiagnosticInfo& information(Diagnostic said) { return *said; }

#endif

}  // namespace tinytune::llvm_versions
