#include "generated_transcripts.h"

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/run/clock.h"
#include "base/text/text.h"
#include "generated_prose.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>

namespace holdfast::bench {
namespace {

constexpr Millis kFirstDay = 1'735'689'600'000, kDay = 86'400'000;  // 2025-01-01
constexpr std::uint64_t kDays = 600;
constexpr std::size_t kSessionFiles = 12;  // that a session reads and edits again and again
constexpr const char* kTools[] = {"Bash", "Read", "Edit", "Grep", "Read", "Bash"};
constexpr const char* kProjects[] = {"holdfast", "web-shop", "pump-control", "notes", "compiler", "billing", "tracker", "atlas"};
constexpr const char* kBranches[] = {"main", "main", "feature/retry", "fix/cors"};
constexpr const char* kModels[] = {"claude-opus-4-8", "claude-sonnet-4-5"};

std::string in_json(std::string_view text) {
  std::string json;
  append_json_string(json, text);
  return json;
}

std::string uuid(Draw& draw) {
  return fmt::format("{}-{}-4{}-8{}-{}", Prose::hex(draw, 8), Prose::hex(draw, 4), Prose::hex(draw, 3), Prose::hex(draw, 3),
                     Prose::hex(draw, 12));
}

// Writes the records of one transcript, turn by turn.
class Conversation {
 public:
  Conversation(const Prose& prose, Draw& draw, std::string session, std::string cwd, std::string agent, Millis time)
      : prose_(prose), draw_(draw), session_(std::move(session)), cwd_(std::move(cwd)), agent_(std::move(agent)), time_(time) {
    branch_ = kBranches[draw_.below(std::size(kBranches))];
    model_ = kModels[draw_.below(std::size(kModels))];
    for (std::size_t i = 0; i < kSessionFiles; ++i) {
      File file{cwd_ + "/" + prose_.path(draw_), {}};
      prose_.code(draw_, draw_.between(60, 400), file.text);
      files_.push_back(std::move(file));
    }
  }

  void title(std::string& to) const {
    std::string text;
    prose_.sentence(draw_, text);
    to += fmt::format(R"({{"type":"ai-title","aiTitle":{},"sessionId":"{}"}})", in_json(text), session_) + "\n";
  }

