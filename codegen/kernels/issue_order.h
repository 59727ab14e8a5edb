// Puts the instructions of a kernel into the order that the device's timing model issues fastest.
//
// Lists of instructions without a label or a jump are scheduled one by one (instruction_list.h),
// which may also rename registers. The model is the only knowledge of the core, so an order is
// taken only if the model says that it is faster.
//
// Text that a template wrote ("@APP" to "@NO_APP") never loads what a store of the same list wrote,
// except from the same base register.
#pragma once

#include <string>

#include "devices/device.h"
#include "tinytune/result.h"

namespace tinytune {

/// Whether the order of instructions is worth a search on this core: it is dual-issue.
bool orders_instructions(const Device& device);

/// The same assembly in another order. kInvalidInput: the device's timing lacks a key.
Result<std::string> in_issue_order(const std::string& assembly, const Device& device);

}  // namespace tinytune
