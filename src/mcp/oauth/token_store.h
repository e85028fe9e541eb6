#pragma once

// Where tokens and registrations are kept between runs, by issuer: what one issuer gave is never shown to another.

#include "mcp/oauth/http_url.h"
#include "mcp/oauth/token.h"

#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace holdfast::mcp::oauth {

// Any thread; blocking.
class TokenStore {
 public:
  using Change = std::function<Result<void>(IssuerRecord& record)>;

  virtual ~TokenStore() = default;
  virtual Result<IssuerRecord> read(const std::string& issuer) = 0;
  // Nobody else, in any process, changes this issuer's record meanwhile: a refresh token that may be used once is used once.
  // What the change leaves is kept unless it fails.
  virtual Result<void> change(const std::string& issuer, const Change& change) = 0;
};

// For this process only.
class MemoryTokenStore final : public TokenStore {
 public:
  Result<IssuerRecord> read(const std::string& issuer) override;
  Result<void> change(const std::string& issuer, const Change& change) override;

 private:
  std::mutex mutex_;  // of all
  std::map<std::string, IssuerRecord> records_;
};

// One file for each issuer, mode 0600, in a folder of mode 0700 that is made when missing. A file that cannot be read as JSON
// counts as empty: at worst somebody logs in again. Errors: those of base/files/file.h.
class FileTokenStore final : public TokenStore {
 public:
  explicit FileTokenStore(std::string folder) : folder_(std::move(folder)) {}
  Result<IssuerRecord> read(const std::string& issuer) override;
  Result<void> change(const std::string& issuer, const Change& change) override;

  // Of every issuer, what was given for this server. The issuer is not told: its tokens end by themselves.
  Result<bool> knows(const HttpUrl& server);
  // Whether there was anything. An issuer that has given nothing else is forgotten altogether.
  Result<bool> forget(const HttpUrl& server);

  std::string path_of(const std::string& issuer) const;

 private:
  Result<std::vector<std::string>> issuers() const;

  std::string folder_;
};

}  // namespace holdfast::mcp::oauth
