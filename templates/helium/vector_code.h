// Pieces of Helium assembly between code that LLVM compiles.
#pragma once

#include "templates/isa/helium.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

/// Writes a piece with `write`, which gets the registers of two addresses and a scratch register,
/// all in r0 to r7.
template <typename Write>
void with_vectors(IrText& ir, const Value& first, const Value& second, const Write& write) {
  Assembly code;
  Helium isa(code);
  write(isa, Reg{0}, Reg{1}, Reg{2});
  ir.assembly(code.text(), {first, second}, {}, 1, "l");
}

/// Save the caller's vectors to Helium::kSavedBytes bytes from `to` on, and restore them.
inline void save_vectors(IrText& ir, const Value& to) {
  with_vectors(ir, to, to, [](Helium& isa, Reg at, Reg, Reg) { isa.save(at); });
}
inline void restore_vectors(IrText& ir, const Value& from) {
  with_vectors(ir, from, from, [](Helium& isa, Reg at, Reg, Reg) { isa.restore(at); });
}

/// The ArrayCode of PixelTiles, with vectors.
inline void copy_array(IrText& ir, const Value& from, const Value& to, int64_t bytes) {
  Assembly code;
  Helium(code).copy_long(Reg{0}, Reg{1}, bytes, Reg{2}, Reg{IrText::kAllRegisters - 1});
  ir.assembly_of_all_registers(code.text(), {from, to});
}
inline void fill_array(IrText& ir, const Value& target, int64_t words, uint32_t word) {
  Assembly code;
  Helium(code).fill_long(Reg{0}, words, Reg{1}, Reg{2}, Reg{IrText::kAllRegisters - 1});
  ir.assembly_of_all_registers(code.text(), {target, static_cast<int32_t>(word)});
}

}  // namespace tinytune
