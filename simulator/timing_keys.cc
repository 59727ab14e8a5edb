#include "simulator/timing_keys.h"

namespace tinytune::internal {
namespace {

// All models but "unit" have keys. Where nothing else is said, a key is the cycles from an
// instruction's issue until the next one can issue. Cycles that depend on data, such as those of
// `divide`, are the upper end of their range. Brackets hold the defaults of optional keys.
//
// in_order also has:
//   load_use, multiply_use  extra until an instruction that reads the result can issue
//   jump_use                extra if the instruction before wrote the register jumped to
// and, optionally (timing_in_order.cc):
//   branch_predicted        a taken branch that the branch target buffer predicted [branch_taken]
//   branch_mispredicted     one that it predicted and that falls through [branch_not_taken]
//   misaligned_target       extra to go on fetching at a 32-bit instruction whose address is not a
//                           multiple of 4: after a taken branch, a jump, a misprediction [0]
//   store_data_late         cycles by which a store needs its data later than its address [0]
//   divide_negative         a signed division of a negative number [divide]
//   backward_taken, backward_not_taken  a conditional branch to a lower address, which a core
//                           expects to be a loop's [branch_taken, branch_not_taken]
//   branch_paired           saved by a 16-bit conditional branch after a 16-bit instruction; if the
//                           branch is taken, only if that instruction sets no flags [0]
//   accumulator_late        cycles by which a multiplication needs its accumulator later [0]
//   multiply_flags          a 16-bit multiplication that sets flags [multiply]
//   shift_use               extra until an instruction that reads the result of arithmetic with a
//                           shifted or extended operand can issue [0]
//   transfer_base, transfer  LDM, STM, LDRD, STRD, PUSH, POP: base + transfer × registers [0, 1]
//   atomic, atomic_use      an instruction that reads and writes its word (AMO), and extra until
//                           its result can be read [load, load_use]
//   exclusive_overlap       stall of lr, sc and AMOs right after lr or sc [0]
//   bank_wait               delay of a fetch from the bank that a load or store accesses; for cores
//                           that fetch as Hazard3 does (fetch_stream.h) [0]
//   float_alu, float_accumulate, float_divide  of the floating-point unit: sums, products,
//                           conversions and moves; multiply-accumulate; quotients and square
//                           roots. Its loads and stores cost as transfers. [1]
//   float_use               extra for an instruction that reads such a result right after it [0]
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

// cortex_m also has:
//   load_after_load, store_after_load  instead of load and store if the instruction before is a
//                                      load of one register
//   store_register_offset              instead of store if the address is base plus register
//   transfer_base, transfer            LDM, STM, LDRD, STRD, PUSH, POP: base + transfer × registers
//   address_use                        extra if the instruction before wrote a register that forms
//                                      the address
// and, optionally:
//   load_after_store                   instead of load if the instruction before is a store [load]
//   misaligned_target                  extra for a taken branch or jump to a 32-bit instruction
//                                      whose address is not a multiple of 4 [0]
//   unaligned_part                     extra for each further part of an unaligned load: two parts
//                                      for a word at an odd address, else one [0]
//   transfer_after_store               extra for LDM, LDRD and POP after a store [0]
//   odd_wide_run                       extra for the third in a row of 32-bit instructions of one
//                                      cycle whose addresses are not multiples of 4, because
//                                      fetching runs ahead only before the first of them; for the
//                                      fourth if the third is a store [0]
//   float_alu, float_accumulate, float_divide, float_use  as in_order's
// An instruction that writes the program counter without being a branch costs jump_indirect - 1 on
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

// dual_issue: an instruction issues in one cycle, alone or paired (timing_dual_issue.cc has the
// pairing rules), except for:
//   divide           cycles until anything else issues
//   load_use         cycles from a word load to a consumer that reads late; one more to others
//   narrow_load_use  the same for a byte or half word
//   narrow_store     cycles from a store of a byte to the next store: the buffer merges them into
//                    words
//   multiply_use     cycles from a product to a consumer that reads early; those that read late,
//                    the next accumulator among them, take it after one
//   address_use      cycles from arithmetic to an address; one more from packed arithmetic and bit
//                    fields
//   jump_indirect    cycles of a jump to a register, returns included
//   mispredict       cycles lost by a mispredicted branch
//   mispredict_early the same if the flags were set three cycles before [mispredict]
//   branch_history   not cycles: bits of the saturating counter that predicts a branch. 0: backward
//                    branches are predicted taken, all others correctly [0]
//   float_alu, float_accumulate, float_divide, float_use  as in_order's; these never pair
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

// helium: an instruction issues in one cycle, alone or paired (timing_helium.cc has the rules),
// except for:
//   issue_width      instructions, not cycles. 2: pairs any two scalar ones, a vector load or store
//                    after a scalar one, and vector arithmetic with a scalar one. 1: pairs two of
//                    16 bits, the second a move, an addition of a constant or a jump
//   late_stages      not cycles: stages after the one that forms addresses in which arithmetic can
//                    execute; loaded values are there in the last. 0: one stage executes all [0]
//   store_unit       not cycles. 1: vector stores have a unit of their own, beside that of loads
//   load_use, narrow_load_use, multiply_use, shift_use  extra until the result can be read
//   address_use      extra until a result that is not there yet can form an address
//   transfer_registers  not cycles: registers per cycle of LDM, STM, LDRD, STRD, PUSH and POP
//   divide           cycles until anything else issues
//   branch_taken, jump_indirect  a taken jump, and one to a register
//   mispredict       extra for a backward branch that falls through; with a branch_history, for any
//                    mispredicted branch
//   branch_history   not cycles: as dual_issue's [0]
//   loop_first       the end of a low-overhead loop when it first jumps; free afterwards
//   vector_alu, vector_round, vector_narrow, vector_multiply, vector_structure  from a vector
//                    instruction to one that reads its result: sums and loads, rounding or
//                    saturating shifts, narrowing, products, interleaved loads
//   vector_sum, vector_move  the same to a core register: a sum over lanes, a lane
//   accumulator_late cycles by which a sum over lanes needs its accumulator later
//   store_late       cycles by which a vector store needs its data later [0]
//   bank_wait        extra for a vector load right after a store, which may have its bank
//   fill_rest        last part of the fill_cycles of data, in which the core already goes on with
//                    the data that it asked for; another fill waits for its end [0]
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

// vector: a core that fetches lines of eight instructions, and a vector unit beside it
// (timing_vector.cc). Of the core:
//   eight_alu, eight_loads, eight_stores, eight_configures  cycles of eight such instructions in a
//                    row (configures: vsetvli); a vector instruction occupies the core for an
//                    eighth of eight_alu
//   multiply to jump_indirect  as in the other models
//   load_use         extra until an instruction that reads the loaded value can issue
// Of the unit:
//   pipe_kilobit     cycles of 1024 bits in the pipe of arithmetic, or of products
//   memory_kilobit   the same for loads and stores
//   vector_queue     instructions, not cycles: length of the queue, 2 to 8; the core waits if full
//   vector_issue     from the core to the queue's head
//   vector_alu, vector_multiply, vector_load, vector_element  from an instruction's last part to
//                    its result; vector_element for those that process an element per cycle
//   vector_reuse     from a unit's read of a register until another unit may write it
//   vector_load_release  from a load's last part until the core goes on
//   vector_store     extra between two stores
//   vector_stored    from a store's last part until the core may load or store
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
