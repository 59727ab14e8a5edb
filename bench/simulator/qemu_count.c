/* A QEMU plugin that counts instructions between two addresses: `from` starts the count, `to`
 * prints it.
 *
 *   cc -O2 -shared -fPIC -o qemu_count.so qemu_count.c
 *   qemu-system-... -plugin qemu_count.so,from=0x...,to=0x...
 *
 * Declares the interface itself, because Debian has no qemu-plugin.h: version 1, QEMU 4.2 to 9. */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { kNoRegisters, kAddU64 = 0 };
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t,
                                           void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *, int, void *, uint64_t);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, void (*)(unsigned, void *),
                                            int, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static uint64_t count, from, to;

static void begin(unsigned cpu, void *unused) {
  (void)cpu, (void)unused;
  count = 0;
}

static void end(unsigned cpu, void *unused) {
  (void)cpu, (void)unused;
  fprintf(stderr, "instructions %" PRIu64 "\n", count);
}

/* Callbacks run in the order of registration: the one that counts the instruction comes last. */
static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
  (void)id;
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); ++i) {
    struct qemu_plugin_insn *at = qemu_plugin_tb_get_insn(block, i);
    const uint64_t address = qemu_plugin_insn_vaddr(at);
    if (address == from) qemu_plugin_register_vcpu_insn_exec_cb(at, begin, kNoRegisters, NULL);
    if (address == to) qemu_plugin_register_vcpu_insn_exec_cb(at, end, kNoRegisters, NULL);
    qemu_plugin_register_vcpu_insn_exec_inline(at, kAddU64, &count, 1);
  }
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id,
                                                               const void *info, int argc,
                                                               char **argv) {
  (void)info;
  for (int i = 0; i < argc; ++i) {
    if (strncmp(argv[i], "from=", 5) == 0) from = strtoull(argv[i] + 5, NULL, 0);
    if (strncmp(argv[i], "to=", 3) == 0) to = strtoull(argv[i] + 3, NULL, 0);
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
  return 0;
}
