#pragma once

// JSON-RPC batches, which only protocol 2025-03-26 has: several messages in an array, their responses in an
// array. I/O thread only.

#include "mcp/transport/outlet.h"

#include <functional>
#include <memory>
#include <string>

namespace holdfast::mcp {

class Batch : public std::enable_shared_from_this<Batch> {
 public:
  // send takes notifications and requests of ours at once; done gets the array when every part is over (an
  // empty text when nothing needs an answer).
  Batch(std::function<void(std::string)> send, std::function<void(std::string)> done)
      : send_(std::move(send)), done_(std::move(done)) {}

  std::shared_ptr<Outlet> add_part();
  void add_response(const std::string& response);  // for a part that was refused on sight
  void seal();                                     // no further parts follow

 private:
  class Part;
  void part_over(const std::string& response);
  void finish_if_over();

  std::function<void(std::string)> send_;
  std::function<void(std::string)> done_;
  std::string responses_;
  std::size_t open_ = 0;
  bool sealed_ = false;
};

}  // namespace holdfast::mcp
