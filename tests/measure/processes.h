// Lists and kills the children of a build server.
#pragma once

#include <signal.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace tinytune {

/// Children of `parent`, zombies included.
inline std::vector<pid_t> children_of(pid_t parent) {
  std::ifstream list("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                     "/children");
  std::vector<pid_t> children;
  for (pid_t pid; list >> pid;) children.push_back(pid);
  return children;
}

/// Sends a signal to the first children that a server creates, as an operator might.
class Killer {
 public:
  Killer(pid_t server, int signal, int victims)
      : thread_([this, server, signal, victims] {
          pid_t last = 0;
          while (!stop_ && killed_ < victims) {
            for (const pid_t child : children_of(server)) {
              if (child == last) continue;
              last = child;
              std::this_thread::sleep_for(std::chrono::milliseconds(2));  // time to begin its work
              if (::kill(child, signal) == 0) ++killed_;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        }) {}
  ~Killer() {
    stop_ = true;
    thread_.join();
  }
  int killed() const { return killed_; }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<int> killed_ = 0;
  std::thread thread_;
};

}  // namespace tinytune
