#pragma once

// A request of a page, as operations see it. What a page has for them beyond who asks, it adds.

#include "operations/context.h"
#include "operations/operation.h"
#include "web/pages/pages.h"

#include <utility>

namespace holdfast::web {

class PageContext : public operations::Context {
 public:
  // The request outlives it.
  explicit PageContext(const PageRequest& request, session::RetentionPolicy policy = {})
      : request_(request), policy_(std::move(policy)) {}

  const Identity& identity() const override { return request_; }
  Millis now() const override { return request_.now; }
  const session::RetentionPolicy& policy() const override { return policy_; }
  Result<session::Store*> store(bool) override { return not_offered("sessions"); }
  // Whoever sent the form has seen what it says.
  Result<void> agree(const std::string&, const JsonObject&) override { return {}; }

 private:
  const PageRequest& request_;
  session::RetentionPolicy policy_;
};

// Refusals as a page says them: parameters by their names.
inline Error in_fields(Error error) {
  operations::put_in_spelling_of(error, [](std::string_view name) { return std::string(name); });
  return error;
}

}  // namespace holdfast::web
