#include "kinds/documents/workspace/proposals.h"

#include "base/crypto/hash.h"
#include "base/files/file.h"
#include "base/ids.h"
#include "base/json/json.h"
#include "kinds/documents/files/document_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace holdfast::documents {

namespace {

constexpr std::size_t kKeyHex = 32;  // of the document's hash in a file's name
// As JSON text a byte may take six.
constexpr std::size_t kMaxFileBytes = 6 * kMaxDocumentBytes + 65536;

std::string prefix_of(std::string_view key) {
  return to_hex(sha256(key)).substr(0, kKeyHex) + '-';
}

std::string to_text(const Proposal& proposal) {
  return to_json(JsonObject{{"kind", name_of(proposal.kind)},
                            {"id", proposal.id},
                            {"key", proposal.key},
                            {"base_version", proposal.base_version},
                            {"bytes", proposal.bytes},
                            {"author", proposal.author},
                            {"label", proposal.label},
                            {"time", proposal.time},
                            {"comments", to_json_array(proposal.comments)}});
}

std::optional<Proposal> from_text(std::string_view text) {
  const auto parsed = parse_json(text);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  const JsonObject& object = parsed->as_object();
  Proposal proposal;
  const auto word = find_string(object, "kind");
  bool known = false;
  for (const auto kind : {Proposal::Kind::edit, Proposal::Kind::create, Proposal::Kind::remove})
    if (word == name_of(kind)) {
      proposal.kind = kind;
      known = true;
    }
  if (!known) return std::nullopt;
  const auto text_of = [&](std::string_view name) { return std::string(find_string(object, name).value_or("")); };
  proposal.id = text_of("id");
  proposal.key = text_of("key");
  proposal.base_version = text_of("base_version");
  proposal.bytes = text_of("bytes");
  proposal.author = text_of("author");
  proposal.label = text_of("label");
  proposal.time = find_int(object, "time").value_or(0);
  proposal.comments = strings_in(object, "comments");
  return proposal;
}

Result<void> remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return fail(system_error("cannot remove " + path, errno));
  return {};
}

}  // namespace

std::string make_proposal_id() {
  constexpr std::size_t kCharacters = 8;  // short enough to type
  return "p_" + random_base32(kCharacters);
}

std::string_view name_of(Proposal::Kind kind) {
  switch (kind) {
    case Proposal::Kind::edit:
      return "edit";
    case Proposal::Kind::create:
      return "create";
    case Proposal::Kind::remove:
      return "delete";
  }
  return "";
}

std::string Proposals::file_of(const Proposal& proposal) const {
  return fmt::format("{}/{}{}.json", folder_, prefix_of(proposal.key), proposal.id);
}

// In order of their names, so that listings are stable. A folder that is not there holds none.
Result<std::vector<std::string>> Proposals::names(std::string_view prefix) const {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(".json") && !name.starts_with('.')) found.push_back(std::move(name));
  }
  if (error && error != std::errc::no_such_file_or_directory) return fail(system_error("cannot list " + folder_, error.value()));
  std::ranges::sort(found);
  return found;
}

Result<std::vector<Proposal>> Proposals::of(std::string_view key) const {
  std::vector<Proposal> found;
  HF_TRY(const auto files, names(prefix_of(key)));
  for (const std::string& name : files) {
    const auto text = read_file(folder_ + '/' + name, kMaxFileBytes);
    if (!text) continue;  // decided by somebody else meanwhile
    auto proposal = from_text(*text);
    if (proposal && proposal->key == key) found.push_back(*std::move(proposal));
  }
  return found;
}

Result<std::vector<Proposal>> Proposals::all() const {
  std::vector<Proposal> found;
  HF_TRY(const auto files, names({}));
  for (const std::string& name : files) {
    const auto text = read_file(folder_ + '/' + name, kMaxFileBytes);
    if (!text) continue;
    if (auto proposal = from_text(*text)) found.push_back(*std::move(proposal));
  }
  return found;
}

Result<void> Proposals::keep(const Proposal& proposal) const {
  HF_CHECK(make_private_folder(folder_));
  HF_TRY(const auto before, of(proposal.key));
  HF_CHECK(replace_file(file_of(proposal), to_text(proposal)));
  for (const Proposal& old : before)
    if (old.id != proposal.id && old.kind == proposal.kind) HF_CHECK(remove_file(file_of(old)));
  return {};
}

Result<void> Proposals::drop(const Proposal& proposal) const {
  HF_CHECK(remove_file(file_of(proposal)));
  return sync_folder(folder_);
}

Result<void> Proposals::note_moved(const std::vector<std::pair<std::string, std::string>>& keys) const {
  for (const auto& [from, to] : keys) {
    HF_TRY(const auto known, of(from));
    for (const Proposal& old : known) {
      Proposal moved = old;
      moved.key = to;
      HF_CHECK(replace_file(file_of(moved), to_text(moved)));
      HF_CHECK(remove_file(file_of(old)));
    }
  }
  return {};
}

Result<std::unique_ptr<Overlay>> Proposals::overlay() const {
  class Pending final : public Overlay {
   public:
    Pending(const Proposals& proposals, std::set<std::string, std::less<>> prefixes)
        : proposals_(proposals), prefixes_(std::move(prefixes)) {}
    std::optional<std::string> proposed(std::string_view key, std::string_view disk_bytes) const override {
      if (prefixes_.empty() || !prefixes_.contains(prefix_of(key))) return std::nullopt;
      auto known = proposals_.of(key);
      if (!known) return std::nullopt;
      for (Proposal& proposal : *known)
        if (proposal.kind == Proposal::Kind::edit && proposal.base_version == to_hex(sha256(disk_bytes)))
          return std::move(proposal.bytes);
      return std::nullopt;
    }
    bool may_propose(std::string_view key) const override { return !prefixes_.empty() && prefixes_.contains(prefix_of(key)); }

   private:
    const Proposals& proposals_;
    std::set<std::string, std::less<>> prefixes_;
  };
  std::set<std::string, std::less<>> prefixes;
  HF_TRY(const auto files, names({}));
  for (const std::string& name : files) prefixes.insert(name.substr(0, kKeyHex + 1));
  return std::make_unique<Pending>(*this, std::move(prefixes));
}

}  // namespace holdfast::documents
