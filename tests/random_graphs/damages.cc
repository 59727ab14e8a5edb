#include "tests/random_graphs/damages.h"

#include <utility>

namespace tinytune::bench {
namespace {

Numbers numbers_of(const std::string& text) {
  Numbers numbers;
  for (size_t at = 0; (at = text.find_first_of("-0123456789", at)) != std::string::npos;) {
    const size_t end = text.find(',', at);
    const bool least = text.compare(at, 14, "-2147483647 - ") == 0;  // C has no literal for it
    numbers.push_back(std::stoll(text.substr(at, end - at)) - (least ? 1 : 0));
    at = end;
  }
  return numbers;
}

}  // namespace

GeneratedFile* file_ending(GeneratedNetwork& network, const std::string& ending) {
  for (GeneratedFile& file : network.files)
    if (file.name.ends_with(ending)) return &file;
  return nullptr;
}

Damage replacing(std::string ending, std::string from, std::string to, std::string family) {
  return {.family = std::move(family), .files = [=](GeneratedNetwork& network) {
            GeneratedFile* file = file_ending(network, ending);
            if (file == nullptr) return false;
            bool found = false;
            for (size_t at = file->contents.find(from); at != std::string::npos;
                 at = file->contents.find(from, at + to.size())) {
              file->contents.replace(at, from.size(), to);
              found = true;
            }
            return found;
          }};
}

Damage in_packed(std::string family, std::string constant, Change change) {
  return {.family = family, .files = [=](GeneratedNetwork& network) {
            GeneratedFile* file = file_ending(network, "_weights.c");
            if (file == nullptr) return false;
            for (const GeneratedLayer& layer : network.layers) {
              if (!layer.schedule || !layer.schedule->template_name().starts_with(family)) continue;
              const size_t name =
                  file->contents.find(" " + network.name + "_layer_" + std::to_string(layer.index) +
                                      "_" + constant + "[");
              if (name == std::string::npos)
                continue;  // equal constants stand once, under another name
              const size_t open = file->contents.find('{', name),
                           close = file->contents.find('}', open);
              Numbers numbers = numbers_of(file->contents.substr(open + 1, close - open - 1));
              if (!change(numbers)) continue;
              std::string text;
              for (const int64_t number : numbers)
                text += number == INT32_MIN ? "(-2147483647 - 1), " : std::to_string(number) + ", ";
              file->contents.replace(open + 1, close - open - 1, text + "\n");
              return true;
            }
            return false;
          }};
}

Change halve(size_t at) {
  return [at](Numbers& params) { return at < params.size() && (params[at] /= 2) != 0; };
}

bool swap_weights(Numbers& weights) {
  if (weights.size() < 2) return false;
  std::swap(weights[0], weights[1]);
  return weights[0] != weights[1];
}

}  // namespace tinytune::bench
