#include "base/crypto/hash.h"
#include "base/run/parallel.h"
#include "base/text/text.h"
#include "kinds/research/engine/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

namespace holdfast::research {

namespace {

bool is_link(const Source& source) {
  return source.content.empty() && (source.uri.starts_with("https://") || source.uri.starts_with("http://"));
}

std::string fetch_name(const Source& source) {
  return "fetch/" + to_hex(sha256(canonical_uri(source.uri)));
}

struct Link {
  std::string id, uri;
  Unit unit;
};

Result<void> fetch_one(Workshop& shop, const Link& link) {
  Journal& journal = shop.journal;
  const auto began = std::chrono::steady_clock::now();
  auto fetched = shop.fetcher.fetch(link.uri, std::min<std::chrono::milliseconds>(kFetchTime, journal.budget().operation_time()),
                                    [&journal] { return journal.lease().ended(); });
  if (journal.lease().ended()) return fail(ErrorKind::cancelled, "the worker has to stop");
  AuditEvent event;
  event.event = "fetch";
  event.duration = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  event.text = link.uri;
  if (!fetched) event.error = fetched.error().word();
  journal.audit(std::move(event));
  Change change;
  change.unit = link.unit;
  if (!fetched || trim(fetched->text).empty()) {
    // The snippet is still there; a page that cannot be read is no fault of the run.
    change.failed = true;
    change.mark = {{"error", fetched ? "empty" : std::string(fetched.error().word())}};
  } else {
    const std::string text = to_valid_utf8(utf8_prefix(fetched->text, kFetchBytes));
    change.entries.push_back(
        entry_of(link.unit, "page", 0, text, {{"id", link.id}, {"uri", fetched->uri}, {"content_sha256", to_hex(sha256(text))}}));
    change.event = "source_read";
    change.message = fmt::format("read {}", link.uri);
  }
  change.done = 1;
  return journal.commit(std::move(change));
}

}  // namespace

Result<void> follow_links(Workshop& shop, std::int64_t iteration) {
  Journal& journal = shop.journal;
  if (!journal.job().follow_links) return {};
  std::vector<Link> links;
  int fetches = 0;
  for (const Source& source : journal.state().sources) {
    const Unit unit{iteration, "gathering", fetch_name(source)};
    if (journal.state().is_done(unit))
      ++fetches;
    else if (is_link(source))
      links.push_back({source.id, source.uri, unit});
  }
  const int left = std::max(0, kFetchesPerIteration - fetches);
  if (links.size() > static_cast<std::size_t>(left)) links.resize(static_cast<std::size_t>(left));
  std::mutex mutex;
  std::optional<Error> error;
  const auto workers = static_cast<std::size_t>(journal.job().limits.max_concurrent);
  each_in_parallel(links.size(), workers, "research", [&](std::size_t i) {
    if (journal.lease().ended()) return false;
    if (const auto spent = journal.budget().gathering(); spent && *spent == "budget_time") {
      journal.note_cut(*spent);
      return false;
    }
    auto done = fetch_one(shop, links[i]);
    const std::lock_guard lock(mutex);
    if (!done && !error) error = std::move(done).error();
    return !error;
  });
  if (error) return fail(*std::move(error));
  if (journal.lease().ended()) return fail(ErrorKind::cancelled, "the worker has to stop");
  return {};
}

}  // namespace holdfast::research
