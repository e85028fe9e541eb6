#include "web/pages/storage_page.h"

#include "operations/table.h"
#include "web/pages/page_context.h"
#include "web/pages/shown.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::web {

namespace {

constexpr std::size_t kShownDamaged = 100;

// An administrator's request: the store as a whole, but not where it or other stores lie in files.
class StorageRequest final : public PageContext {
 public:
  StorageRequest(const session::SharedStore& stores, const PageRequest& request) : PageContext(request), stores_(stores) {}

  Result<operations::Administration> administration() override {
    operations::Administration administration;
    administration.store = [this](bool) -> Result<session::Store*> { return &stores_.for_system(session::SystemWork::storage); };
    return administration;
  }

 private:
  const session::SharedStore& stores_;
};

Result<operations::Facts> look_at(const session::SharedStore& stores, const PageRequest& request, std::string_view operation) {
  StorageRequest context(stores, request);
  return operations::find_operation(operation)->run(context, {});
}

std::int64_t count_in(const operations::Facts& facts, std::string_view name) {
  return find_int(facts, name).value_or(0);
}

void write_store(Html& page, const operations::Facts& info) {
  page.element("h2", "Store").open("dl", {{"class", "facts"}});
  show_fact(page, "Sessions", std::to_string(count_in(info, "sessions")));
  show_fact(page, "Entries", std::to_string(count_in(info, "entries")));
  show_fact(page, "Size", readable_size(count_in(info, "bytes")));
  show_fact(page, "Its own index", readable_size(count_in(info, "index_bytes")));
  show_fact(page, "Schema", std::to_string(count_in(info, "schema_version")));
  const std::string path = text_in(info, "path");
  show_fact(page, "Place", path.empty() ? text_in(info, "url") : path, "wide");
  page.close();
  if (find_bool(info, "read_only").value_or(false))
    page.element("p", fmt::format("The store is read-only: {}", text_in(info, "read_only_reason")), {{"class", "notice bad"}});
}

void write_index(Html& page, session::Finder* finder) {
  page.element("h2", "Search index");
  if (!finder) {
    page.element("p", "This server was started without a search.", {{"class", "soft"}});
    return;
  }
  const auto state = finder->index_state();
  if (!state) {
    page.element("p", state.error().message, {{"class", "notice bad"}});
    return;
  }
  const auto size = [](std::uint64_t bytes) { return readable_size(static_cast<std::int64_t>(bytes)); };
  const std::uint64_t percent =
      state->source_bytes == 0 ? 100 : std::min<std::uint64_t>(100, state->indexed_bytes * 100 / state->source_bytes);
  page.open("dl", {{"class", "facts"}});
  show_fact(page, "Sources", fmt::format("{}, {}", state->sources, size(state->source_bytes)));
  show_fact(page, "Indexed", fmt::format("{} %{}", percent, state->updating ? ", being updated" : ""));
  show_fact(page, "On the disk", size(state->index_bytes));
  show_fact(page, "Segments", std::to_string(state->segments));
  page.close();
  page.element("p", "What is not indexed yet is scanned, so a search finds everything either way.", {{"class", "soft"}});
}

void write_transcripts(Html& page, const transcripts::Homes& homes) {
  page.element("h2", "Transcripts of coding clients").open("dl", {{"class", "facts"}});
  if (auto sessions = transcripts::all_sessions(homes.claude)) {
    std::uint64_t bytes = 0;
    for (const auto& session : *sessions) bytes += session.size;
    show_fact(page, "Claude Code",
              fmt::format("{}, {}", counted(static_cast<std::int64_t>(sessions->size()), "session", "sessions"),
                          readable_size(static_cast<std::int64_t>(bytes))));
  }
  if (auto sessions = transcripts::codex_sessions(homes.codex)) {
    std::uint64_t bytes = 0;
    for (const auto& session : *sessions) bytes += session.size;
    show_fact(page, "Codex",
              fmt::format("{}, {}", counted(static_cast<std::int64_t>(sessions->size()), "session", "sessions"),
                          readable_size(static_cast<std::int64_t>(bytes))));
  }
  show_fact(page, "Folders", homes.claude.folder() + ", " + homes.codex.folder(), "wide");
  page.close();
}

void write_facts(Html& page, const Facts& facts) {
  page.open("dl", {{"class", "facts"}});
  for (const auto& [name, value] : facts) show_fact(page, name, value);
  page.close();
}

void write_guard(Html& page, const StorageService& service) {
  page.element("h2", "Guard");
  if (!service.guard) {
    page.element("p", "No copies of transcripts are kept by this server.", {{"class", "soft"}});
    return;
  }
  const auto facts = service.guard();
  if (facts)
    write_facts(page, *facts);
  else
    page.element("p", facts.error().message, {{"class", "notice"}});
}

}  // namespace

