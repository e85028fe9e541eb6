#pragma once

// Identifiers. All randomness comes from the kernel.

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast {

// 128 bits, time-ordered: ids made by one process sort in the order they were made, also within
// one millisecond and when the clock steps back. Lower case with hyphens. Any thread.
std::string make_uuid7();
std::string make_uuid4();
inline constexpr std::size_t kUuidLength = 36;  // as text
bool is_uuid(std::string_view text);

std::string random_base62(std::size_t length);
std::string random_base32(std::size_t length);  // lower case a-z, 2-7

// 128 random bits as 22 characters of base64url: handles, session ids, nonces.
std::string make_handle();

}  // namespace holdfast
