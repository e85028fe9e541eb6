#pragma once

#include <string>

namespace holdfast::mcp {

// Where the messages about one request go. I/O thread only.
class Outlet {
 public:
  virtual ~Outlet() = default;

  // A notification, or in the legacy era a request of ours, that belongs to the running request.
  virtual void send(std::string message) = 0;

  // The answer; nothing is sent after it. http_status applies when nothing has been sent before.
  virtual void finish(std::string response, int http_status) = 0;

  // The request was cancelled: there will be no answer.
  virtual void drop() = 0;

  // See Call::release_connection.
  virtual void release_connection() {}
};

}  // namespace holdfast::mcp
