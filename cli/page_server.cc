#include "cli/page_server.h"

#include <httplib.h>

#include <thread>
#include <utility>

namespace tinytune {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

}  // namespace

struct PageServer::Running {
  httplib::Server server;
  std::thread thread;
  int port = 0;

  bool is_meant(const httplib::Request& request) const {
    const std::string host = request.get_header_value("Host");
    const std::string at = ":" + std::to_string(port);
    return host == kLoopback + at || host == "localhost" + at;
  }

  ~Running() {
    server.stop();
    if (thread.joinable()) thread.join();
  }
};

PageServer::PageServer(std::unique_ptr<Running> running) : running_(std::move(running)) {}
PageServer::PageServer(PageServer&&) noexcept = default;
PageServer::~PageServer() = default;

Result<PageServer> PageServer::start(int port, Text page, Text data) {
  auto running = std::make_unique<Running>();
  httplib::Server& server = running->server;
  const auto answer = [self = running.get()](Text text, const char* type) {
    return [self, text = std::move(text), type](const httplib::Request& request,
                                                httplib::Response& response) {
      if (!self->is_meant(request)) {
        response.status = 403;
        return;
      }
      response.set_header("Cache-Control", "no-store");
      response.set_content(text(), type);
    };
  };
  server.Get("/", answer(std::move(page), "text/html; charset=utf-8"));
  server.Get("/data.json", answer(std::move(data), "application/json"));
  running->port = port == 0                              ? server.bind_to_any_port(kLoopback)
                  : server.bind_to_port(kLoopback, port) ? port
                                                         : -1;
  if (running->port <= 0)
    return Error(ErrorCode::kFailed, "cannot listen on " + std::string(kLoopback) + ":" +
                                         std::to_string(port) + "; is the port taken?");
  running->thread = std::thread([&server] { server.listen_after_bind(); });
  return PageServer(std::move(running));
}

std::string PageServer::url() const {
  return "http://" + std::string(kLoopback) + ":" + std::to_string(running_->port) + "/";
}

}  // namespace tinytune
