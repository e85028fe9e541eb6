#include "store/postgres/address.h"

#include "store/postgres/libpq.h"

#include <fmt/format.h>

#include <memory>

namespace holdfast::store::postgres {

bool is_address(std::string_view url) {
  return url.starts_with("postgres://") || url.starts_with("postgresql://");
}

Result<Address> parse_address(std::string_view url) {
  HF_TRY(const Libpq* pq, Libpq::load());
  Address address{std::string(url), {}};
  char* problem = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parts(pq->conninfoParse(address.url.c_str(), &problem),
                                                                           pq->conninfoFree);
  if (!parts) {
    // What libpq says quotes the address, and with it perhaps the password.
    if (problem != nullptr) pq->freemem(problem);
    return fail(ErrorKind::invalid, "the address of the database cannot be understood",
                "use postgres://USER@HOST:PORT/DATABASE; in a password write % as %25, @ as %40, / as %2F");
  }
  std::string user, host, port, name;
  for (const PQconninfoOption* part = parts.get(); part->keyword != nullptr; ++part) {
    if (part->val == nullptr) continue;
    const std::string_view word = part->keyword;
    if (word == "user") user = fmt::format("{}@", part->val);
    if (word == "host") host = part->val;
    if (word == "port") port = fmt::format(":{}", part->val);
    if (word == "dbname") name = part->val;
  }
  address.shown = fmt::format("postgres://{}{}{}/{}", user, host, port, name);
  return address;
}

}  // namespace holdfast::store::postgres
