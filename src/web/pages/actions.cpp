#include "web/pages/actions.h"

#include "base/text/uri.h"
#include "operations/table.h"
#include "web/pages/page_context.h"
#include "web/pages/shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::web {

namespace {

using operations::Effect;
using operations::Operation;
using operations::Parameter;

class SessionPage final : public PageContext {
 public:
  SessionPage(session::Store& store, const Transcripts& transcripts, const session::RetentionPolicy& policy,
              const ResearchOpener& open, const PageRequest& request)
      : PageContext(request, policy), store_(store), transcripts_(transcripts), open_(open) {}

  Result<session::Store*> store(bool) override { return &store_; }
  Result<const transcripts::Keeper*> keeper() override {
    if (transcripts_.keeper && identity().principal == kLocalPrincipal) return transcripts_.keeper;
    return fail(ErrorKind::refused, "the transcripts on this machine belong to the user who runs the server");
  }
  Result<research::Research*> research() override {
    if (!open_) return Context::research();
    HF_TRY(research_, open_(store_));
    return research_.get();
  }

 private:
  session::Store& store_;
  const Transcripts& transcripts_;
  const ResearchOpener& open_;
  std::unique_ptr<research::Research> research_;
};

std::string action_name(std::string_view operation) {
  std::string name(operation);
  std::ranges::replace(name, ' ', '-');
  return name;
}

// A field that is empty was not filled in. Errors: invalid (no number).
Result<void> take_field(const Parameter& parameter, const Fields& form, operations::Given& given) {
  using Type = Parameter::Type;
  const std::string value(form.get(parameter.name));
  if (value.empty()) return {};
  switch (parameter.type) {
    case Type::text:
      given.set(parameter.name, Json(value));
      return {};
    case Type::texts:
      given.set(parameter.name, to_json_array(form.all(parameter.name)));
      return {};
    case Type::flag:
    case Type::choice:
      given.set(parameter.name, value == "1");
      return {};
    case Type::json:
      return {};
    case Type::number:
      break;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size())
    return fail(ErrorKind::invalid, fmt::format("{} is not a number", parameter.name));
  given.set(parameter.name, number);
  return {};
}

}  // namespace

bool fits_page(const Operation& operation) {
  return (operation.effect == Effect::adds || operation.effect == Effect::changes) && !operation.reaches_out &&
         operation.scope == Scope::write && find(operation.parameters, "session");
}

std::string action_path(std::string_view session, std::string_view operation) {
  return fmt::format("/sessions/{}/do/{}", percent_encode(session), action_name(operation));
}

Result<net::HttpResponse> perform_action(session::Store& store, const Transcripts& transcripts,
                                         const session::RetentionPolicy& policy, const ResearchOpener& open,
                                         const PageRequest& request) {
  const std::string& id = request.parts.at(0);
  HF_TRY(const Subject subject, find_subject(store, transcripts, request.principal, id));
  const auto all = operations::all();
  const auto operation = std::ranges::find_if(
      all, [&](const Operation& each) { return fits_page(each) && action_name(each.name) == request.parts.at(1); });
  if (operation == all.end()) return fail(ErrorKind::not_found, fmt::format("a page cannot do {}", request.parts.at(1)));
  SessionPage context(store, transcripts, policy, open, request);
  operations::Given given;
  for (const Parameter& parameter : operation->parameters) HF_CHECK(take_field(parameter, request.form, given));
  given.set("session", Json(subject.id));
  auto facts = [&]() -> Result<operations::Facts> {
    HF_CHECK(check(*operation, given));
    return operation->run(context, given);
  }();
  if (!facts) return fail(in_fields(std::move(facts).error()));
  const std::string_view back = request.form.get("back");
  // A copy is shown, not what it was made of.
  const std::string made = text_in(*facts, "new_session_id");
  return see_other(is_own_path(back) ? std::string(back) : session_path(made.empty() ? subject.id : made));
}

}  // namespace holdfast::web
