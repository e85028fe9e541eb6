// The request reader on hostile bytes: it must read the same in one piece as in many, and with a stop behind the head, keep its
// limits and never take more than it was given. The first byte of the input chooses the portions.

#include "net/http/http_reader.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using holdfast::net::HttpLimits;
using holdfast::net::HttpReader;
using holdfast::net::HttpRequest;

void require(bool holds) {
  if (!holds) std::abort();
}

struct Outcome {
  HttpReader::State state;
  int status;
  std::size_t taken;
  HttpRequest request;
};

Outcome read(std::string_view bytes, std::uint32_t seed, const HttpLimits& limits) {
  HttpReader reader(limits);
  std::size_t taken = 0;
  while (taken < bytes.size() && reader.state() != HttpReader::State::complete && reader.state() != HttpReader::State::failed) {
    seed = seed * 1664525 + 1013904223;
    const std::size_t portion = 1 + (seed >> 16) % 40;
    const std::string_view part = bytes.substr(taken, portion);
    const std::size_t used = reader.feed(part);
    require(used <= part.size());
    const bool over = reader.state() == HttpReader::State::complete || reader.state() == HttpReader::State::failed;
    require(over || used == part.size());
    taken += used;
  }
  Outcome outcome{reader.state(), reader.failure_status(), taken, {}};
  if (reader.state() == HttpReader::State::complete) outcome.request = reader.take();
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  HttpLimits limits;
  limits.max_header_bytes = 512;
  limits.max_body_bytes = 256;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);

  HttpReader whole_reader(limits);
  const std::size_t whole_taken = whole_reader.feed(bytes);
  const Outcome parts = read(bytes, data[0] + 1U, limits);
  require(parts.state == whole_reader.state());
  HttpReader stopping_reader(limits);
  std::size_t stopping_taken = stopping_reader.feed(bytes, HttpReader::Stop::behind_the_head);
  require(stopping_taken <= bytes.size());
  HttpRequest stopped;
  if (stopping_reader.state() == HttpReader::State::body) {
    stopped = stopping_reader.take();
    require(stopped.body.empty());
    stopping_taken += stopping_reader.feed(bytes.substr(stopping_taken));
  }
  require(stopping_reader.state() == whole_reader.state() && stopping_taken == whole_taken);
  if (parts.state == HttpReader::State::failed) {
    require(parts.status >= 400 && parts.status < 600);
    require(*whole_reader.failure_reason() != '\0');
  }
  if (parts.state != HttpReader::State::complete) return 0;
  const HttpRequest whole = whole_reader.take();
  require(parts.taken == whole_taken);
  require(parts.request.method == whole.method && parts.request.target == whole.target);
  require(parts.request.headers == whole.headers && parts.request.body == whole.body);
  const HttpRequest rest = stopping_reader.take();
  require((stopped.method.empty() ? rest : stopped).headers == whole.headers && rest.body == whole.body);
  require(whole.body.size() <= limits.max_body_bytes);
  require(whole.path.starts_with('/') || whole.path == "*");
  return 0;
}
