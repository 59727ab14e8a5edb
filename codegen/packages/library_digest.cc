#include "codegen/packages/library_digest.h"

namespace tinytune {

Digest library_digest(const GeneratedNetwork& network) {
  Digester digester;
  for (const GeneratedFile& file : network.files)
    if (file.role == FileRole::kSource) digester.add(file.name).add(file.contents);
  for (const bool fast : network.fast) digester.add(uint64_t{fast});
  return digester.value();
}

}  // namespace tinytune
