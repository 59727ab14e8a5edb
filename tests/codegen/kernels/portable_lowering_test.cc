// Instructions that LLVM's passes may emit, printed as C and compiled by this machine's C compiler,
// against the same functions through LLVM's own code generator. Every function computes three words
// of memory.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "base/toolchain.h"
#include "codegen/kernels/portable_c.h"

namespace tinytune {
namespace {

/// The text of a function's blocks and its declarations. It reads %a, %b and %c and writes %output,
/// 64 bytes each, which do not overlap.
struct Function {
  std::string body, declares;
};

struct Type {
  const char *name, *suffix, *storage;  ///< storage: an integer that holds it in memory, or itself
  int bits, lanes;
};

constexpr Type kTypes[] = {{"i8", "i8", "i8", 8, 1},          {"i16", "i16", "i16", 16, 1},
                           {"i32", "i32", "i32", 32, 1},      {"i64", "i64", "i64", 64, 1},
                           {"i24", "i24", "i32", 24, 1},      {"i33", "i33", "i64", 33, 1},
                           {"<4 x i8>", "v4i8", "", 8, 4},    {"<3 x i16>", "v3i16", "", 16, 3},
                           {"<4 x i32>", "v4i32", "", 32, 4}, {"<2 x i64>", "v2i64", "", 64, 2}};

std::string load(const Type& t, char argument) {
  if (t.lanes > 1 || t.storage == std::string(t.name))
    return fmt::format(
        "%p{0} = bitcast i8* %{0} to {1}*\n%x{0} = load {1}, {1}* %p{0}, align {2}\n", argument,
        t.name, t.bits / 8);
  return fmt::format(
      "%p{0} = bitcast i8* %{0} to {2}*\n%w{0} = load {2}, {2}* %p{0}, align 4\n"
      "%x{0} = trunc {2} %w{0} to {1}\n",
      argument, t.name, t.storage);
}

std::string store(const Type& t, const std::string& value) {
  if (t.lanes > 1 || t.storage == std::string(t.name))
    return fmt::format("%po = bitcast i8* %output to {0}*\nstore {0} {1}, {0}* %po, align {2}\n",
                       t.name, value, t.bits / 8);
  return fmt::format(
      "%po = bitcast i8* %output to {2}*\n%wide = zext {0} {1} to {2}\n"
      "store {2} %wide, {2}* %po, align 4\n",
      t.name, value, t.storage);
}

Function computed(const Type& t, const std::string& how, const std::string& declares) {
  return {load(t, 'a') + load(t, 'b') + load(t, 'c') + how + store(t, "%r") + "ret void\n",
          declares};
}

std::string splat(const Type& t, int value) {
  if (t.lanes == 1) return std::to_string(value);
  const std::string element = std::string("i") + std::to_string(t.bits);
  std::string text;
  for (int lane = 0; lane < t.lanes; ++lane)
    text += fmt::format("{}{} {}", lane > 0 ? ", " : "", element, value);
  return "<" + text + ">";
}

Function called(const Type& t, const std::string& name, int arguments, const std::string& last = "",
                bool counts = false) {
  std::string types = t.name, values = fmt::format("{} %xa", t.name), how;
  if (counts) how = fmt::format("%by = urem {} %xb, {}\n", t.name, splat(t, t.bits));
  if (arguments > 1) {
    types += std::string(", ") + t.name;
    values += fmt::format(", {} {}", t.name, counts ? "%by" : "%xb");
  }
  if (arguments > 2) types += std::string(", ") + t.name, values += fmt::format(", {} %xc", t.name);
  if (!last.empty()) {
    types += ", " + last.substr(0, last.find(' '));
    values += ", " + last;
  }
  const std::string full = fmt::format("llvm.{}.{}", name, t.suffix);
  return computed(t, how + fmt::format("%r = call {} @{}({})\n", t.name, full, values),
                  fmt::format("declare {} @{}({})\n", t.name, full, types));
}

/// LLVM 14 reduces a count of odd width modulo that width together with the bits above it in the
/// register, so the count is masked: a truncation would leave such bits.
Function funnel_shifted(const Type& t, const std::string& name) {
  Function f = called(t, name, 3);
  if (t.lanes > 1 || t.storage == std::string(t.name)) return f;
  const size_t call = f.body.find("%r = ");
  f.body.insert(call, fmt::format("%count = and {} %xc, 255\n", t.name));
  f.body.replace(f.body.find("%xc)", call), 4, "%count)");
  return f;
}

Function overflowing(const Type& t, const std::string& name) {
  const std::string full = fmt::format("llvm.{}.with.overflow.{}", name, t.suffix);
  const std::string flags = t.lanes == 1 ? std::string("i1") : fmt::format("<{} x i1>", t.lanes);
  const std::string pair = fmt::format("{{{}, {}}}", t.name, flags);
  const std::string how = fmt::format(
      "%both = call {2} @{1}({0} %xa, {0} %xb)\n%sum = extractvalue {2} %both, 0\n"
      "%over = extractvalue {2} %both, 1\n%r = select {3} %over, {0} %xc, {0} %sum\n",
      t.name, full, pair, flags);
  return computed(t, how, fmt::format("declare {2} @{1}({0}, {0})\n", t.name, full, pair));
}

Function reduced(const Type& t, const std::string& name) {
  const std::string element = "i" + std::to_string(t.bits);
  const std::string full = fmt::format("llvm.vector.reduce.{}.{}", name, t.suffix);
  return {load(t, 'a') + fmt::format("%r = call {0} @{1}({2} %xa)\n%po = bitcast i8* %output to "
                                     "{0}*\nstore {0} %r, {0}* %po, align 1\nret void\n",
                                     element, full, t.name),
          fmt::format("declare {} @{}({})\n", element, full, t.name)};
}

void add_intrinsics(std::map<std::string, Function>& all) {
  for (const Type& t : kTypes) {
    const auto add = [&](const std::string& name, Function f) {
      all[name + " " + t.name] = std::move(f);
    };
    for (const char* name :
         {"sadd.sat", "uadd.sat", "ssub.sat", "usub.sat", "smin", "smax", "umin", "umax"})
      add(name, called(t, name, 2));
    for (const char* name : {"sshl.sat", "ushl.sat"}) add(name, called(t, name, 2, "", true));
    for (const char* name : {"sadd", "uadd", "ssub", "usub", "smul", "umul"})
      if (t.lanes == 1) add(name + std::string(".with.overflow"), overflowing(t, name));
    for (const char* name : {"fshl", "fshr"}) add(name, funnel_shifted(t, name));
    for (const char* name : {"ctlz", "cttz", "abs"}) add(name, called(t, name, 1, "i1 false"));
    for (const char* name : {"ctpop", "bitreverse"}) add(name, called(t, name, 1));
    if (t.bits % 16 == 0) add("bswap", called(t, "bswap", 1));
    if (t.bits <= 32 && t.lanes == 1)
      for (const char* name : {"smul.fix.sat", "umul.fix.sat"})
        add(name, called(t, name, 2, "i32 5"));
    if (t.lanes > 1)
      for (const char* name : {"add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"})
        add(std::string("reduce ") + name, reduced(t, name));
    for (const char* op : {"add", "sub", "mul", "and", "or", "xor"})
      add(op, computed(t, fmt::format("%r = {} {} %xa, %xb\n", op, t.name), ""));
    for (const char* op : {"udiv", "urem"})
      add(op, computed(t,
                       fmt::format("%d = or {0} %xb, {2}\n%r = {1} {0} %xa, %d\n", t.name, op,
                                   splat(t, 1)),
                       ""));
    for (const char* op : {"sdiv", "srem"})  // by 1, 3, 5 or 7
      add(op, computed(t,
                       fmt::format("%m = and {0} %xb, {2}\n%d = or {0} %m, {3}\n"
                                   "%r = {1} {0} %xa, %d\n",
                                   t.name, op, splat(t, 7), splat(t, 1)),
                       ""));
    for (const char* op : {"shl", "lshr", "ashr"})
      add(op, computed(t,
                       fmt::format("%n = urem {0} %xb, {2}\n%r = {1} {0} %xa, %n\n", t.name, op,
                                   splat(t, t.bits)),
                       ""));
    for (const char* sign : {"eq", "ult", "uge", "slt", "sge"})
      add(sign, computed(t,
                         fmt::format("%t = icmp {1} {0} %xa, %xb\n%r = select {2} %t, {0} %xb, {0} "
                                     "%xc\n",
                                     t.name, sign,
                                     t.lanes == 1 ? "i1" : fmt::format("<{} x i1>", t.lanes)),
                         ""));
  }
}

void add_shapes(std::map<std::string, Function>& all) {
  all["memset"] = {
      "%n = load i8, i8* %a\n%m = and i8 %n, 31\n%l = zext i8 %m to i32\n%v = load i8, i8* %b\n"
      "call void @llvm.memset.p0i8.i32(i8* %output, i8 %v, i32 %l, i1 false)\nret void\n",
      "declare void @llvm.memset.p0i8.i32(i8*, i8, i32, i1)\n"};
  for (const char* name : {"memcpy", "memmove"})
    for (const char* length : {"23", "%l"})
      all[std::string(name) + length] = {
          fmt::format("%n = load i8, i8* %a\n%m = and i8 %n, 31\n%l = zext i8 %m to i32\n"
                      "call void @llvm.{}.p0i8.p0i8.i32(i8* %output, i8* %b, i32 {}, i1 false)\n"
                      "ret void\n",
                      name, length),
          fmt::format("declare void @llvm.{}.p0i8.p0i8.i32(i8*, i8*, i32, i1)\n", name)};
  all["hints"] = {
      "%p = bitcast i8* %a to i32*\n%x = load i32, i32* %p\n%even = and i32 %x, -2\n"
      "%t = icmp ne i32 %even, 1\ncall void @llvm.assume(i1 %t)\n"
      "%y = call i32 @llvm.expect.i32(i32 %even, i32 4)\n"
      "%z = call i1 @llvm.is.constant.i32(i32 %y)\n%s = select i1 %z, i32 1, i32 %y\n"
      "%m = alloca i32\n%mb = bitcast i32* %m to i8*\n"
      "call void @llvm.lifetime.start.p0i8(i64 4, i8* %mb)\nstore i32 %s, i32* %m\n"
      "%o = load i32, i32* %m\ncall void @llvm.lifetime.end.p0i8(i64 4, i8* %mb)\n"
      "call void @llvm.prefetch.p0i8(i8* %a, i32 0, i32 3, i32 1)\n"
      "%q = bitcast i8* %output to i32*\nstore i32 %o, i32* %q\nret void\n",
      "declare void @llvm.assume(i1)\ndeclare i32 @llvm.expect.i32(i32, i32)\n"
      "declare i1 @llvm.is.constant.i32(i32)\ndeclare void @llvm.lifetime.start.p0i8(i64, i8*)\n"
      "declare void @llvm.lifetime.end.p0i8(i64, i8*)\n"
      "declare void @llvm.prefetch.p0i8(i8*, i32, i32, i32)\n"};
  all["switch"] = {
      "%n = load i8, i8* %a\n%m = and i8 %n, 7\n"
      "switch i8 %m, label %other [i8 0, label %one i8 3, label %two i8 4, label %two i8 5, label "
      "%never]\none:\nbr label %end\ntwo:\nbr label %end\nother:\nbr label %end\nnever:\n"
      "br label %end\nend:\n%r = phi i8 [7, %one], [%n, %two], [%m, %other], [3, %never]\n"
      "store i8 %r, i8* %output\nret void\n",
      ""};
  all["an odd sum in a loop"] = {
      "%p = bitcast i8* %a to i32*\n%x = load i32, i32* %p\n%w = sext i32 %x to i33\n"
      "br label %loop\nloop:\n%i = phi i32 [0, %0], [%j, %loop]\n%s = phi i33 [%w, %0], [%t, "
      "%loop]\n%sq = mul i33 %s, %w\n%t = add i33 %sq, 77\n%j = add i32 %i, 1\n"
      "%more = icmp ult i32 %j, 9\nbr i1 %more, label %loop, label %end\nend:\n"
      "%h = ashr i33 %t, 1\n%r = trunc i33 %h to i32\n%q = bitcast i8* %output to i32*\n"
      "store i32 %r, i32* %q\nret void\n",
      ""};
  all["24 bits of memory"] = {
      "%p = bitcast i8* %a to i24*\n%x = load i24, i24* %p, align 1\n%y = mul i24 %x, %x\n"
      "%q = bitcast i8* %output to i24*\nstore i24 %y, i24* %q, align 1\nret void\n",
      ""};
  all["a truth in memory"] = {
      "%n = load i8, i8* %a\n%t = icmp sgt i8 %n, 4\n%m = alloca i1\nstore i1 %t, i1* %m\n"
      "%u = load i1, i1* %m\n%r = zext i1 %u to i8\nstore i8 %r, i8* %output\nret void\n",
      ""};
  all["lanes that change places"] = {
      "%p = bitcast i8* %a to <4 x i16>*\n%x = load <4 x i16>, <4 x i16>* %p, align 2\n"
      "%q = bitcast i8* %b to <4 x i16>*\n%y = load <4 x i16>, <4 x i16>* %q, align 2\n"
      "%s = shufflevector <4 x i16> %x, <4 x i16> %y, <4 x i32> <i32 6, i32 1, i32 3, i32 4>\n"
      "%n = load i8, i8* %c\n%k = and i8 %n, 3\n%e = extractelement <4 x i16> %y, i8 %k\n"
      "%z = insertelement <4 x i16> %s, i16 %e, i8 %k\n%w = bitcast <4 x i16> %z to i64\n"
      "%r = mul i64 %w, %w\n%v = bitcast i64 %r to <8 x i8>\n"
      "%i = sext <8 x i8> %v to <8 x i32>\n%j = mul <8 x i32> %i, %i\n"
      "%l = trunc <8 x i32> %j to <8 x i8>\n%o = bitcast i8* %output to <8 x i8>*\n"
      "store <8 x i8> %l, <8 x i8>* %o, align 1\nret void\n",
      ""};
  all["lanes in a loop"] = {
      "%p = bitcast i8* %a to <4 x i32>*\n%x = load <4 x i32>, <4 x i32>* %p, align 4\n"
      "br label %loop\nloop:\n%i = phi i32 [0, %0], [%j, %loop]\n"
      "%s = phi <4 x i32> [%x, %0], [%t, %loop]\n%sq = mul <4 x i32> %s, %s\n"
      "%t = add <4 x i32> %sq, <i32 1, i32 2, i32 3, i32 4>\n%j = add i32 %i, 1\n"
      "%more = icmp ult i32 %j, 5\nbr i1 %more, label %loop, label %end\nend:\n"
      "%q = bitcast i8* %output to <4 x i32>*\nstore <4 x i32> %t, <4 x i32>* %q, align 4\n"
      "ret void\n",
      ""};
  all["masked lanes"] = {
      "%p = bitcast i8* %a to <4 x i32>*\n%x = load <4 x i32>, <4 x i32>* %p, align 4\n"
      "%q = bitcast i8* %b to <4 x i32>*\n%m = icmp sgt <4 x i32> %x, zeroinitializer\n"
      "%y = call <4 x i32> @llvm.masked.load.v4i32.p0v4i32(<4 x i32>* %q, i32 4, <4 x i1> %m, "
      "<4 x i32> %x)\n%o = bitcast i8* %output to <4 x i32>*\n"
      "call void @llvm.masked.store.v4i32.p0v4i32(<4 x i32> %y, <4 x i32>* %o, i32 4, <4 x i1> "
      "%m)\nret void\n",
      "declare <4 x i32> @llvm.masked.load.v4i32.p0v4i32(<4 x i32>*, i32, <4 x i1>, <4 x i32>)\n"
      "declare void @llvm.masked.store.v4i32.p0v4i32(<4 x i32>, <4 x i32>*, i32, <4 x i1>)\n"};
}

std::string defined(const Function& f, const std::string& symbol) {
  return fmt::format("define void @{}(i8* %a, i8* %b, i8* %c, i8* %output) {{\n{}}}\n", symbol,
                     f.body);
}

Result<std::string> printed(const Function& f, const std::string& symbol) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const auto module = llvm::parseAssemblyString(f.declares + defined(f, symbol), problem, context);
  if (module == nullptr)
    return Error(ErrorCode::kInvalidInput, problem.getMessage().str() + "\n" + f.body);
  TT_TRY_ASSIGN(const std::string body, print_portable_c(*module, symbol));
  return "static " +
         portable_c_function(
             symbol, {"const void *a", "const void *b", "const void *c", "void *output"}, body);
}

// A C library's own headers need __GNUC__; the prelude behind them must work without it.
constexpr const char* kHeaders = R"(
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#ifdef PLAIN_C
#undef __GNUC__
#endif
)";

