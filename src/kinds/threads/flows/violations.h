#pragma once

// Everything that is wrong with a request, collected and reported at once (threads-and-research §1).

#include "base/result.h"
#include "model/models.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::threads {

class Violations {
 public:
  void required(std::string_view name, std::string_view value);
  // Characters, and that it is UTF-8; an empty value is none.
  void text(std::string_view name, std::string_view value, std::size_t max_characters);
  void between(std::string_view name, std::int64_t value, std::int64_t lowest, std::int64_t highest);
  void one_of(std::string_view name, std::string_view value, std::span<const std::string_view> allowed);
  void provider(const model::Models& models, std::string_view name);  // empty, or one that is configured; any while none is
  void client_id(std::string_view value);                             // client_msg_id: becomes part of a key
  void add(std::string message) { found_.push_back(std::move(message)); }

  // MISSING_REQUIRED when something is missing, VALIDATION_ERROR for the rest; one message with all of them.
  Result<void> result() const;

 private:
  std::vector<std::string> missing_, found_;
};

}  // namespace holdfast::threads
