#!/usr/bin/env python3
"""libtinytune.so in somebody else's process: exports_test.py SOURCE LIBRARY [LINK_FLAG...]

It exports what include/tinytune declares and nothing else, and a program that uses another LLVM can link it: both
LLVMs work in turns. The second part is skipped where Debian's libllvm15 is not installed.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE, LIBRARY, FLAGS = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
OTHER_LLVM = pathlib.Path("/usr/lib/x86_64-linux-gnu/libLLVM-15.so.1")

# LLVM's C API as far as it is used, since its headers are another package.
HOST = r"""
#include <stdio.h>
#include <string.h>
#include <tinytune/tinytune_c.h>

typedef struct LLVMOpaqueContext *context_ref;
typedef struct LLVMOpaqueModule *module_ref;
context_ref LLVMContextCreate(void);
module_ref LLVMModuleCreateWithNameInContext(const char *name, context_ref context);
char *LLVMPrintModuleToString(module_ref module);
void LLVMDisposeMessage(char *text);
void LLVMDisposeModule(module_ref module);
void LLVMContextDispose(context_ref context);

static int other_llvm_works(void) {
  context_ref context = LLVMContextCreate();
  module_ref module = LLVMModuleCreateWithNameInContext("host", context);
  char *text = LLVMPrintModuleToString(module);
  const int works = strstr(text, "ModuleID = 'host'") != NULL;
  LLVMDisposeMessage(text);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return works;
}

int main(int argc, char **argv) {
  tinytune_layer *layer = NULL;
  tinytune_run *run = NULL;
  if (argc != 1 || !other_llvm_works()) return 2;
  if (tinytune_layer_describe("conv2d 1x1 8->8 in4x4", NULL, 1, &layer) != TINYTUNE_OK) goto failed;
  tinytune_run_options options = {0};
  options.verify = 1;
  if (tinytune_run_model(tinytune_layer_model(layer), "rv32imc", &options, &run) != TINYTUNE_OK)
    goto failed;
  tinytune_run_free(run);
  tinytune_layer_free(layer);
  if (!other_llvm_works()) return 3;
  puts("both work");
  (void)argv;
  return 0;
failed:
  fprintf(stderr, "%s\n", tinytune_last_error());
  return 1;
}
"""


def declared_in_c():
    text = "".join(path.read_text() for path in (SOURCE / "include/tinytune").glob("tinytune_c*.h"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return set(re.findall(r"\b(tinytune_\w+)\s*\(", text)) - set(re.findall(r"\(\*(tinytune_\w+)\)", text))


def exported():
    listed = subprocess.run(["nm", "-D", "--defined-only", "-C", "--without-symbol-versions", LIBRARY], check=True,
                            capture_output=True, text=True).stdout
    # An address, a kind, a declaration; "A" is the version itself.
    rows = [line.split(maxsplit=2) for line in listed.splitlines()]
    return [row[2] for row in rows if row[1] != "A"]


def check_exports():
    names = {re.sub(r"\[abi:cxx11\]|\(.*", "", name) for name in exported()}
    c_names = {name for name in names if "::" not in name}
    differing = sorted(c_names ^ declared_in_c())
    assert not differing, f"{len(differing)} names differ, the first {differing[0]}"
    headers = " ".join(path.read_text() for path in (SOURCE / "include/tinytune").glob("*.h"))
    for name in names - c_names:
        assert name.startswith("tinytune::"), f"{name} is exported"
        assert re.search(rf"\b{name.split('::')[-1]}\(", headers), f"{name} is exported, and no header declares it"
    # What a header declares and does not define is exported, member functions included.
    headers = re.sub(r" = (\{\}|\w+)(?=[,)])", "", headers)
    for name in re.findall(r"^(?:  static )?[\w:<>&* ]+?\b(\w+)\([^{}=]*?\)(?: const)?;", headers, flags=re.M):
        if not name.startswith("tinytune_") and name not in ("void", "tinytune_status"):
            assert any(other.split("::")[-1] == name for other in names), f"{name} is declared, and not exported"
    print(f"{len(names)} functions are exported, those that the headers declare")


def check_other_llvm():
    if not OTHER_LLVM.exists():
        print(f"SKIPPED: a program with another LLVM: no {OTHER_LLVM}")
        return
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "host"
        program.with_suffix(".c").write_text(HOST)
        subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", *FLAGS, f"-I{SOURCE / 'include'}", "-o", program,
                        program.with_suffix(".c"), OTHER_LLVM, LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}"], check=True)
        done = subprocess.run([program], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout == "both work\n", (done.returncode, done.stdout, done.stderr)
    print("a program with LLVM 15 links it; both compile")


check_exports()
check_other_llvm()
