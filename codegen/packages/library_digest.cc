#include "codegen/packages/library_digest.h"

namespace tinytune {

Digest library_digest(const GeneratedNetwork& network) {
  Digester digester;
  for (const GeneratedFile& file : network.files)
    if (file.role == FileRole::kSource) digester.add(file.name).add(file.contents);
  for (const FastHome home : network.homes) digester.add(uint64_t{home});
  return digester.value();
}

}  // namespace tinytune
