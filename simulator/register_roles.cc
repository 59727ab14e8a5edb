#include "simulator/register_roles.h"

namespace tinytune {
namespace {

RegisterRoles riscv_roles() {
  RegisterRoles roles;
  roles.arguments = {10, 11, 12, 13, 14, 15, 16, 17};
  roles.saved = {3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};
  roles.saved_names = {"gp", "tp", "s0", "s1", "s2", "s3",  "s4",
                       "s5", "s6", "s7", "s8", "s9", "s10", "s11"};
  roles.stack_pointer = 2;
  roles.link = 1;
  roles.result = 10;
  return roles;
}

RegisterRoles arm_roles() {
  RegisterRoles roles;
  roles.arguments = {0, 1, 2, 3};
  roles.saved = {4, 5, 6, 7, 8, 9, 10, 11};
  roles.saved_names = {"r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11"};
  roles.stack_pointer = 13;
  roles.link = 14;
  roles.result = 0;
  return roles;
}

}  // namespace

const RegisterRoles& register_roles(CoreFamily family) {
  static const RegisterRoles kRiscv = riscv_roles();
  static const RegisterRoles kArm = arm_roles();
  return family == CoreFamily::kRiscv32 ? kRiscv : kArm;
}

}  // namespace tinytune
