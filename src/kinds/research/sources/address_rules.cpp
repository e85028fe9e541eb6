#include "kinds/research/sources/address_rules.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

namespace holdfast::research {
namespace {

struct Range4 {
  std::uint32_t network;
  int bits;
  std::string_view name;
};

constexpr std::uint32_t v4(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

// The registry of special-purpose addresses (RFC 6890 and its successors), and multicast.
constexpr Range4 kNotPublic4[] = {
    {v4(0, 0, 0, 0), 8, "unspecified"},
    {v4(10, 0, 0, 0), 8, "private network"},
    {v4(100, 64, 0, 0), 10, "network of a provider"},
    {v4(127, 0, 0, 0), 8, "loopback"},
    {v4(169, 254, 0, 0), 16, "link-local"},
    {v4(172, 16, 0, 0), 12, "private network"},
    {v4(192, 0, 0, 0), 24, "reserved"},
    {v4(192, 0, 2, 0), 24, "for documentation"},
    {v4(192, 88, 99, 0), 24, "reserved"},
    {v4(192, 168, 0, 0), 16, "private network"},
    {v4(198, 18, 0, 0), 15, "for benchmarks"},
    {v4(198, 51, 100, 0), 24, "for documentation"},
    {v4(203, 0, 113, 0), 24, "for documentation"},
    {v4(224, 0, 0, 0), 4, "multicast"},
    {v4(240, 0, 0, 0), 4, "reserved"},
};

using Bytes6 = std::array<std::uint8_t, 16>;

std::optional<std::string_view> why_not_4(std::uint32_t address) {
  for (const Range4& range : kNotPublic4)
    if ((address ^ range.network) >> (32 - range.bits) == 0) return range.name;
  return {};
}

bool begins(const Bytes6& address, std::initializer_list<std::uint8_t> prefix) {
  return std::equal(prefix.begin(), prefix.end(), address.begin());
}

std::uint32_t v4_at(const Bytes6& address, std::size_t at) {
  return v4(address[at], address[at + 1], address[at + 2], address[at + 3]);
}

std::optional<std::string_view> why_not_6(const Bytes6& address) {
  const bool zeros = std::all_of(address.begin(), address.begin() + 10, [](std::uint8_t byte) { return byte == 0; });
  if (zeros && address[10] == 0xFF && address[11] == 0xFF) return why_not_4(v4_at(address, 12));                // ::ffff:a.b.c.d
  if (begins(address, {0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0})) return why_not_4(v4_at(address, 12));  // 64:ff9b::/96
  if (begins(address, {0x20, 0x02})) return why_not_4(v4_at(address, 2));                                       // 2002::/16
  if (zeros) return address[15] == 1 ? "loopback" : "unspecified";
  if ((address[0] & 0xFE) == 0xFC) return "private network";
  if (address[0] == 0xFE && (address[1] & 0x80) != 0) return "link-local";  // fe80::/10 and fec0::/10
  if (address[0] == 0xFF) return "multicast";
  if ((address[0] & 0xE0) != 0x20) return "reserved";                         // only 2000::/3 is given out
  if (begins(address, {0x20, 0x01}) && address[2] < 0x02) return "reserved";  // 2001::/23: Teredo and other machinery
  if (begins(address, {0x20, 0x01, 0x0D, 0xB8}) || (begins(address, {0x3F, 0xFF}) && address[2] < 0x10))
    return "for documentation";
  return {};
}

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

}  // namespace

std::optional<std::string_view> why_not_public(std::string_view address) {
  const std::string text(address);
  in_addr four{};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) return why_not_4(ntohl(four.s_addr));
  in6_addr six{};
  if (::inet_pton(AF_INET6, text.c_str(), &six) != 1) return "not an address";
  Bytes6 bytes;
  std::copy(std::begin(six.s6_addr), std::end(six.s6_addr), bytes.begin());
  return why_not_6(bytes);
}

Result<std::vector<std::string>> resolve_host(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int problem = ::getaddrinfo(host.c_str(), nullptr, &wanted, &found);
  if (problem != 0)
    return fail(ErrorKind::unavailable, fmt::format("cannot find the host {}: {}", host, ::gai_strerror(problem)));
  const std::unique_ptr<addrinfo, FreeAddresses> owned(found);
  std::vector<std::string> addresses;
  for (const addrinfo* each = found; each; each = each->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) continue;
    addresses.emplace_back(text.data());
    if (const std::size_t zone = addresses.back().find('%'); zone != std::string::npos) addresses.back().resize(zone);
  }
  if (addresses.empty()) return fail(ErrorKind::unavailable, fmt::format("the host {} has no address", host));
  return addresses;
}

}  // namespace holdfast::research