Result<net::HttpResponse> storage_page(const session::SharedStore& stores, session::Finder* finder,
                                       const transcripts::Keeper* keeper, const StorageService& service,
                                       const PageRequest& request) {
  HF_TRY(const operations::Facts info, look_at(stores, request, "store info"));
  return show_page(request, {"Storage", Section::storage}, [&](Html& page) {
    page.element("h1", "Storage and health");
    page.open("div", {{"id", "storage"}, {"data-live", "*"}});
    write_store(page, info);
    page.close();
    open_form(page, request, "/storage/verify", "actions");
    page.element("button", "Verify every entry", {{"class", "main"}}).close();
    if (request.principal == kLocalPrincipal) {
      write_index(page, finder);
      if (keeper) write_transcripts(page, keeper->homes());
      write_guard(page, service);
    }
    if (!service.settings.empty()) {
      page.element("h2", "Settings");
      write_facts(page, service.settings);
    }
  });
}

Result<net::HttpResponse> verify_store(const session::SharedStore& stores, const PageRequest& request) {
  HF_TRY(const operations::Facts found, look_at(stores, request, "store verify"));
  const bool is_well = find_bool(found, "ok").value_or(false);
  session::StoreView store(stores, request);
  std::vector<const JsonObject*> own;  // those of others are only counted
  const JsonArray& damaged = *find_array(found, "damaged");
  for (const Json& each : damaged)
    if (store.get(text_in(each.as_object(), "session"))) own.push_back(&each.as_object());
  return show_page(request, {"Verification", Section::storage}, [&](Html& page) {
    page.open("p").element("a", "Storage", {{"href", "/storage"}}).close().element("h1", "Verification");
    page.element(
        "p",
        fmt::format("{} and {} were read and compared with their hashes: {}.",
                    counted(count_in(found, "sessions"), "session", "sessions"),
                    counted(count_in(found, "entries"), "entry", "entries"), is_well ? "all is well" : "there is damage"),
        {{"class", is_well ? "notice good" : "notice bad"}, {"role", "status"}});
    for (const Json& problem : *find_array(found, "problems"))
      page.element("p", view(problem.as_string()), {{"class", "notice bad"}});
    if (!own.empty()) page.open("ul", {{"class", "rows"}});
    for (std::size_t i = 0; i < std::min(own.size(), kShownDamaged); ++i) {
      const std::string id = text_in(*own[i], "session");
      page.open("li", {{"class", "row"}}).element("a", id, {{"class", "row-title"}, {"href", session_path(id)}});
      for (const Json& problem : *find_array(*own[i], "problems")) page.element("p", view(problem.as_string()));
      page.close();
    }
    if (!own.empty()) page.close();
    if (const std::size_t others = damaged.size() - own.size(); others > 0)
      page.element(
          "p", fmt::format("{} of others.", counted(static_cast<std::int64_t>(others), "damaged session", "damaged sessions")));
  });
}

}  // namespace holdfast::web
