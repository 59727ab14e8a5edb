#include "cli/report_page.h"

#include <map>
#include <string_view>

#include "base/sha256.h"
#include "cli/report_page/assets.h"

namespace tinytune {
namespace {

/// Escapes '<' in JSON, so that no `</script>` or `<!--` in a model's names ends its element.
std::string without_tags(std::string_view json) {
  std::string text;
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

/// Replaces each @name@ of the page; replacements are not expanded again.
std::string filled(std::string_view page, const std::map<std::string_view, std::string>& parts) {
  std::string text;
  while (!page.empty()) {
    const size_t at = page.find('@');
    text += page.substr(0, at);
    if (at == page.npos) break;
    const size_t end = page.find('@', at + 1);
    const auto part =
        end == page.npos ? parts.end() : parts.find(page.substr(at + 1, end - at - 1));
    if (part == parts.end()) {
      text += '@';
      page.remove_prefix(at + 1);
    } else {
      text += part->second;
      page.remove_prefix(end + 1);
    }
  }
  return text;
}

/// Returns the Content-Security-Policy source of an inline script or style; no others are allowed.
std::string policy_source(std::string_view text) { return "'sha256-" + sha256_base64(text) + "'"; }

}  // namespace

std::string page_of(const std::string& data) {
  const internal::PageAssets& assets = internal::page_assets();
  return filled(assets.html, {{"script_hashes", policy_source(assets.chart_library) + " " +
                                                    policy_source(assets.script)},
                              {"style_hash", policy_source(assets.style)},
                              {"style", assets.style},
                              {"script", assets.script},
                              {"chart_library", assets.chart_library},
                              {"data", without_tags(data)}});
}

bool page_has_charts() { return !internal::page_assets().chart_library.empty(); }

}  // namespace tinytune
