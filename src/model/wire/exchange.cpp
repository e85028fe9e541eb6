#include "model/wire/exchange.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::model {
namespace {

// As many as usually ask at once (research works on three questions, consensus on three providers); more are made and closed
// again.
constexpr std::size_t kKeptClients = 4;

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr milliseconds kConnectTimeout{15'000};  // a server that is there accepts at once
constexpr milliseconds kLinger{2'000};           // for the usage and the end of a stream whose answer is whole
// Each token comes in an event of its own of some 300 bytes, so this is about the longest answer any model gives.
constexpr std::uint64_t kMaxTransferBytes = 128ULL << 20;

Error too_late(milliseconds limit) {
  return make_error(ErrorKind::timeout, fmt::format("no whole answer within {} ms", limit.count()),
                    "raise timeout_s of this endpoint if it is only slow");
}

Error no_beginning(milliseconds limit) {
  return make_error(ErrorKind::timeout, fmt::format("no answer began within {} ms", limit.count()),
                    "is the model too large for this machine?");
}

}  // namespace

Result<HttpClients::Borrowed> HttpClients::borrow() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Borrowed borrowed(*this, std::move(idle_.back()));
      idle_.pop_back();
      return borrowed;
    }
  }
  HF_TRY(auto made, net::HttpClient::make());
  return Borrowed(*this, std::move(made));
}

void HttpClients::take_back(std::unique_ptr<net::HttpClient> client) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kKeptClients) idle_.push_back(std::move(client));
}

Error cancelled_error() {
  return make_error(ErrorKind::cancelled, "stopped while a model was asked");
}

std::expected<Answer, Fault> exchange(HttpClients& clients, const Question& question) {
  auto client = clients.borrow();
  if (!client) return std::unexpected(Fault{std::move(client).error(), Fault::Then::stop});

  AnswerReader reader(question.on_text, question.reading);
  net::HttpCall call;
  call.method = "POST";
  call.url = question.url;
  call.headers = {{"Content-Type", "application/json"}, {"Accept", "text/event-stream, application/json"}};
  if (!question.key.empty()) call.headers.emplace_back("Authorization", "Bearer " + question.key);
  call.body = question.body;
  call.connect_timeout = std::min(kConnectTimeout, question.timeout);
  call.stalled_timeout = question.timeout;  // a model may think for as long as its answer may take
  call.max_answer_bytes = kMaxTransferBytes;
  call.sink = [&](std::string_view bytes) { return reader.feed(bytes); };

  const auto begun = SteadyClock::now();
  std::optional<SteadyClock::time_point> whole_since;
  std::optional<Error> late;
  bool unwanted = false;
  call.progress = [&](std::uint64_t, std::uint64_t received) {
    const auto now = SteadyClock::now();
    if (reader.whole() && !whole_since) whole_since = now;
    if (now - begun >= question.timeout) late = too_late(question.timeout);
    if (received == 0 && question.first_byte && now - begun >= *question.first_byte) late = no_beginning(*question.first_byte);
    unwanted = question.cancelled && question.cancelled();
    return !late && !unwanted && (!whole_since || now - *whole_since < kLinger);
  };
  auto answer = (*client)->send(call);
  if (unwanted) return std::unexpected(Fault{cancelled_error(), Fault::Then::stop});
  if (answer && (answer->status < 200 || answer->status > 299))
    return std::unexpected(fault_of(*answer, std::chrono::system_clock::now()));
  // A connection that breaks behind the last word takes nothing away.
  if (!answer && !reader.whole()) {
    if (reader.reported()) return std::unexpected(fault_of(answer.error(), reader.reported()));
    return std::unexpected(fault_of_transfer(late ? *late : answer.error()));
  }
  auto read = reader.finish();
  if (!read) return std::unexpected(fault_of(read.error(), reader.reported()));
  return *std::move(read);
}

}  // namespace holdfast::model
