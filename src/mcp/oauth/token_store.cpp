#include "mcp/oauth/token_store.h"

#include "base/file.h"
#include "base/hash.h"

namespace holdfast::mcp::oauth {
namespace {

constexpr std::size_t kMaxFileBytes = 4 * 1024 * 1024;  // hundreds of servers of one issuer

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

}  // namespace holdfast::mcp::oauth
