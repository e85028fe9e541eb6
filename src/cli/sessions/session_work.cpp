#include "cli/sessions/session_work.h"

#include "base/text/text.h"
#include "base/text/uri.h"
#include "operations/sessions/record_changes.h"
#include "operations/sessions/removing.h"
#include "operations/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace holdfast::cli {

namespace {

// The choice of the person at the terminal.
Result<std::string> ask(const Context& context, const session::GateQuestion& question) {
  if (context.given.flag("yes")) return question.choices.front();
  if (!somebody_is_there())
    return fail(ErrorKind::refused, question.prompt, "there is nobody to ask; --yes does it without asking",
                "CONFIRMATION_UNAVAILABLE");
  const bool can_archive = std::ranges::find(question.choices, operations::kArchiveInstead) != question.choices.end();
  print_note(harmless(question.prompt, false));
  if (question.confirm_id) {
    print_note(fmt::format("\nType {} to go on: ", question.session));
    return read_answer() == question.session ? question.choices.front() : std::string(operations::kKeep);
  }
  print_note(can_archive ? "\nyes, No, or archive it instead? [y/N/a] " : "\nGo on? [y/N] ");
  const std::string answer = to_ascii_lower(read_answer());
  if (answer == "y" || answer == "yes") return question.choices.front();
  if (can_archive && (answer == "a" || answer == "archive")) return std::string(operations::kArchiveInstead);
  return std::string(operations::kKeep);
}

}  // namespace

Result<std::unique_ptr<SessionWork>> SessionWork::begin(cli::Context& context) {
  std::unique_ptr<SessionWork> work(new SessionWork(context));
  HF_CHECK(work->open(Died::leave));
  return work;
}

Result<operations::Facts> SessionWork::perform_for(std::string_view action, const session::SessionRecord& record,
                                                   const operations::Given& given) {
  const operations::Operation* operation = operations::find_action(action, record.kind);
  if (!operation) return fail(ErrorKind::invalid, fmt::format("a {} session has no {}", record.kind, action));
  operations::Given own = given;
  own.set("session", Json(record.id));
  return perform(operation->name, own);
}

Result<session::SessionRecord> SessionWork::record() {
  return operations::record_named(*this, given().text("session"));
}

Result<std::string> SessionWork::project_root() const {
  if (const std::string& root = context_.settings.text("root"); !root.empty()) return canonical_root(root);
  if (auto folder = context_.environment("CLAUDE_PROJECT_DIR"); folder && !folder->empty()) return canonical_root(*folder);
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error) return fail(system_error("the current folder", error.value()));
  return canonical_root(here.string());
}

Result<operations::ListedRoots> SessionWork::listed_roots() {
  operations::ListedRoots about;
  if (context_.flags.contains("root")) {
    HF_TRY(std::string root, canonical_root(context_.settings.text("root")));
    about.roots.push_back(std::move(root));
  }
  return about;
}

Result<operations::Place> SessionWork::place() {
  return operations::Place{{}, {}, "holdfast/" HOLDFAST_VERSION};
}

Result<JsonObject> SessionWork::confirm(const operations::GatedAction& action) {
  if (operations::is_done_already(action)) return operations::done_already(action, policy());
  const session::GateQuestion question =
      session::make_question(action.action, action.records, policy(), now(), action.described());
  HF_TRY(const std::string choice, ask(context_, question));
  HF_TRY(session::Store* const store, this->store(false));
  return store->write([&](session::Transaction& transaction) -> Result<JsonObject> {
    std::vector<session::SessionRecord> fresh;
    for (const session::SessionRecord& record : action.records) {
      HF_TRY(session::SessionRecord now, transaction.get(record.id));
      if (now.rev != record.rev && choice != operations::kKeep && !context_.given.flag("yes"))
        return fail(ErrorKind::conflict, fmt::format("{} has changed since you were asked; nothing was done", record.id),
                    "run the command again");
      fresh.push_back(std::move(now));
    }
    return operations::perform(transaction, action, fresh, choice, policy());
  });
}

Result<operations::WholeStore> SessionWork::whole_store() {
  HF_CHECK(store(false));
  return operations::WholeStore{store_.get()};
}

Result<threads::Threads*> SessionWork::threads() {
  HF_CHECK(research());
  return &service_->threads();
}

Result<research::Research*> SessionWork::research() {
  if (!service_) {
    HF_TRY(session::Store* const store, this->store(false));
    HF_TRY(service_, ResearchService::make(context_, *store));
  }
  return &service_->research();
}

Result<operations::Situated> SessionWork::situation(operations::Situate) {
  operations::Situated situated;
  situated.situation.principal = identity().principal;
  HF_TRY(std::string root, project_root());
  situated.situation.roots = {std::move(root)};
  situated.folders_above = true;
  return situated;
}

std::function<void(std::string_view)> SessionWork::listener() {
  if (!prints_) return {};
  return [this](std::string_view piece) {
    printed_ += piece;
    print(harmless(piece, false));
  };
}

}  // namespace holdfast::cli