constexpr const char* kMain = R"(
static uint64_t state = 88172645463325252u;
static uint64_t next(void) {
  state ^= state << 13; state ^= state >> 7; state ^= state << 17;
  return state;
}
static void fill(unsigned char *p) {
  const unsigned kind = (unsigned)(next() % 8);
  for (int i = 0; i < 64; ++i) {
    const unsigned char corner[] = {0, 255, 128, 127, 1};
    p[i] = kind < 3 ? (unsigned char)(next() >> 33) : corner[(kind + (kind > 5 ? next() % 5 : 0)) % 5];
  }
  if (kind > 3 && next() % 2) p[next() % 64] = (unsigned char)(next() >> 40);
}
typedef void kernel(const void *, const void *, const void *, void *);
static int compare(const char *name, kernel *c, kernel *llvm) {
  static _Alignas(16) unsigned char a[64], b[64], d[64], x[64], y[64];
  for (int i = 0; i < 4000; ++i) {
    fill(a); fill(b); fill(d);
    memset(x, 0xa5, 64); memset(y, 0xa5, 64);
    c(a, b, d, x);
    llvm(a, b, d, y);
    if (memcmp(x, y, 64) != 0) return printf("%s differs\n", name), 1;
  }
  return 0;
}
)";

TEST(PortableLowering, WhatPassesMayEmit_ComputesAsLlvmsOwnCodeDoes) {
  std::map<std::string, Function> all;
  add_intrinsics(all);
  add_shapes(all);
  std::set<std::string> declares;
  std::string oracle, program = kHeaders + portable_c_prelude(), calls;
  for (const auto& [name, f] : all) {
    const std::string symbol =
        "f" + std::to_string(declares.size()) + "_" + std::to_string(oracle.size());
    const auto body = printed(f, symbol);
    ASSERT_TRUE(body) << name << ": " << body.error().message();
    program += *body;
    calls += fmt::format("  failed |= compare(\"{0}\", {1}, llvm_{1});\n", name, symbol);
    program +=
        fmt::format("void llvm_{}(const void *, const void *, const void *, void *);\n", symbol);
    oracle += defined(f, "llvm_" + symbol);
    std::istringstream lines(f.declares);
    for (std::string line; std::getline(lines, line);) declares.insert(line);
  }
  for (const std::string& line : declares) oracle += line + "\n";
  program += kMain + ("int main(void) {\n  int failed = 0;\n" + calls + "  return failed;\n}\n");
  const auto directory = TemporaryDirectory::create("portable");
  ASSERT_TRUE(directory);
  std::ofstream(directory->file("oracle.ll")) << oracle;
  std::ofstream(directory->file("program.c")) << program;
  const auto run = [&](const std::vector<std::string>& words) {
    const auto done = run_process(words, std::chrono::minutes(5));
    ASSERT_TRUE(done) << done.error().message();
    ASSERT_EQ(done->exit_code, 0) << words[0] << ": " << done->out << done->err;
  };
  const std::string object = directory->file("oracle.o"), built = directory->file("program");
  run({clang_program(), "-w", "-O1", "-x", "ir", "-c", directory->file("oracle.ll"), "-o", object});
  for (const char* dialect : {"-DGNU_C", "-DPLAIN_C"}) {
    run({"cc", "-std=c11", "-O1", "-w", dialect, directory->file("program.c"), object, "-o",
         built});
    run({built});
  }
}

