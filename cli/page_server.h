// Serves one page and its data on this machine's loopback address only.
//
// A page of another site could resolve its own name to 127.0.0.1 and read the data (DNS rebinding);
// requests whose host is not 127.0.0.1 or localhost are therefore refused.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "tinytune/result.h"

namespace tinytune {

class PageServer {
 public:
  using Text = std::function<std::string()>;  ///< called from the server's threads, several at once

  /// Listens on `port` (0: any free one) and answers until destroyed. `/` is `page`, `/data.json`
  /// is `data`. kFailed: the port is in use.
  static Result<PageServer> start(int port, Text page, Text data);
  PageServer(PageServer&&) noexcept;
  ~PageServer();

  /// "http://127.0.0.1:34567/".
  std::string url() const;

 private:
  struct Running;
  explicit PageServer(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace tinytune
