#include "kinds/transcripts/products/claude/plan_users.h"

#include "jsonl/tail.h"
#include "kinds/transcripts/home/find.h"
#include "kinds/transcripts/products/claude/slugs.h"

namespace holdfast::transcripts {
namespace {

Result<Slugs> slugs_in(const Home& home, const std::string& transcript) {
  HF_TRY(Fd fd, home.open_file(transcript));
  HF_TRY(const auto file, jsonl::LiveFile::of(std::move(fd)));
  Slugs slugs;
  HF_CHECK(collect_slugs(file.fd(), file.size(), slugs));
  return slugs;
}

}  // namespace

Result<std::set<std::string>> plans_in_use_elsewhere(const Home& home, const Inventory& inventory) {
  std::set<std::string> open;  // paths nobody else was seen to use
  for (const Artifact& artifact : inventory.artifacts) {
    if (artifact.kind == ArtifactKind::plan) open.insert(artifact.path);
  }
  std::set<std::string> used;
  if (open.empty()) return used;
  HF_TRY(const auto sessions, all_sessions(home));
  for (const FoundSession& session : sessions) {
    if (session.place == inventory.place) continue;
    const auto slugs = slugs_in(home, session.place.transcript());
    if (!slugs && slugs.error().kind == ErrorKind::not_found) continue;  // gone meanwhile
    if (!slugs) {
      used.merge(open);
      return used;
    }
    for (const std::string& slug : slugs->names) {
      if (auto node = open.extract("plans/" + slug + ".md")) used.insert(std::move(node));
    }
    if (open.empty()) break;
  }
  return used;
}

}  // namespace holdfast::transcripts
