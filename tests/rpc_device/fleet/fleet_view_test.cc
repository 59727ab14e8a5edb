// The view of a fleet: what it shows, who may see it, and what an eavesdropper on the way learns.
#include "rpc_device/fleet/fleet_view.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "base/descriptor.h"
#include "base/temporary_directory.h"
#include "rpc_device/fleet/address.h"
#include "rpc_device/fleet/keys.h"
#include "tests/rpc_device/fleet/pool_test.h"

namespace tinytune {
namespace {

using std::chrono::milliseconds;

class FleetViewTest : public PoolTest {
 protected:
  FleetViewTest() : folder_(TemporaryDirectory::create("fleet").value()) {}
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  static std::unique_ptr<TestProcess> worker(const std::string& address, const std::string& half,
                                             const std::string& keys = "") {
    return std::make_unique<TestProcess>(std::vector<std::string>{FAULTY_WORKER, "--connect",
                                                                  address, "--device", "esp32c3",
                                                                  "--only", half, "--keys", keys});
  }
  const TemporaryDirectory folder_;
};

TEST_F(FleetViewTest, Look_ShowsWhatEachWorkerDoes) {
  auto pool = open(0);
  ASSERT_NE(pool, nullptr);
  const auto window = FleetWindow::open(pool->address(), "").value();
  EXPECT_TRUE(window->look(20'000).value().workers.empty());
  const auto task = pool->add_task(task_);
  pool->submit(task, default_schedule(), {});
  pool->submit(task, default_schedule(), {});
  const auto builder = worker(pool->address(), "build"), runner = worker(pool->address(), "run");
  collect(*pool, 2);
  const FleetView fleet = window->look(20'000).value();
  EXPECT_EQ(fleet.device, "esp32c3");
  EXPECT_EQ(fleet.done, 2u);
  EXPECT_EQ(fleet.waiting + fleet.leased, 0u);
  ASSERT_EQ(fleet.workers.size(), 2u);
  for (const WorkerView& one : fleet.workers) {
    EXPECT_EQ(one.state, "idle");
    EXPECT_EQ(one.jobs, 2u);
    EXPECT_GT(one.rate(), 0);
    EXPECT_EQ(one.runs_on, one.builds ? "" : "simulator");
  }
  pool.reset();
  const auto nobody = window->look(500);
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code(), ErrorCode::kFailed);
}

TEST_F(FleetViewTest, KeysToView_AreForNothingElseAndNothingElseIsForThem) {
  for (const bool token : {false, true}) {
    ASSERT_TRUE(write_keys(path("keys"), {.token = token}));
    ASSERT_TRUE(
        write_keys(path("keys"), {.name = "wall", .token = token, .scope = {.view = true}}));
    auto pool = open(0, {.listen = "127.0.0.1:0", .keys = path("keys/tuner")});
    ASSERT_NE(pool, nullptr);
    const auto look = [&](const std::string& keys) {
      const int patience_ms = keys.empty() ? 2'000 : 20'000;
      return FleetWindow::open(pool->address(), keys).value()->look(patience_ms);
    };
    EXPECT_TRUE(look(path("keys/wall")));
    const auto by_worker = look(path("keys/worker"));
    ASSERT_FALSE(by_worker);
    EXPECT_EQ(by_worker.error().code(), ErrorCode::kInvalidInput);
    EXPECT_FALSE(look("")) << "without keys";
    EXPECT_NE(worker(pool->address(), "build", path("keys/wall"))->read_line().find("do not let"),
              std::string::npos);
  }
}

/// A proxy before a tuner that forwards every byte in both directions and keeps a copy.
class Eavesdropper {
 public:
  explicit Eavesdropper(const std::string& tuner)
      : tuner_port_(parse_address(tuner).value().port),
        listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in any = loopback(0);
    socklen_t size = sizeof any;
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&any), size), 0);
    EXPECT_EQ(::listen(listener_.get(), 8), 0);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&any), &size);
    address_ = "127.0.0.1:" + std::to_string(ntohs(any.sin_port));
    thread_ = std::thread([this] { copy(); });
  }
  ~Eavesdropper() {
    stopping_ = true;
    thread_.join();
  }
  const std::string& address() const { return address_; }
  /// Stops forwarding and returns the copy.
  const std::string& heard() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
    thread_ = std::thread([] {});
    return heard_;
  }

 private:
  static sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    return address;
  }
  void accept_one() {
    Descriptor caller(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    Descriptor tuner(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in to = loopback(tuner_port_);
    if (::connect(tuner.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return;
    ends_.push_back(std::move(caller));
    ends_.push_back(std::move(tuner));
  }
  // Connected ends are neighbours in ends_. When one closes, its partner is shut down for writing.
  void copy() {
    while (!stopping_) {
      std::vector<pollfd> polled{{listener_.get(), POLLIN, 0}};
      for (const Descriptor& end : ends_) polled.push_back({end.get(), POLLIN, 0});
      for (const size_t closed : closed_) polled[closed + 1].fd = -1;
      ::poll(polled.data(), polled.size(), 20);
      for (size_t i = 1; i < polled.size(); ++i)
        if (polled[i].revents != 0) hand_on(i - 1);
      if (polled[0].revents != 0) accept_one();
    }
    ends_.clear();
  }
  void hand_on(size_t from) {
    char bytes[1 << 16];
    const int to = ends_[from ^ 1].get();
    const ssize_t size = ::recv(ends_[from].get(), bytes, sizeof bytes, 0);
    if (size <= 0) {
      closed_.push_back(from);
      ::shutdown(to, SHUT_WR);
      return;
    }
    heard_.append(bytes, static_cast<size_t>(size));
    for (ssize_t sent = 0; sent < size;) {
      const ssize_t now = ::send(to, bytes + sent, static_cast<size_t>(size - sent), MSG_NOSIGNAL);
      if (now < 0) return;
      sent += now;
    }
  }

  const int tuner_port_;
  const Descriptor listener_;
  std::string address_, heard_;
  std::vector<Descriptor> ends_;
  std::vector<size_t> closed_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

// Without keys the proxy hears all of it, which shows that the test would detect plaintext.
TEST_F(FleetViewTest, CaptureOfARun_ShowsNoPlaintext) {
  ASSERT_TRUE(write_keys(path("keys")));
  ASSERT_TRUE(write_keys(path("keys"), {.name = "lab3", .token = true, .scope = {.run = true}}));
  const std::string workload = to_text(task_.workload), schedule = to_text(default_schedule());
  const std::string weights(task_.data.weights.begin(), task_.data.weights.end());
  const std::string elf(
      "\x7f"
      "ELF\x01\x01\x01\x00",
      8);
  for (const bool encrypted : {false, true}) {
    const auto keys = [&](const char* whose) { return encrypted ? path("keys/") + whose : ""; };
    auto pool = open(0, {.listen = "127.0.0.1:0", .keys = keys("tuner")});
    ASSERT_NE(pool, nullptr);
    Eavesdropper ear(pool->address());
    const auto builder = worker(ear.address(), "build", keys("worker"));
    const auto runner = worker(ear.address(), "run", keys("lab3"));  // with a token
    const auto ticket = pool->submit(pool->add_task(task_), default_schedule(), {});
    const MeasureResult result = collect(*pool, 1).at(ticket);
    EXPECT_EQ(result.outcome, Outcome::kOk) << result.detail;
    const std::string& heard = ear.heard();
    EXPECT_GT(heard.size(), size_t{1000});
    for (const std::string& secret :
         {workload, schedule, std::string("esp32c3"), weights.substr(0, 32), elf, result.image}) {
      EXPECT_EQ(heard.find(secret) == std::string::npos, encrypted) << secret;
    }
    if (!encrypted) continue;
    EXPECT_EQ(heard.find(read_keys(path("keys/lab3")).value().token), std::string::npos);
  }
}

}  // namespace
}  // namespace tinytune
