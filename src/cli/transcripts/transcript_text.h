#pragma once

// What commands over transcripts print: facts of operations, in lines of a name and a value.

#include "base/run/clock.h"
#include "cli/program/terminal.h"
#include "operations/operation.h"

#include <string>
#include <string_view>

namespace holdfast::cli {

// What a fact says; 0, false and "" where there is none.
std::int64_t number_in(const operations::Facts& facts, std::string_view fact);
bool is_true(const operations::Facts& facts, std::string_view fact);
Millis time_in(const operations::Facts& facts, std::string_view fact);
std::string size_in(const operations::Facts& facts, std::string_view fact);  // "12.3 MB"

// Lines of a name and a value; what is empty is left out.
class NamedLines {
 public:
  explicit NamedLines(const Terminal& terminal) : terminal_(terminal) {}
  void add(std::string_view name, std::string_view value);
  // The text of that fact, or each text of a list of them.
  void add(std::string_view name, const operations::Facts& facts, std::string_view fact);
  std::string take() { return std::move(text_); }

 private:
  const Terminal& terminal_;
  std::string text_;
};

// "3 subagents, 2 plans": what a session is made of beside its main transcript, by facts that end in `ending` ("_moved").
std::string parts_text(const operations::Facts& facts, std::string_view ending);

// Remarks on a session, one a line.
std::string notes_text(const JsonArray& notes);

// Of a family: "Session: ... Parent: ...", and the tree with lines.
std::string lineage_text(const operations::Facts& family);
std::string lineage_drawing(const operations::Facts& family);

std::string copy_text(const operations::Facts& facts, const Terminal& terminal, bool verbose);
std::string move_text(const operations::Facts& facts, const Terminal& terminal);
std::string delete_text(const operations::Facts& facts, const Terminal& terminal, bool verbose);
std::string relocate_text(const operations::Facts& facts, const Terminal& terminal);
std::string archive_text(const operations::Facts& facts, const Terminal& terminal, bool verbose);
// Of a session of the store.
std::string kept_archive_text(const operations::Facts& facts, const Terminal& terminal);
std::string kept_restore_text(const operations::Facts& facts, const Terminal& terminal);

}  // namespace holdfast::cli