TEST(PortableLowering, WhatCHasNoExpressionFor_IsRefusedByName) {
  const std::pair<const char*, Function> kinds[] = {
      {"fadd",
       {"%p = bitcast i8* %a to float*\n%x = load float, float* %p\n%y = fadd float %x, "
        "%x\n%i = fptosi float %y to i32\n%q = bitcast i8* %output to i32*\nstore i32 %i, "
        "i32* %q\nret void\n",
        ""}},
      {"llvm.arm.smlad",
       {"%p = bitcast i8* %a to i32*\n%x = load i32, i32* %p\n%y = call i32 @llvm.arm.smlad(i32 "
        "%x, i32 %x, i32 %x)\nstore i32 %y, i32* %p\nret void\n",
        "declare i32 @llvm.arm.smlad(i32, i32, i32)\n"}},
      {"@memcpy",
       {"%x = call i8* @memcpy(i8* %output, i8* %a, i32 4)\nret void\n",
        "declare i8* @memcpy(i8*, i8*, i32)\n"}},
      {"i65",
       {"%p = bitcast i8* %a to i32*\n%x = load i32, i32* %p\n%w = zext i32 %x to i65\n%y = mul "
        "i65 %w, %w\n%z = mul i65 %y, %w\n%h = lshr i65 %z, 40\n%t = trunc i65 %h to i32\nstore "
        "i32 "
        "%t, i32* %p\nret void\n",
        ""}}};
  for (const auto& [name, f] : kinds) {
    const auto body = printed(f, "f");
    ASSERT_FALSE(body) << name << ":\n" << *body;
    EXPECT_EQ(body.error().code(), ErrorCode::kUnsupported);
    EXPECT_NE(body.error().message().find(name == std::string("fadd") ? "float" : name),
              std::string::npos)
        << body.error().message();
  }
}

}  // namespace
}  // namespace tinytune
