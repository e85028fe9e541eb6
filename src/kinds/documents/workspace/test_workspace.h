#pragma once

// For tests: a workspace over a fresh folder and a real store, on a clock that the test sets.

#include "kinds/documents/files/test_library.h"
#include "kinds/documents/workspace/workspace.h"
#include "store/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace holdfast::documents {

inline constexpr Millis kStart = 1'800'000'000'000;

struct WorkspaceTest : testing::Test {
  WorkspaceTest() { restart(); }

  // As after a crash of the server: nothing is left but files and store.
  void restart() {
    workspace.reset();
    store.reset();
    store::OpenOptions options;
    options.clock = clock;
    store = store::open_store("sqlite:" + (home / "store.db"), options).value();
    stores.emplace(*store);
    workspace = open_workspace();
  }
  std::unique_ptr<Workspace> open_workspace() { return Workspace::open(kb.settings(), *stores, *clock).value(); }

  static Asker with(std::string_view session_id, std::string_view principal = "local") {
    Asker asker;
    asker.principal = principal;
    asker.session_id = session_id;
    return asker;
  }
  static Asker person() {
    Asker asker;
    asker.reviewer = true;
    asker.name = "Ada";
    asker.email = "ada@example.org";
    return asker;
  }

  Result<std::string> read(std::string_view session_id, std::string_view path) {
    ReadRequest request;
    request.file_path = path;
    return workspace->read(with(session_id), request);
  }
  Result<std::string> edit(std::string_view session_id, std::string_view path, std::string_view old_string,
                           std::string_view new_string) {
    EditRequest request;
    request.file_path = path;
    request.edits = {{std::string(old_string), std::string(new_string), false}};
    return workspace->edit(with(session_id), request);
  }
  // The handle in the last line of an answer.
  static std::string handle_in(const std::string& text) {
    const std::size_t at = text.rfind("[session: ");
    if (at == std::string::npos || !text.ends_with(']')) return {};
    return text.substr(at + 10, text.size() - at - 11);
  }
  std::string session(std::string_view name = "dev") {
    return handle_in(workspace->create_session(with(""), name, "", "").value());
  }
  // A session that has read the document.
  std::string reader(std::string_view path, std::string_view name = "dev") {
    const std::string handle = session(name);
    EXPECT_TRUE(read(handle, path));
    return handle;
  }
  std::vector<PendingChange> pending() { return workspace->changes({}, {}).value(); }
  VerdictReport accept(std::vector<std::string> ids) {
    Verdicts verdicts;
    verdicts.accept = std::move(ids);
    return workspace->decide(person(), verdicts).value();
  }
  VerdictReport reject(std::vector<std::string> ids) {
    Verdicts verdicts;
    verdicts.reject = std::move(ids);
    return workspace->decide(person(), verdicts).value();
  }
  // What a model sees of it.
  std::string accepted(std::string_view path) { return workspace->text(path, "accepted").value(); }
  std::string base(std::string_view path) { return workspace->text(path, "base").value(); }

  TestLibrary kb;
  TestFolder home;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(kStart);
  std::unique_ptr<session::Store> store;
  std::optional<session::SharedStore> stores;
  std::unique_ptr<Workspace> workspace;
};

}  // namespace holdfast::documents
