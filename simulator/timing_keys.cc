#include "simulator/timing_keys.h"

namespace tinytune::internal {
namespace {

// What every model that is not "unit" shares: cycles until the next instruction can issue.
// `divide` and everything else that depends on data is the upper end of its range.
//
// in_order adds:
//   load_use, multiply_use  more until an instruction that reads the result can issue
//   jump_use                more when the instruction before wrote the register jumped to
// and, where they are not as if the core lacked the effect (timing_in_order.cc):
//   branch_predicted        of a branch that the branch target buffer foresaw [branch_taken]
//   branch_mispredicted     of one that it foresaw and that falls through [branch_not_taken]
//   misaligned_target       more for fetching on at a 32-bit instruction whose address is no
//                           multiple of 4: after a taken branch, a jump, a misprediction [0]
//   store_data_late         cycles that a store needs its data later than its address [0]
//   divide_negative         of a signed division of a negative number [divide]
//   backward_taken, backward_not_taken  of a conditional branch to a lower address, where a core
//                           expects loops to go on [branch_taken, branch_not_taken]
//   branch_paired           less for a 16-bit conditional branch behind a 16-bit instruction; if it
//                           is taken, only behind one that leaves the flags alone [0]
//   accumulator_late        cycles that a multiplication needs its accumulator later [0]
//   multiply_flags          of a 16-bit multiplication that sets flags [multiply]
//   shift_use               more until an instruction that reads the result of arithmetic with a
//                           shifted or extended operand can issue [0]
//   transfer_base, transfer  LDM, STM, LDRD, STRD, PUSH, POP: base + transfer × registers [0, 1]
//   atomic, atomic_use      of an instruction that reads and writes its word, and more until its
//                           result can be read [load, load_use]
//   exclusive_overlap       more for lr, sc and atomic ones right behind lr or sc [0]
//   bank_wait               cycles that a fetch is late which wants the bank that a load or store
//                           uses; for cores that fetch as Hazard3 does (fetch_stream.h) [0]
//   float_alu, float_accumulate, float_divide  of the floating-point unit: sums, products,
//                           conversions and moves; a product added to a sum; quotients and square
//                           roots. What it loads and stores is a transfer. [1]
//   float_use               more for an instruction that reads such a result right behind it [0]
constexpr TimingKey kInOrder[] = {
    {"alu", &TimingCycles::alu},
    {"multiply", &TimingCycles::multiply},
    {"multiply_high", &TimingCycles::multiply_high},
    {"divide", &TimingCycles::divide},
    {"load", &TimingCycles::load},
    {"store", &TimingCycles::store},
    {"branch_taken", &TimingCycles::branch_taken},
    {"branch_not_taken", &TimingCycles::branch_not_taken},
    {"jump", &TimingCycles::jump},
    {"call", &TimingCycles::call},
    {"jump_indirect", &TimingCycles::jump_indirect},
    {"load_use", &TimingCycles::load_use},
    {"multiply_use", &TimingCycles::multiply_use},
    {"jump_use", &TimingCycles::jump_use},
    {"branch_predicted", &TimingCycles::branch_predicted, &TimingCycles::branch_taken},
    {"branch_mispredicted", &TimingCycles::branch_mispredicted, &TimingCycles::branch_not_taken},
    {"misaligned_target", &TimingCycles::misaligned_target, &TimingCycles::misaligned_target},
    {"store_data_late", &TimingCycles::store_data_late, &TimingCycles::store_data_late},
    {"divide_negative", &TimingCycles::divide_negative, &TimingCycles::divide},
    {"backward_taken", &TimingCycles::backward_taken, &TimingCycles::branch_taken},
    {"backward_not_taken", &TimingCycles::backward_not_taken, &TimingCycles::branch_not_taken},
    {"branch_paired", &TimingCycles::branch_paired, &TimingCycles::branch_paired},
    {"accumulator_late", &TimingCycles::accumulator_late, &TimingCycles::accumulator_late},
    {"multiply_flags", &TimingCycles::multiply_flags, &TimingCycles::multiply},
    {"shift_use", &TimingCycles::shift_use, &TimingCycles::shift_use},
    {"transfer_base", &TimingCycles::transfer_base, &TimingCycles::transfer_base},
    {"transfer", &TimingCycles::transfer, &TimingCycles::transfer},
    {"atomic", &TimingCycles::atomic, &TimingCycles::load},
    {"atomic_use", &TimingCycles::atomic_use, &TimingCycles::load_use},
    {"exclusive_overlap", &TimingCycles::exclusive_overlap, &TimingCycles::exclusive_overlap},
    {"bank_wait", &TimingCycles::bank_wait, &TimingCycles::bank_wait},
    {"float_alu", &TimingCycles::float_alu, &TimingCycles::float_alu},
    {"float_accumulate", &TimingCycles::float_accumulate, &TimingCycles::float_accumulate},
    {"float_divide", &TimingCycles::float_divide, &TimingCycles::float_divide},
    {"float_use", &TimingCycles::float_use, &TimingCycles::float_use},
};

// cortex_m adds:
//   load_after_load, store_after_load  instead of load and store when the instruction before is a
//                                      load of one register
//   store_register_offset              instead of store with base plus register
//   transfer_base, transfer            LDM, STM, LDRD, STRD, PUSH, POP: base + transfer × registers
//   address_use                        more when the instruction before wrote a register that forms
//                                      an address
// and, where they are not as if the core lacked the effect:
//   load_after_store                   instead of load when the instruction before is a store
//                                      [load]
//   misaligned_target                  more for a taken branch or jump to a 32-bit instruction
//                                      whose address is no multiple of 4 [0]
//   unaligned_part                     more for each further part in which an unaligned load is
//                                      made: two of a word on an odd address, else one [0]
//   transfer_after_store               more for LDM, LDRD and POP behind a store [0]
//   odd_wide_run                       more for the third of 32-bit instructions in a row whose
//                                      addresses are no multiples of 4 and which take one cycle
//                                      each: fetching runs ahead only before they begin; for the
//                                      fourth if the third is a store [0]
//   float_alu, float_accumulate, float_divide, float_use  as in_order's
// An instruction that writes the program counter without being a branch pays jump_indirect - 1 on
// top of its own cycles.
constexpr TimingKey kCortexM[] = {
    {"alu", &TimingCycles::alu},
    {"multiply", &TimingCycles::multiply},
    {"multiply_high", &TimingCycles::multiply_high},
    {"divide", &TimingCycles::divide},
    {"load", &TimingCycles::load},
    {"load_after_load", &TimingCycles::load_after_load},
    {"store", &TimingCycles::store},
    {"store_after_load", &TimingCycles::store_after_load},
    {"store_register_offset", &TimingCycles::store_register_offset},
    {"transfer_base", &TimingCycles::transfer_base},
    {"transfer", &TimingCycles::transfer},
    {"address_use", &TimingCycles::address_use},
    {"branch_taken", &TimingCycles::branch_taken},
    {"branch_not_taken", &TimingCycles::branch_not_taken},
    {"jump", &TimingCycles::jump},
    {"call", &TimingCycles::call},
    {"jump_indirect", &TimingCycles::jump_indirect},
    {"load_after_store", &TimingCycles::load_after_store, &TimingCycles::load},
    {"misaligned_target", &TimingCycles::misaligned_target, &TimingCycles::misaligned_target},
    {"unaligned_part", &TimingCycles::unaligned_part, &TimingCycles::unaligned_part},
    {"odd_wide_run", &TimingCycles::odd_wide_run, &TimingCycles::odd_wide_run},
    {"transfer_after_store", &TimingCycles::transfer_after_store,
     &TimingCycles::transfer_after_store},
    {"float_alu", &TimingCycles::float_alu, &TimingCycles::float_alu},
    {"float_accumulate", &TimingCycles::float_accumulate, &TimingCycles::float_accumulate},
    {"float_divide", &TimingCycles::float_divide, &TimingCycles::float_divide},
    {"float_use", &TimingCycles::float_use, &TimingCycles::float_use},
};

// dual_issue: everything issues in one cycle unless named here, alone or beside another
// (timing_dual_issue.cc has the pairing rules).
//   divide           cycles until anything else issues
//   load_use         cycles from a word load to a consumer that reads late; one more to others
//   narrow_load_use  the same for a byte or half word
//   narrow_store     cycles from a store of a byte to the next store: the buffer merges them into
//                    words
//   multiply_use     cycles from a product to a consumer; its own accumulator takes it in one
//   address_use      cycles from arithmetic to an address; one more from packed or bit-field ones
//   jump_indirect    cycles of a jump to a register, returns included
//   mispredict       cycles lost when a branch goes another way than foreseen
//   mispredict_early the same where the flags were set three cycles before [mispredict]
//   branch_history   not cycles: bits that the core keeps of what each branch did, by which it
//                    foresees what it does next. 0: a loop is always foreseen to go on, and
//                    everything else to go as it does [0]
//   float_alu, float_accumulate, float_divide, float_use  as in_order's; alone, without a pair
constexpr TimingKey kDualIssue[] = {
    {"divide", &TimingCycles::divide},
    {"load_use", &TimingCycles::load_use},
    {"narrow_load_use", &TimingCycles::narrow_load_use},
    {"narrow_store", &TimingCycles::narrow_store},
    {"multiply_use", &TimingCycles::multiply_use},
    {"address_use", &TimingCycles::address_use},
    {"jump_indirect", &TimingCycles::jump_indirect},
    {"mispredict", &TimingCycles::mispredict},
    {"mispredict_early", &TimingCycles::mispredict_early, &TimingCycles::mispredict},
    {"branch_history", &TimingCycles::branch_history, &TimingCycles::branch_history, 0, 7},
    {"float_alu", &TimingCycles::float_alu, &TimingCycles::float_alu},
    {"float_accumulate", &TimingCycles::float_accumulate, &TimingCycles::float_accumulate},
    {"float_divide", &TimingCycles::float_divide, &TimingCycles::float_divide},
    {"float_use", &TimingCycles::float_use, &TimingCycles::float_use},
};

// helium: everything issues in one cycle unless named here, alone or beside another
// (timing_helium.cc has the rules).
//   issue_width      instructions, not cycles. 2: any two scalar ones issue together, a vector's
//   load
//                    or store behind a scalar one, its arithmetic beside one; 1: two of 16 bits,
//                    the second a move, a sum with a constant or a jump
//   late_stages      not cycles: that arithmetic may be done later than where addresses are formed;
//                    what a load brings is there in the last of them [0: operands are there or not]
//   store_unit       not cycles. 1: vectors are stored by another unit than the one that loads
//   load_use, narrow_load_use, multiply_use, shift_use  more until the result can be read
//   address_use      more until a result that is not there yet can form an address
//   transfer_registers  not cycles: that LDM, STM, LDRD, STRD, PUSH and POP move in one
//   divide           cycles until anything else issues
//   branch_taken, jump_indirect  of a jump, and of one to a register
//   mispredict       more for a backward branch that falls through; with a history for any branch
//   that
//                    was not foreseen
//   branch_history   not cycles: as above [0]
//   loop_first       of the end of a low-overhead loop when it first jumps; nothing afterwards
//   vector_alu, vector_round, vector_narrow, vector_multiply, vector_structure  from a vector
//                    instruction to one that reads its result: sums and loads, rounding or
//                    saturating shifts, halves of lanes, products, interleaved loads
//   vector_sum, vector_move  to a core register: of a sum over lanes, of a lane
//   accumulator_late cycles that a sum over lanes needs what it adds to later
//   store_late       cycles that a vector's store needs it later [0]
//   bank_wait        more for a vector's load right behind a store, which may have its bank
//   fill_rest        of the fill_cycles of memories that data comes from, those in which the core
//   goes
//                    on with what it asked for; another fill waits for them [0]
constexpr TimingKey kHelium[] = {
    {"issue_width", &TimingCycles::issue_width, nullptr, 1, 2},
    {"store_unit", &TimingCycles::store_unit, nullptr, 0, 1},
    {"load_use", &TimingCycles::load_use},
    {"narrow_load_use", &TimingCycles::narrow_load_use},
    {"multiply_use", &TimingCycles::multiply_use},
    {"shift_use", &TimingCycles::shift_use},
    {"address_use", &TimingCycles::address_use},
    {"transfer_registers", &TimingCycles::transfer_registers, nullptr, 1, 16},
    {"divide", &TimingCycles::divide},
    {"branch_taken", &TimingCycles::branch_taken},
    {"jump_indirect", &TimingCycles::jump_indirect},
    {"mispredict", &TimingCycles::mispredict},
    {"branch_history", &TimingCycles::branch_history, &TimingCycles::branch_history, 0, 7},
    {"loop_first", &TimingCycles::loop_first},
    {"vector_alu", &TimingCycles::vector_alu},
    {"vector_round", &TimingCycles::vector_round},
    {"vector_narrow", &TimingCycles::vector_narrow},
    {"vector_multiply", &TimingCycles::vector_multiply},
    {"vector_structure", &TimingCycles::vector_structure},
    {"vector_sum", &TimingCycles::vector_sum},
    {"vector_move", &TimingCycles::vector_move},
    {"accumulator_late", &TimingCycles::accumulator_late},
    {"late_stages", &TimingCycles::late_stages, &TimingCycles::late_stages, 0, 2},
    {"store_late", &TimingCycles::store_late, &TimingCycles::store_late},
    {"fill_rest", &TimingCycles::fill_rest, &TimingCycles::fill_rest},
    {"bank_wait", &TimingCycles::bank_wait},
};

// vector: a core that fetches lines of eight instructions, and a unit beside it
// (timing_vector.cc). Of the core:
//   eight_alu, eight_loads, eight_stores, eight_configures  cycles of eight in a row, of the last
//                    vsetvli; a vector instruction takes the core as long as an eighth of eight_alu
//   multiply to jump_indirect  as in the other models
//   load_use         more until an instruction that reads what was loaded can issue
// Of the unit:
//   pipe_kilobit     cycles that 1024 bits take through the pipe of arithmetic, or of products
//   memory_kilobit   the same for loads and stores
//   vector_queue     instructions, not cycles: so many wait before the core does, 2 to 8
//   vector_issue     from the core to the queue's head
//   vector_alu, vector_multiply, vector_load, vector_element  from an instruction's last part to
//                    its result; vector_element for one that visits an element each cycle
//   vector_reuse     from where a unit reads a register until another may write it
//   vector_load_release  from a load's last part until the core goes on
//   vector_store     more between two stores
//   vector_stored    from a store's last part until the core may load
constexpr TimingKey kVector[] = {
    {"eight_alu", &TimingCycles::eight_alu},
    {"eight_loads", &TimingCycles::eight_loads},
    {"eight_stores", &TimingCycles::eight_stores},
    {"eight_configures", &TimingCycles::eight_configures},
    {"multiply", &TimingCycles::multiply},
    {"multiply_high", &TimingCycles::multiply_high},
    {"divide", &TimingCycles::divide},
    {"branch_taken", &TimingCycles::branch_taken},
    {"branch_not_taken", &TimingCycles::branch_not_taken},
    {"jump", &TimingCycles::jump},
    {"call", &TimingCycles::call},
    {"jump_indirect", &TimingCycles::jump_indirect},
    {"load_use", &TimingCycles::load_use},
    {"pipe_kilobit", &TimingCycles::pipe_kilobit},
    {"memory_kilobit", &TimingCycles::memory_kilobit},
    {"vector_queue", &TimingCycles::vector_queue, nullptr, 2, VectorPipeline::kMostWaiting},
    {"vector_issue", &TimingCycles::vector_issue},
    {"vector_alu", &TimingCycles::vector_alu},
    {"vector_multiply", &TimingCycles::vector_multiply},
    {"vector_element", &TimingCycles::vector_element},
    {"vector_load", &TimingCycles::vector_load},
    {"vector_reuse", &TimingCycles::vector_reuse},
    {"vector_load_release", &TimingCycles::vector_load_release},
    {"vector_store", &TimingCycles::vector_store},
    {"vector_stored", &TimingCycles::vector_stored},
};

}  // namespace

std::span<const TimingKey> timing_keys(std::string_view model) {
  if (model == "in_order") return kInOrder;
  if (model == "cortex_m") return kCortexM;
  if (model == "dual_issue") return kDualIssue;
  if (model == "helium") return kHelium;
  if (model == "vector") return kVector;
  return {};
}

}  // namespace tinytune::internal