  void turn(std::string& to) {
    prompt_ = uuid(draw_);
    std::string text;
    prose_.paragraph(draw_, draw_.between(8, 120), text);
    record(to, fmt::format(R"("promptId":"{}","type":"user","message":{{"role":"user","content":{}}})", prompt_, in_json(text)),
           R"("permissionMode":"default","origin":{"kind":"human"},"promptSource":"typed",)");
    if (draw_.chance(25)) attachment(to);
    if (draw_.chance(2)) image(to);
    for (std::uint64_t steps = draw_.between(1, 9); steps > 0; --steps) {
      message_ = "msg_01" + Prose::hex(draw_, 22);
      request_ = "req_01" + Prose::hex(draw_, 22);
      if (draw_.chance(40)) thinking(to);
      if (steps > 1) {
        if (draw_.chance(50)) answer(to, draw_.between(6, 60));
        tool_call(to);
      }
    }
    answer(to, draw_.between(40, 500));
    record(to, fmt::format(R"("type":"system","subtype":"turn_duration","durationMs":{},"messageCount":{},"isMeta":false)",
                           draw_.below(900'000), draw_.below(60)));
    to += fmt::format(R"({{"type":"last-prompt","lastPrompt":{},"leafUuid":"{}","sessionId":"{}"}})",
                      in_json(utf8_prefix(text, 20)), parent_, session_) +
          "\n";
  }

 private:
  struct File {
    std::string path, text;
  };

  void record(std::string& to, const std::string& middle, std::string_view more = {}) {
    const std::string id = uuid(draw_);
    time_ += static_cast<Millis>(draw_.between(40, 30'000));
    to += fmt::format(R"({{"parentUuid":{},"isSidechain":{},{}{},"uuid":"{}","timestamp":"{}",{}"userType":"external",)"
                      R"("entrypoint":"cli","cwd":{},"sessionId":"{}","version":"2.1.197","gitBranch":"{}"}})",
                      parent_.empty() ? "null" : "\"" + parent_ + "\"", agent_.empty() ? "false" : "true",
                      agent_.empty() ? "" : "\"agentId\":\"" + agent_ + "\",", middle, id, iso8601(time_), more, in_json(cwd_),
                      session_, branch_) +
          "\n";
    parent_ = id;
  }

  void assistant(std::string& to, const std::string& content, std::string_view stop) {
    record(to,
           fmt::format(R"("message":{{"id":"{}","type":"message","role":"assistant","model":"{}","content":[{}],)"
                       R"("stop_reason":"{}","stop_sequence":null,"usage":{{"input_tokens":{},"cache_creation_input_tokens":{},)"
                       R"("cache_read_input_tokens":{},"output_tokens":{},"server_tool_use":{{"web_search_requests":0,)"
                       R"("web_fetch_requests":0}},"service_tier":"standard","speed":"standard"}},"stop_details":null}},)"
                       R"("requestId":"{}","type":"assistant")",
                       message_, model_, content, stop, draw_.below(100), draw_.below(9000), draw_.below(160'000),
                       draw_.below(4000), request_));
  }

  void thinking(std::string& to) {
    std::string text;
    prose_.paragraph(draw_, draw_.between(30, 300), text);
    assistant(to,
              fmt::format(R"({{"type":"thinking","thinking":{},"signature":"{}"}})", in_json(text),
                          Prose::base64(draw_, draw_.between(60, 220) * 4)),
              "tool_use");
  }

  void answer(std::string& to, std::size_t words) {
    std::string text;
    prose_.paragraph(draw_, words, text);
    if (words > 100 && draw_.chance(50)) {
      text += "\n\n```cpp\n";
      prose_.code(draw_, draw_.between(5, 40), text);
      text += "```\n";
    }
    assistant(to, fmt::format(R"({{"type":"text","text":{}}})", in_json(text)), "end_turn");
  }

  void tool_call(std::string& to) {
    const std::string tool = kTools[draw_.below(std::size(kTools))], id = "toolu_01" + Prose::hex(draw_, 22);
    File& file = files_[draw_.below(files_.size())];
    std::string input, output, result;
    bool failed = false;
    if (tool == "Bash") {
      failed = draw_.chance(12);
      prose_.log(draw_, draw_.chance(10) ? draw_.between(100, 250) : draw_.between(2, 60), output);
      input = fmt::format(R"({{"command":"cd {} && {} --{} {}","description":{}}})", cwd_, prose_.word(draw_), prose_.word(draw_),
                          prose_.path(draw_), in_json(prose_.identifier(draw_)));
      result = failed ? in_json("Error: Exit code 1\n" + output)
                      : fmt::format(R"({{"stdout":{},"stderr":"","interrupted":false,"isImage":false}})", in_json(output));
    } else if (tool == "Read") {
      const std::size_t begin = draw_.below(file.text.size() / 2), length = draw_.between(1500, 12'000);
      const std::string part = file.text.substr(begin, length);
      std::size_t line = begin / 30 + 1;
      for (std::size_t at = 0; at < part.size(); ++line) {
        const std::size_t end = std::min(part.find('\n', at), part.size());
        output += fmt::format("{:6}\t{}\n", line, std::string_view(part).substr(at, end - at));
        at = end + 1;
      }
      input = fmt::format(R"({{"file_path":{},"offset":{}}})", in_json(file.path), begin / 30);
      result = fmt::format(R"({{"type":"text","file":{{"filePath":{},"content":{},"numLines":{},"startLine":{}}}}})",
                           in_json(file.path), in_json(part), line, begin / 30);
    } else if (tool == "Edit") {
      const std::size_t begin = file.text.find('\n', draw_.below(file.text.size() * 3 / 4));
      const std::size_t end = file.text.find('\n', std::min(begin + draw_.between(40, 600), file.text.size() - 2));
      const std::string before = file.text.substr(begin + 1, end - begin);
      std::string after;
      prose_.code(draw_, draw_.between(1, 16), after);
      input = fmt::format(R"({{"file_path":{},"old_string":{},"new_string":{}}})", in_json(file.path), in_json(before),
                          in_json(after));
      output = "The file " + file.path + " has been updated.\n";
      result = fmt::format(R"({{"filePath":{},"oldString":{},"newString":{},"userModified":false,"replaceAll":false}})",
                           in_json(file.path), in_json(before), in_json(after));
      file.text.replace(begin + 1, before.size(), after);
      if (file.text.size() < 2000) prose_.code(draw_, 200, file.text);
    } else {
      input = fmt::format(R"({{"pattern":"{}","path":"{}","output_mode":"content"}})", prose_.identifier(draw_), cwd_);
      for (std::uint64_t lines = draw_.between(1, 40); lines > 0; --lines)
        output += fmt::format("{}:{}:{}\n", prose_.path(draw_), draw_.below(800), prose_.identifier(draw_));
      result = fmt::format(R"({{"mode":"content","numFiles":0,"content":{},"numLines":{}}})", in_json(output), 10);
    }
    assistant(to, fmt::format(R"({{"type":"tool_use","id":"{}","name":"{}","input":{}}})", id, tool, input), "tool_use");
    const std::string call = parent_;
    record(to,
           fmt::format(R"("promptId":"{}","type":"user","message":{{"role":"user","content":[{{"tool_use_id":"{}",)"
                       R"("type":"tool_result","content":{}{}}}]}})",
                       prompt_, id, in_json(output), failed ? R"(,"is_error":true)" : ""),
           fmt::format(R"("toolUseResult":{},"sourceToolAssistantUUID":"{}",)", result, call));
  }

  void attachment(std::string& to) {
    std::string text;
    prose_.paragraph(draw_, draw_.between(20, 120), text);
    record(to, fmt::format(R"("attachment":{{"type":"task_reminder","content":{},"itemCount":0}},"type":"attachment")",
                           in_json(text)));
  }

  void image(std::string& to) {
    record(to, fmt::format(R"("promptId":"{}","type":"user","message":{{"role":"user","content":[{{"type":"image","source":)"
                           R"({{"type":"base64","media_type":"image/png","data":"{}"}}}}]}},"isMeta":true)",
                           prompt_, Prose::base64(draw_, draw_.between(2000, 40'000) * 4)));
  }

  const Prose& prose_;
  Draw& draw_;
  std::string session_, cwd_, agent_, branch_, model_, parent_, prompt_, message_, request_;
  Millis time_;
  std::vector<File> files_;
};

class Home {
 public:
  Home(std::string folder, const HomePlan& plan)
      : folder_(std::move(folder)), plan_(plan), prose_(plan.seed), draw_(plan.seed + 7) {}

  Result<GeneratedHome> write() {
    while (made_.bytes < plan_.bytes) {
      const double kind = static_cast<double>(draw_.below(1'000'000)) / 1e6;
      const bool fork = kind < plan_.forks, clone = !fork && kind < plan_.forks + plan_.clones;
      if ((fork || clone) && !sessions_.empty())
        HF_CHECK(copy(sessions_[draw_.below(sessions_.size())], fork));
      else
        HF_CHECK(fresh());
    }
    return std::move(made_);
  }

 private:
  struct Session {
    std::string id, cwd, project, path;
  };

  Session begin() {
    Session session;
    session.id = uuid(draw_);
    const std::string name = kProjects[draw_.below(std::size(kProjects))];
    session.cwd = "/home/dev/work/" + name;
    session.project = folder_ + "/projects/-home-dev-work-" + name;
    session.path = session.project + "/" + session.id + ".jsonl";
    return session;
  }
  Millis some_time() { return kFirstDay + static_cast<Millis>(draw_.below(kDays * static_cast<std::uint64_t>(kDay))); }

  Result<void> fresh() {
    const Session session = begin();
    const Millis began = some_time();
    Conversation conversation(prose_, draw_, session.id, session.cwd, "", began);
    // Between a tenth and ten times the mean, most of them small: 0.1 .. 0.4 for half of them.
    const double spread = static_cast<double>(draw_.below(1000)) / 1000;
    const auto size = static_cast<std::uint64_t>(static_cast<double>(plan_.file_bytes) * (0.1 + 3.6 * spread * spread * spread));
    std::string text = fmt::format("{{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"{}\"}}\n", session.id);
    conversation.title(text);
    while (text.size() < size) conversation.turn(text);
    HF_CHECK(keep(session.path, text));
    if (draw_.chance(30)) {
      const std::string agent = "a" + Prose::hex(draw_, 16);
      Conversation side(prose_, draw_, session.id, session.cwd, agent, some_time());
      std::string side_text;
      while (side_text.size() < size / 5) side.turn(side_text);
      HF_CHECK(keep(fmt::format("{}/{}/subagents/agent-{}.jsonl", session.project, session.id, agent), side_text));
    }
    if (draw_.chance(20)) {
      std::string output;
      prose_.log(draw_, draw_.between(400, 2000), output);
      HF_CHECK(keep(fmt::format("{}/{}/tool-results/b{}.txt", session.project, session.id, Prose::hex(draw_, 8)), output));
      // The time of a saved result is that of its file.
      const timespec time{static_cast<time_t>(began / 1000), 0};
      const timespec times[] = {time, time};
      ::utimensat(AT_FDCWD, made_.files.back().c_str(), times, 0);
    }
    sessions_.push_back(session);
    return {};
  }

  // Every line of the other session under a new id; a fork ends somewhere and goes on.
  Result<void> copy(const Session& from, bool fork) {
    HF_TRY(std::string text, read_file(from.path));
    Session session = begin();
    session.cwd = from.cwd;
    for (std::size_t at = text.find(from.id); at != std::string::npos; at = text.find(from.id, at))
      text.replace(at, from.id.size(), session.id);
    if (fork) {
      text.resize(text.find('\n', text.size() / 2 + draw_.below(text.size() / 3)) + 1);
      Conversation conversation(prose_, draw_, session.id, session.cwd, "", some_time());
      const std::size_t end = text.size() + text.size() / 4;
      while (text.size() < end) conversation.turn(text);
    }
    return keep(session.path, text);
  }

  Result<void> keep(const std::string& path, const std::string& text) {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    std::ofstream file(path, std::ios::binary);
    if (!(file << text) || !file.flush()) return fail(ErrorKind::io, "cannot write " + path);
    made_.files.push_back(path);
    made_.bytes += text.size();
    return {};
  }

  const std::string folder_;
  const HomePlan plan_;
  const Prose prose_;
  Draw draw_;
  std::vector<Session> sessions_;
  GeneratedHome made_;
};

}  // namespace

Result<GeneratedHome> write_home(const std::string& folder, const HomePlan& plan) {
  return Home(folder, plan).write();
}

}  // namespace holdfast::bench
