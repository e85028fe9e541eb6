#include "mcp/wire/batch.h"

namespace holdfast::mcp {

class Batch::Part final : public Outlet {
 public:
  explicit Part(std::shared_ptr<Batch> batch) : batch_(std::move(batch)) {}
  void send(std::string message) override { batch_->send_(std::move(message)); }
  void finish(std::string response, int) override { batch_->part_over(response); }
  void drop() override { batch_->part_over({}); }

 private:
  std::shared_ptr<Batch> batch_;
};

std::shared_ptr<Outlet> Batch::add_part() {
  ++open_;
  return std::make_shared<Part>(shared_from_this());
}

void Batch::add_response(const std::string& response) {
  if (response.empty()) return;
  responses_ += responses_.empty() ? "[" : ",";
  responses_ += response;
}

void Batch::part_over(const std::string& response) {
  --open_;
  add_response(response);
  finish_if_over();
}

void Batch::seal() {
  sealed_ = true;
  finish_if_over();
}

void Batch::finish_if_over() {
  if (!sealed_ || open_ > 0) return;
  if (!responses_.empty()) responses_ += ']';
  done_(std::move(responses_));
}

}  // namespace holdfast::mcp
