#pragma once

// For tests: a session that has one of everything a session can have.

#include "kinds/transcripts/home/find.h"
#include "kinds/transcripts/testing/test_home.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>

namespace holdfast::transcripts {

struct TestSession {
  static constexpr const char* kId = "0c0ffee0-1111-4222-8333-444455556666";
  static constexpr const char* kProject = "/home/dev/proj";
  static constexpr const char* kFolder = "-home-dev-proj";
  static constexpr const char* kSlug = "brave-new-plan";
  static constexpr const char* kUuid = "aaaaaaaa-0000-4000-8000-000000000001";

  static SessionPlace place() { return {kId, kFolder}; }
  static std::string in_folder(const std::string& name) { return place().folder() + "/" + name; }
  static std::string in_project(const std::string& name) { return std::string("projects/") + kFolder + "/" + name; }

  static std::string record(const std::string& more) {
    return fmt::format(R"({{"type":"user","sessionId":"{}","cwd":"{}/sub","slug":"{}"{}}})", kId, kProject, kSlug, more) + "\n";
  }

  // Modes and times as a client of some days ago left them.
  static FoundSession write(const TestHome& home) {
    const std::string sid = kId;
    home.write(
        place().transcript(),
        fmt::format(R"({{"type":"custom-title","customTitle":"A title","sessionId":"{}"}})", kId) + "\n" +
            fmt::format(R"({{"type":"user","uuid":"{}","sessionId":"{}","cwd":"{}","message":{{"content":"see {}/a.txt"}}}})",
                        kUuid, kId, kProject, kProject) +
            "\n" + record(R"(,"uuid":"aaaaaaaa-0000-4000-8000-000000000002","n":1.10)") + "not JSON at all\n\n" +
            record(R"(,"toolUseResult":{"file":"/home/dev/proj/x","agentId":"a123"})") + R"({"torn":)");
    home.write(in_project("agent-5271c147.jsonl"), record(R"(,"agentId":"5271c147","isSidechain":true)"));
    home.write(in_folder("subagents/agent-a123.jsonl"), record(R"(,"agentId":"a123","isSidechain":true)"));
    home.write(in_folder("subagents/agent-a123.meta.json"), R"({"agentType":"x","worktreePath":"/home/dev/proj/w"})");
    home.write(in_folder("subagents/workflows/wf_1/agent-a9.jsonl"), record(R"(,"agentId":"a9")"));
    home.write(in_folder("subagents/workflows/wf_1/journal.jsonl"), "{\"type\":\"started\",\"agentId\":\"a9\"}\n");
    home.write(in_folder("workflows/wf_1.json"), fmt::format(R"({{"scriptPath":"/h/projects/{}/{}/s.js"}})", kFolder, kId));
    home.write(in_folder("workflows/scripts/n-wf_1.js"), "run()");
    home.write(in_folder("tool-results/b1.txt"), std::string("bytes \0\xff", 8) + std::string(100'000, 'r'));
    home.write(in_folder("tool-results/pdf-1/page-01.jpg"), "\x89jpg");
    home.write(in_folder("session-memory/summary.md"), "# memory");
    home.write(in_folder("unknown/thing.bin"), std::string("\0\1\2", 3));
    home.write(std::string("plans/") + kSlug + ".md", "# plan");
    home.write("todos/" + sid + "-agent-" + sid + ".json", "[]");
    home.write("tasks/" + sid + "/1.json", R"({"id":"1"})");
    home.write("tasks/" + sid + "/.highwatermark", "1");
    home.write("tasks/" + sid + "/.lock", "");
    home.write("session-env/" + sid + "/hook-1.sh", "export A=1");
    home.write("file-history/" + sid + "/0123456789abcdef@v1", "before");
    home.write("debug/" + sid + ".txt", "debug");
    std::filesystem::create_directory(home / in_folder("empty"));
    ::chmod((home / place().transcript()).c_str(), 0600);
    ::chmod((home / in_folder("tool-results/b1.txt")).c_str(), 0644);
    ::chmod((home / in_folder("tool-results")).c_str(), 0750);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home.folder())) {
      constexpr timespec kThen{1'700'000'000, 0};
      const timespec times[2] = {kThen, kThen};
      ::utimensat(AT_FDCWD, entry.path().c_str(), times, AT_SYMLINK_NOFOLLOW);
    }
    return find_session(home.home(), kId).value();
  }
};

}  // namespace holdfast::transcripts
