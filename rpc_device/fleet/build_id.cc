#include "rpc_device/fleet/build_id.h"

#include "base/digest.h"
#include "rpc_device/fleet/gen/source_digest.h"
#include "templates/kernel_template.h"

namespace tinytune {

const std::string& build_id() {
  static const std::string kId = [] {
    Digester digester;
    digester.add(kSourceDigest);
    for (const KernelTemplate& one : kernel_templates())
      digester.add(one.name).add(static_cast<uint64_t>(one.version));
    constexpr size_t kDigits = 16;
    return kSourceVersion + std::string("-") + to_text(digester.value()).substr(0, kDigits);
  }();
  return kId;
}

}  // namespace tinytune
