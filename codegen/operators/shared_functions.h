// C functions that several operators call; each is printed once, and only where one needs it.
#pragma once

#include <string>
#include <vector>

namespace tinytune {

/// In its texts '@' stands for the network's name.
struct SharedFunction {
  const char* name;                          ///< "softmax", for `<network>_softmax`
  const char* comment;                       ///< with its marks
  const char* declarator;                    ///< "int32_t @_times4(int32_t x)"
  const char* body;                          ///< statements, from a raw string's first line break
  std::vector<const SharedFunction*> calls;  ///< in the order they are to be printed in
  /// Long, and called once per row or less: compilers must not inline it.
  bool stays_apart = false;
};

class SharedFunctions {
 public:
  /// Adds the function, after those that it calls, unless it is there.
  void need(const SharedFunction& function);
  const std::vector<const SharedFunction*>& functions() const { return functions_; }

 private:
  std::vector<const SharedFunction*> functions_;
};

/// `<network>_<name>`.
std::string symbol_of(const SharedFunction& function, const std::string& network);

/// The definition. `attributes` stand before the type, with a blank behind them, or are empty;
/// those of a function that stays apart are `apart`.
std::string print_shared(const SharedFunction& function, const std::string& network,
                         const std::string& attributes, const std::string& apart);

}  // namespace tinytune
