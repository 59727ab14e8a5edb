#include "codegen/networks/names.h"

#include <algorithm>
#include <cstdint>

#include "base/hash.h"

namespace tinytune {
namespace {

// Blank-separated, lower case: file names on some systems, and macros, do not distinguish case.
constexpr std::string_view kReserved[] = {
    // C and C++ words
    "alignas alignof and asm auto bitand bitor bool break case catch char class compl concept "
    "const "
    "consteval constexpr constinit continue decltype default delete do double else enum explicit "
    "export extern false final float for friend goto if import inline int long mutable namespace "
    "new noexcept not nullptr operator or override private protected public register reinterpret "
    "requires restrict return short signed sizeof static struct switch template this throw true "
    "try "
    "typedef typeid typename typeof union unsigned using virtual void volatile while xor main "
    "errno "
    "null",
    // headers of C, POSIX and compilers: ours would shadow them
    "aio alloca ar arpa assert byteswap complex cpio cpuid ctype dirent dlfcn elf endian err error "
    "errno fcntl features fenv float fmtmsg fnmatch ftw getopt glob grp iconv ieeefp inttypes "
    "iso646 "
    "langinfo libgen limits link locale machine malloc math mcheck memory monetary mqueue ndbm "
    "netdb newlib nl_types obstack paths picolibc poll printf pthread pty pwd reent regex resolv "
    "sched search semaphore setjmp signal spawn ssp stab stdalign stdarg stdatomic stdbit stdbool "
    "stdckdint stddef stdint stdio stdlib stdnoreturn string strings syslog sysexits tar termios "
    "tgmath threads time uchar ulimit unctrl unistd unwind utime utmp utmpx values varargs wait "
    "wchar wctype wordexp xlocale",
    // headers of the kits
    "arduino binary client device devicetree driver eeprom freertos hwserial init interrupts "
    "ipaddress "
    "irq kernel list message_buffer nvs pgmspace pins_arduino pico platform portable portmacro "
    "print "
    "printable projdefs queue sdkconfig semphr server soc spi stream stream_buffer task timers "
    "tone "
    "udp uart usb wcharacter wifi wire wmath wstring xtensa zephyr",
    // targets of CMake, Ninja and the kits
    "all all_build analyze app bootloader build clean cmake codegen confserver continuous debug "
    "debugserver default depend dfu distclean doc docs edit_cache erase_flash experimental flash "
    "footprint guiconfig hardenconfig help initlevels install linker list_install_components "
    "menuconfig monitor nightly offsets package package_source partition_table preinstall pristine "
    "project puncover ram_report rebuild_cache rom_report run run_tests size test tests "
    "traceconfig "
    "uf2 uninstall update zero_check zephyr_interface",
    // words of CMake's functions, and what YAML and CMake take for a truth value
    "alias c cxx description general global homepage_url ignore imported interface languages "
    "module "
    "no notfound object off on optimized properties shared sources unknown version yes n y",
    // names of libraries in linker flags
    "atomic crypt dl g gcc gcov gloss m nosys rdimon resolv rt stdc supc util z",
    // names whose <NAME>_OK or <NAME>_H others define
    "curle esp f fr hal ll mqtt pico r res sd status sqlite tx usbd w x",
    // files that Windows cannot have
    "aux com1 com2 com3 com4 com5 com6 com7 com8 com9 con lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 "
    "lpt9 nul prn",
    // ours
    "arena tinytune",
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_reserved(std::string_view name) {
  std::string word(name);
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto holds = [&](std::string_view list) {
    for (size_t at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1)) {
      const size_t end = at + word.size();
      if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) return true;
    }
    return false;
  };
  return std::any_of(std::begin(kReserved), std::end(kReserved), holds);
}

// Keeps letters and digits, and replaces whatever is between them by one underscore.
std::string words_of(std::string_view text) {
  std::string words;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c))
      words += c;
    else if (!words.empty() && words.back() != '_')
      words += '_';
  }
  if (!words.empty() && words.back() == '_') words.pop_back();
  return words;
}

// Whether there are non-ASCII characters, which carry meaning, unlike blanks and punctuation.
bool loses_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

}  // namespace

bool is_network_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostNameLength && is_letter(name[0]) &&
         words_of(name) == name && !is_reserved(name);
}

std::string network_name(std::string_view stem) {
  std::string name = words_of(stem);
  if (name.empty()) name = "model";
  if (is_digit(name[0]) || is_reserved(name)) name.insert(0, "model_");
  if (name.size() <= kMostNameLength && !loses_characters(stem)) return name;
  const std::string hash = "_" + hex64(fnv1a(stem)).substr(0, 8);
  name.resize(std::min(name.size(), kMostNameLength - hash.size()));
  if (name.back() == '_') name.pop_back();
  return name + hash;
}

}  // namespace tinytune
