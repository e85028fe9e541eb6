// Whole sessions as data: tests/sessions/*.txt, played against a small server over the pipe transport.
//
//   # a comment
//   > message in
//   < message out, exactly (as JSON)
//   ~ message out that has at least these members
//
// A string "$name" in a message out matches any string and remembers it; in a message in it stands for what was
// remembered. With HOLDFAST_REFRESH_SESSIONS set the scripts are rewritten: what was said stands in place of every
// line that no longer matches. Look at the difference before you keep it.

#include "base/files/file.h"
#include "base/files/test_data.h"
#include "mcp/transport/test_stdio.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace holdfast::mcp {
namespace {

using Remembered = std::map<std::string, std::string>;

bool matches(const Json& expected, const Json& actual, bool subset, Remembered& remembered) {
  if (const auto* text = expected.if_string(); text && text->starts_with('$') && actual.is_string()) {
    remembered[std::string(view(*text))] = view(actual.get_string());
    return true;
  }
  if (const JsonObject* object = expected.if_object(); object && actual.is_object()) {
    if (!subset && object->size() != actual.get_object().size()) return false;
    for (const auto& member : *object) {
      const Json* other = actual.get_object().if_contains(member.key());
      if (!other || !matches(member.value(), *other, subset, remembered)) return false;
    }
    return true;
  }
  if (const JsonArray* array = expected.if_array(); array && actual.is_array()) {
    if (array->size() != actual.get_array().size()) return false;
    for (std::size_t i = 0; i < array->size(); ++i)
      if (!matches((*array)[i], actual.get_array()[i], subset, remembered)) return false;
    return true;
  }
  return expected == actual;
}

std::string with_remembered(std::string line, const Remembered& remembered) {
  for (const auto& [name, value] : remembered)
    for (std::size_t place; (place = line.find('"' + name + '"')) != std::string::npos;) {
      std::string text;
      append_json_string(text, value);
      line.replace(place, name.size() + 2, text);
    }
  return line;
}

Question ask_name() {
  return Question::form("What is your name?",
                        {{"type", "object"},
                         {"properties", JsonObject{{"name", JsonObject{{"type", "string"}, {"minLength", 1}}}}},
                         {"required", JsonArray{"name"}}});
}

void offer(Server& server) {
  Tool echo = simple_tool(
      "echo", [](Call& call) -> ToolReply { return ToolResult::text(*find_string(call.arguments(), "text")); }, RunOn::io);
  echo.description = "Says the same";
  echo.input_schema = {
      {"type", "object"}, {"properties", JsonObject{{"text", JsonObject{{"type", "string"}}}}}, {"required", JsonArray{"text"}}};
  ASSERT_TRUE(server.add_tool(std::move(echo)));
  Tool greet = simple_tool("greet", [](Call& call) -> ToolReply {
    const Answer* answer = call.ask("name", ask_name());
    if (!answer) return InputRequired{};
    if (answer->failure) return ToolResult::failure(*answer->failure);
    if (!answer->accepted()) return ToolResult::text("nobody");
    return ToolResult::state({{"hello", *find_string(*answer->content(), "name")}});
  });
  greet.description = "Asks for a name";
  ASSERT_TRUE(server.add_tool(std::move(greet)));
  Tool count = simple_tool("count", [](Call& call) -> ToolReply {
    for (int i = 1; i <= 2; ++i) call.progress(i, 2, "counting");
    call.log(Severity::warning, "count", "done");
    return ToolResult::text("2");
  });
  count.description = "Counts to two";
  ASSERT_TRUE(server.add_tool(std::move(count)));
  server.add_resource({{"test://a", "a", {}, "the first", "text/plain"}, [](Call&) -> ResourceReply {
                         return ResourceResult{{text_contents("test://a", "text/plain", "A")}, 0, true};
                       }});
  server.add_prompt({"hello", {}, "Greets", {{"who", "a name", true}}, Prompt::Eras::both, [](Call& call) -> PromptReply {
                       PromptResult result;
                       std::string text = "Hello, " + std::string(*find_string(call.arguments(), "who"));
                       result.messages.push_back(PromptResult::message("user", text_block(text)));
                       return result;
                     }});
}

class ScriptedSession : public ::testing::TestWithParam<std::string> {
 public:
  static std::filesystem::path folder() { return std::filesystem::path(test_data()).parent_path() / "sessions"; }
  static std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder()))
      if (entry.path().extension() == ".txt") names.push_back(entry.path().stem());
    std::ranges::sort(names);
    return names;
  }
};

TEST_P(ScriptedSession, Plays) {
  const bool refresh = std::getenv("HOLDFAST_REFRESH_SESSIONS") != nullptr;
  std::filesystem::path path = folder() / (GetParam() + ".txt");
  SharedState shared;
  TestServer server(shared);
  offer(server.server);
  TestStdio stdio(server);
  Remembered remembered;
  std::size_t heard = 0;
  std::ifstream script(path);
  ASSERT_TRUE(script) << path;
  std::string written;
  int number = 0;
  for (std::string line; std::getline(script, line);) {
    ++number;
    std::string kept = line;
    if (line.starts_with("> ")) {
      ASSERT_EQ(stdio.lines().size(), heard) << path << ":" << number << ": more was said: " << stdio.lines().back();
      stdio.say(with_remembered(line.substr(2), remembered));
    } else if (line.starts_with("< ") || line.starts_with("~ ")) {
      stdio.wait_for_lines(heard + 1);
      ASSERT_GT(stdio.lines().size(), heard) << path << ":" << number << ": nothing was said";
      std::string said = stdio.lines()[heard++];
      auto expected = parse_json(line.substr(2));
      ASSERT_TRUE(expected || refresh) << path << ":" << number << ": " << line;
      bool fits = expected && matches(*expected, parse_json(said).value(), line.starts_with('~'), remembered);
      if (!fits && refresh)
        kept = line.substr(0, 2) + said;
      else
        EXPECT_TRUE(fits) << path << ":" << number << "\nexpected " << line.substr(2) << "\nsaid     " << said;
    } else {
      ASSERT_TRUE(line.empty() || line.starts_with('#')) << path << ":" << number << ": what is " << line;
    }
    written += kept + "\n";
  }
  EXPECT_EQ(stdio.lines().size(), heard) << "something was said after the end of the script";
  if (refresh) std::ofstream(path) << written;
}

INSTANTIATE_TEST_SUITE_P(Sessions, ScriptedSession, ::testing::ValuesIn(ScriptedSession::names()), [](const auto& session) {
  std::string name = session.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace holdfast::mcp
