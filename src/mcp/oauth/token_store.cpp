#include "mcp/oauth/token_store.h"

#include "base/crypto/hash.h"
#include "base/files/file.h"
#include "mcp/oauth/metadata.h"

#include <algorithm>
#include <filesystem>

namespace holdfast::mcp::oauth {
namespace {

constexpr std::size_t kMaxFileBytes = 4 * 1024 * 1024;  // hundreds of servers of one issuer

bool is_for(const std::string& resource, const HttpUrl& server) {
  const auto url = parse_http_url(resource);
  return url && covers(*url, server);
}

}  // namespace

Result<IssuerRecord> MemoryTokenStore::read(const std::string& issuer) {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(issuer);
  return found == records_.end() ? IssuerRecord() : found->second;
}

Result<void> MemoryTokenStore::change(const std::string& issuer, const Change& change) {
  const std::lock_guard lock(mutex_);
  IssuerRecord record = records_[issuer];
  HF_CHECK(change(record));
  records_[issuer] = std::move(record);
  return {};
}

// The issuer is a stranger's text, so its digest is the name.
std::string FileTokenStore::path_of(const std::string& issuer) const {
  return folder_ + '/' + to_hex(sha256(issuer)).substr(0, 32) + ".json";
}

Result<IssuerRecord> FileTokenStore::read(const std::string& issuer) {
  auto text = read_file(path_of(issuer), kMaxFileBytes);
  if (!text && text.error().kind == ErrorKind::not_found) return IssuerRecord();
  if (!text) return fail(std::move(text).error());
  const auto value = parse_json(*text);
  const JsonObject* object = value ? value->if_object() : nullptr;
  if (!object || find_string(*object, "issuer") != issuer) return IssuerRecord();
  return read_issuer_record(*object);
}

Result<void> FileTokenStore::change(const std::string& issuer, const Change& change) {
  HF_CHECK(make_private_folder(folder_));
  HF_TRY(const FileLock lock, FileLock::acquire(path_of(issuer) + ".lock"));
  HF_TRY(IssuerRecord record, read(issuer));
  const JsonObject before = to_json_object(record);
  HF_CHECK(change(record));
  JsonObject object = to_json_object(record);
  if (object == before) return {};
  object["issuer"] = issuer;
  return replace_file(path_of(issuer), to_json(object), 0600);
}

Result<std::vector<std::string>> FileTokenStore::issuers() const {
  std::vector<std::string> found;
  std::error_code problem;
  std::filesystem::directory_iterator files(folder_, problem), end;
  if (problem == std::errc::no_such_file_or_directory) return found;
  for (; !problem && files != end; files.increment(problem)) {
    if (files->path().extension() != ".json") continue;
    const auto text = read_file(files->path().string(), kMaxFileBytes);
    const auto value = text ? parse_json(*text) : Result<Json>(fail(text.error()));
    const JsonObject* object = value ? value->if_object() : nullptr;
    if (const auto issuer = object ? find_string(*object, "issuer") : std::nullopt) found.emplace_back(*issuer);
  }
  if (problem) return fail(system_error(folder_, problem.value()));
  return found;
}

Result<bool> FileTokenStore::knows(const HttpUrl& server) {
  HF_TRY(const auto all, issuers());
  for (const std::string& issuer : all) {
    HF_TRY(const IssuerRecord record, read(issuer));
    if (std::ranges::any_of(record.tokens, [&](const auto& token) { return is_for(token.first, server); })) return true;
  }
  return false;
}

Result<bool> FileTokenStore::forget(const HttpUrl& server) {
  HF_TRY(const auto all, issuers());
  bool any = false;
  for (const std::string& issuer : all) {
    HF_CHECK(change(issuer, [&](IssuerRecord& record) -> Result<void> {
      if (std::erase_if(record.tokens, [&](const auto& token) { return is_for(token.first, server); }) == 0) return {};
      any = true;
      if (record.tokens.empty()) record.registration.reset();
      return {};
    }));
  }
  return any;
}

}  // namespace holdfast::mcp::oauth
