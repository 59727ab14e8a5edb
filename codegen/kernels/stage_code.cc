#include "codegen/kernels/stage_code.h"

#include <Halide.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <map>
#include <set>
#include <stdexcept>

#include "base/check.h"
#include "codegen/kernels/llvm_pointers.h"

namespace tinytune {
namespace {

using Halide::Internal::CodeGen_Posix;

// Halide makes names unique within a process by adding "$1", "$2", ….
std::string plain_name(const std::string& name) { return name.substr(0, name.find('$')); }

// Returns "input" for "input$1.stride.0", a local that holds a field of a buffer's struct.
std::string buffer_of(const std::string& field) {
  return plain_name(field.substr(0, field.find('.')));
}

struct ReadsField : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// While it lives, values get no names: Halide's differ each time that it lowers. A context that
// discards names cannot name parameters again, so an error must not leave it in that state.
class WithoutNames {
 public:
  explicit WithoutNames(llvm::LLVMContext& context) : context_(context) {
    context_.setDiscardValueNames(true);
  }
  ~WithoutNames() { context_.setDiscardValueNames(false); }
  WithoutNames(const WithoutNames&) = delete;
  WithoutNames& operator=(const WithoutNames&) = delete;

 private:
  llvm::LLVMContext& context_;
};

// Statements are translated by Halide's classes; buffers come from parameters and not from structs.
class StageCode : public CodeGen_Posix {
 public:
  StageCode(const Halide::Target& target, llvm::LLVMContext& in) : CodeGen_Posix(target) {
    set_context(in);
    init_context();
  }

  std::unique_ptr<llvm::Module> write(const Halide::Module& stages, const std::string& symbol,
                                      const std::vector<std::string>& parameters,
                                      llvm::TargetMachine& machine) {
    module = std::make_unique<llvm::Module>(symbol, *context);
    module->setTargetTriple(machine.getTargetTriple().str());
    module->setDataLayout(machine.createDataLayout());
    begin(symbol, parameters);
    {
      const WithoutNames without_names(*context);
      for (const auto& stage : stages.functions()) codegen(stage.body);
    }
    // Newer LLVMs remove a value's name if Halide gives it another.
    for (const auto& [name, argument] : arguments_) argument->setName(name);
    builder->CreateRetVoid();
    return std::move(module);
  }

 private:
  using CodeGen_Posix::visit;

  void begin(const std::string& symbol, const std::vector<std::string>& parameters) {
    const std::vector<llvm::Type*> types(parameters.size(), pointer_to(builder->getInt8Ty()));
    function = llvm::Function::Create(llvm::FunctionType::get(builder->getVoidTy(), types, false),
                                      llvm::GlobalValue::ExternalLinkage, symbol, *module);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    for (size_t i = 0; i < parameters.size(); ++i) {
      llvm::Argument* argument = function->getArg(static_cast<unsigned>(i));
      argument->addAttr(llvm::Attribute::NoAlias);
      arguments_[parameters[i]] = argument;
    }
    builder->SetInsertPoint(llvm::BasicBlock::Create(*context, "entry", function));
  }

  // Drops assertions on bounds, since templates fix all bounds.
  void visit(const Halide::Internal::AssertStmt*) override {}

  // A stage begins with a local for each field of its buffers' structs.
  void visit(const Halide::Internal::LetStmt* let) override {
    const auto* call = let->value.as<Halide::Internal::Call>();
    if (call == nullptr || !call->name.starts_with("_halide_buffer_get_"))
      return CodeGen_Posix::visit(let);
    if (call->name != "_halide_buffer_get_host") {
      fields_.insert(let->name);
      return codegen(let->body);
    }
    const auto argument = arguments_.find(plain_name(let->name));
    TT_CHECK(argument != arguments_.end(), "no parameter " + let->name);
    sym_push(let->name, argument->second);
    codegen(let->body);
    sym_pop(let->name);
  }

  void visit(const Halide::Internal::Variable* variable) override {
    if (fields_.contains(variable->name))
      throw ReadsField("a stage reads '" + variable->name + "' of buffer '" +
                       buffer_of(variable->name) +
                       "'; callers pass its host pointer alone, so the template must fix its "
                       "bounds and strides");
    CodeGen_Posix::visit(variable);
  }

  // Needed only by unused parts of the base class: functions' attributes and vectors.
#if LLVM_VERSION_MAJOR == 14
  std::string mcpu() const override { return ""; }
#else
  std::string mcpu_target() const override { return ""; }
  std::string mcpu_tune() const override { return ""; }
#endif
  std::string mattrs() const override { return ""; }
  bool use_soft_float_abi() const override { return true; }
  int native_vector_bits() const override { return 32; }

  std::map<std::string, llvm::Argument*> arguments_;
  std::set<std::string> fields_;  ///< locals of buffer fields that callers do not pass
};

}  // namespace

Result<std::unique_ptr<llvm::Module>> code_of_stages(const Halide::Module& stages,
                                                     const std::string& symbol,
                                                     const std::vector<std::string>& parameters,
                                                     llvm::TargetMachine& machine,
                                                     llvm::LLVMContext& context) {
  try {
    return StageCode(stages.target(), context).write(stages, symbol, parameters, machine);
  } catch (const ReadsField& reads) {
    return Error(ErrorCode::kFailed, reads.what());
  }
}

}  // namespace tinytune
