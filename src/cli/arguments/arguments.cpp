#include "base/run/when.h"
#include "base/text/text.h"
#include "cli/arguments/transcript_grammar.h"
#include "cli/arguments/usage_examples.h"
#include "kinds/research/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace holdfast::cli {

namespace {

// Declares the whole command line over the values it fills.
class Grammar : public TranscriptGrammar {
 public:
  Grammar(CommandLine& line, Program program) : TranscriptGrammar(line, program), work_(line.work), review_(line.review) {
    if (program == Program::holdfast) {
      app_.description("Durable sessions for MCP agents.");
      app_.footer(kExamples);
      add_servers();
    } else {
      app_.description("Archive, restore, clone, move and delete sessions of Claude Code and Codex.");
      app_.footer(kSessionExamples);
    }
    add_transcripts();
    add_search();
  }

 private:
  void add_servers() {
    CLI::App& mcp = command(app_, Command::mcp, "mcp", "MCP server on standard input and output");
    for (const char* name : {"root", "tools", "documents.roots", "documents.read_only"}) setting(mcp, name);
    CLI::App& serve = command(app_, Command::serve, "serve", "MCP at /mcp and pages at /, over HTTP");
    for (const char* name : {"host", "port", "no_auth", "root", "tools", "documents.roots", "documents.read_only"})
      setting(serve, name);
    add_sessions();
    add_research();
    add_review();
    add_run();
    CLI::App& store = group("store", "look after the store");
    command(store, Command::store_info, "info", "where it is and what it holds");
    command(store, Command::store_verify, "verify", "check every session against its hashes");
    words(command(store, Command::store_copy, "copy", "everything in one store into another, empty one"), "FROM TO",
          "sqlite:PATH or postgres://USER@HOST/DATABASE", 2, 2);
    words(command(store, Command::store_backup, "backup", "a verified copy as of now, also while servers use the store"), "FILE",
          "the copy; must not exist", 1, 1);
    CLI::App& restore = command(store, Command::store_restore, "restore", "make a backup the store");
    words(restore, "FILE", "what backup has made", 1, 1);
    flag(restore, "--replace", line_.transcripts.force, "put the store that is there aside");
    flag(restore, "--with-damage", line_.transcripts.yes, "also a backup of which something is damaged: what salvage has made");
    words(command(store, Command::store_salvage, "salvage", "all that can be read of a damaged store, into a new one"), "FROM TO",
          "the damaged store, and a file that must not exist", 2, 2);
    add_tokens();
    CLI::App& login = command(app_, Command::login, "login", "print a fresh address that logs a browser in");
    for (const char* name : {"host", "port"}) setting(login, name);
    option(login, "--for", line_.name, "the token whose sessions are shown [local]");
    CLI::App& completion = command(app_, Command::completion, "completion", "print a completion script for a shell");
    option(completion, "SHELL", line_.name, "bash, zsh or fish")->required();
  }

  CLI::App& session_command(CLI::App& sessions, Command which, const char* name, const char* help, bool several = false) {
    CLI::App& made = command(sessions, which, name, help);
    option(made, "ID", work_.words, several ? "ids, or unique starts of them" : "id, or a unique start of it")
        ->required()
        ->expected(1, several ? kManyWords : 1);
    return made;
  }

  void add_session_list(CLI::App& sessions) {
    CLI::App& list = command(sessions, Command::sessions_list, "list", "newest first");
    option(list, "FILTER", work_.words, "the same as words: type=research completed=true")->expected(0, kManyWords);
    repeated(list, "--type", work_.types, "only this kind of session; may be repeated");
    repeated(list, "--kind", line_.kinds, "only this kind, of sessions or of threads; may be repeated");
    repeated(list, "--status", line_.statuses, "only this status; may be repeated");
    option(list, "--search,--q", line_.text, "part of title, description, opening or tags");
    flag(list, "--completed", work_.completed, "research that is completed");
    flag(list, "--pinned", work_.pinned, "only those");
    flag(list, "--archived", work_.archived, "those that are archived");
    flag(list, "--deleted", line_.deleted, "those that are deleted and not purged yet");
    repeated(list, "--visibility", work_.visibilities, "live, archived or deleted; may be repeated");
    option(list, "--project", work_.project, "only of this project");
    option(list, "--since", work_.since, "changed at this time or later: 3d, 2026-07-01")->type_name("TIME");
    option(list, "--before", work_.before, "changed before this time: 3d, 2026-07-01")->type_name("TIME");
    option(list, "--sort", work_.sort, "order [updated_at]")->check(CLI::IsMember({"updated_at", "created_at", "due_at"}));
    option(list, "--limit", line_.limit, "how many [20]")->check(CLI::Range(1, 1000));
    option(list, "--cursor", work_.cursor, "next_cursor of the page before");
    setting(list, "root");
  }

  void add_sessions() {
    CLI::App& sessions = group("sessions", "look at sessions of every kind, and look after them");
    add_session_list(sessions);
    CLI::App& show = command(sessions, Command::sessions_show, "show", "one session and its entries");
    option(show, "ID", line_.name, "id, or a unique start of it")->required();
    option(show, "--limit", line_.limit, "the last N entries [50]")->check(CLI::Range(1, 5000));
    flag(show, "--graph", line_.graph, "a reasoning session as a drawing: branches and revisions");
    flag(show, "--svg", line_.svg, "the same as a picture, on standard output");
    session_command(sessions, Command::sessions_resume, "resume", "where it stands: last messages, status, report");
    session_command(sessions, Command::sessions_archive, "archive", "put it aside");
    session_command(sessions, Command::sessions_unarchive, "unarchive", "take it back from the archive");
    session_command(sessions, Command::sessions_restore, "restore", "bring a deleted one back");
    session_command(sessions, Command::sessions_pin, "pin", "nothing happens to it by itself");
    session_command(sessions, Command::sessions_unpin, "unpin", "the clocks count again");
    CLI::App& erase = session_command(sessions, Command::sessions_delete, "delete", "after asking; it can be restored", true);
    CLI::App& purge = session_command(sessions, Command::sessions_purge, "purge", "erase for good, after asking");
    CLI::App& redact = session_command(sessions, Command::sessions_redact, "redact", "take text out for good, after asking");
    repeated(redact, "--entry", work_.entry_ids, "a message or source, by its id; may be repeated");
    option(redact, "--pattern", work_.pattern, "this text, wherever it stands");
    flag(redact, "--regex", work_.regex, "the pattern is an RE2 expression");
    for (CLI::App* asks : {&erase, &purge, &redact}) flag(*asks, "--yes", work_.yes, "do it without asking");
    CLI::App& notices = command(sessions, Command::sessions_notices, "notices", "what will happen by itself, and when");
    flag(notices, "--all", work_.all, "also those that were acknowledged");
    flag(notices, "--ack", work_.ack, "acknowledge them");
    CLI::App& exported = session_command(sessions, Command::sessions_export, "export", "as a document, on standard output");
    option(exported, "-f,--format", work_.format, "markdown or json [markdown]");
    CLI::App& cleanup = command(app_, Command::cleanup, "cleanup", "archive, delete and erase what is due");
    flag(cleanup, "--dry-run", work_.dry_run, "only say what would happen");
    CLI::App& brief = command(app_, Command::brief, "brief", "goal, decisions, open questions and last thoughts of this project");
    option(brief, "ID", line_.name, "this session [the project's most recent]");
    option(brief, "--max-chars", line_.limit, "at most so many characters [4000]")->check(CLI::Range(200, 1'000'000));
    flag(brief, "--quiet", line_.quiet, "print nothing when there is no session; for hooks");
    setting(brief, "root");
  }

  CLI::App& research_command(CLI::App& research, Command which, const char* name, const char* help, const char* words,
                             const char* about, bool required = true) {
    CLI::App& made = command(research, which, name, help);
    if (words) option(made, words, work_.words, about)->expected(required ? 1 : 0, kManyWords)->required(required);
    return made;
  }

  void add_research() {
    CLI::App& research = group("research", "ask a question of your documents and past sessions; talk to a model");
    research.footer("holdfast research ID [WORDS]: goes on with a thread, or shows how a run stands and its report");
    CLI::App& start = research_command(research, Command::research_start, "start", "answer a question, with sources", "QUESTION",
                                       "what you want to know");
    repeated(start, "--corpus", work_.corpus, "look into this folder; may be repeated")->type_name("DIR");
    flag(start, "--detach", work_.detach, "leave the work to a running server");
    option(start, "--title", work_.title, "what it is called");
    option(start, "--mode", work_.mode, "general, academic or technical [general]");
    repeated(start, "--search", work_.search, "only this provider; may be repeated");
    option(start, "--provider", work_.provider, "the model endpoint to ask");
    flag(start, "--no-links", work_.no_links, "do not read the pages that a search found");
    for (const research::LimitInfo& limit : research::kLimits) add_limit(start, limit);
    for (auto [which, name, help] : {std::tuple{Command::research_resume, "resume", "go on with a run that was interrupted"},
                                     std::tuple{Command::research_status, "status", "how a run stands"},
                                     std::tuple{Command::research_cancel, "cancel", "end a run; what it found stays"}})
      session_command(research, which, name, help);
    CLI::App& report = session_command(research, Command::research_report, "report", "what a run found, on standard output");
    option(report, "-f,--format", work_.format, "markdown or json [markdown]")->check(CLI::IsMember({"markdown", "json"}));
    CLI::App& list = command(research, Command::research_list, "list", "threads and runs, newest first");
    option(list, "--limit", line_.limit, "how many [20]")->check(CLI::Range(1, 1000));
    flag(list, "--completed", work_.completed, "runs that are completed");
    command(research, Command::research_providers, "providers", "which models and search providers there are");
    add_talk(research);
    CLI::App& open =
        research_command(research, Command::research_open, "open", "a thread or a run", "ID", "its id, then a message");
    open.group("");  // holdfast research ID
  }

  void add_limit(CLI::App& app, const research::LimitInfo& limit) {
    std::string name = "--";
    for (const char c : limit.name) name += c == '_' ? '-' : c;
    const CLI::callback_t take = [this, key = std::string(limit.name)](const CLI::results_t& words) {
      return CLI::detail::lexical_cast(words.back(), work_.limits[key]);
    };
    app.add_option(name, take, fmt::format("{} [{}]", limit.help, limit.fallback))->type_name("N")->expected(1);
  }

  void add_talk(CLI::App& research) {
    CLI::App& chat = research_command(research, Command::research_chat, "chat", "say something to a model; the thread is kept",
                                      "WORDS", "the message; - reads standard input");
    CLI::App& think = research_command(research, Command::research_thinkdeep, "thinkdeep", "one step of an investigation",
                                       "WORDS", "the topic, or what to look at next", false);
    CLI::App& ideas = research_command(research, Command::research_ideate, "ideate", "ideas: generate, cluster, score, select",
                                       "WORDS", "the topic", false);
    CLI::App& all = research_command(research, Command::research_consensus, "consensus", "ask several models and compare",
                                     "WORDS", "the question");
    for (CLI::App* each : {&chat, &think, &ideas, &all})
      option(*each, "--thread", work_.thread, "go on with this thread")->type_name("ID");
    for (CLI::App* each : {&chat, &think, &ideas}) option(*each, "--provider", work_.provider, "the model endpoint to ask");
    for (CLI::App* each : {&chat, &all}) {
      option(*each, "--title", work_.title, "of a new thread");
      option(*each, "--system", work_.system, "system prompt of a new thread");
    }
    option(chat, "--model", work_.model, "instead of the endpoint's own");
    option(think, "--max-depth", work_.depth, "steps until it ends [5]");
    option(ideas, "--action", work_.action, "generate, cluster, score, select, elaborate or status [generate]");
    repeated(ideas, "--perspective", work_.perspectives, "may be repeated");
    repeated(all, "--with", work_.providers, "an endpoint to ask; may be repeated [all]");
    option(all, "--strategy", work_.strategy, "all_responses, synthesize, majority or first_valid [synthesize]");
  }

  void add_review() {
    CLI::App& review = command(app_, Command::review, "review", "accept or reject what models propose to your documents");
    setting(review, "documents.roots");
    // A filter that a script left empty must not mean everything.
    const auto filled = [](const std::string& word) { return word.empty() ? "it is empty" : ""; };
    const auto filters = [this, filled](CLI::App& app) {
      option(app, "--author", review_.author, "only of this author, as list shows it")->check(filled);
      option(app, "--since", review_.since, fmt::format("only made since then: {}", kWhenForms).c_str())
          ->type_name("WHEN")
          ->check(filled);
    };
    CLI::App& list = command(review, Command::review_list, "list", "changes that wait for you");
    option(list, "PATH", review_.path, "only in this document or folder")->check(filled);
    filters(list);
    CLI::App& show = command(review, Command::review_show, "show", "both sides of changes, with what stands around them");
    option(show, "WHAT", review_.words, "ids of changes (unique starts are enough), or paths of documents")
        ->required()
        ->expected(1, kManyWords);
    CLI::App& accept = command(review, Command::review_accept, "accept", "make changes final");
    CLI::App& reject = command(review, Command::review_reject, "reject", "take changes out again");
    for (CLI::App* decide : {&accept, &reject}) {
      option(*decide, "ID", review_.words, "ids of changes, or unique starts of them")->expected(0, kManyWords);
      flag(*decide, "--all", review_.all, "all of them, or all that the filters leave");
      option(*decide, "--path", review_.path, "only in this document or folder")->check(filled);
      filters(*decide);
      flag(*decide, "--commit", review_.commit,
           "commit documents with git, in your name, when nothing in them is pending any more");
    }
    CLI::App& comment = command(review, Command::review_comment, "comment", "say something about a change, in the document");
    option(comment, "ID", review_.id, "the change, or a unique start of its id")->required();
    option(comment, "TEXT", review_.words, "what to say")->required()->expected(1, kManyWords);
    command(review, Command::review_undo, "undo", "move a document or folder back")
        .add_option("ID", review_.words, "which move, as move told it [the last that was not undone]")
        ->expected(0, 1);
    command(review, Command::review_trash, "trash", "documents that were deleted or refused");
    command(review, Command::review_restore, "restore", "bring a document back out of the trash")
        .add_option("ID", review_.words, "as trash lists it")
        ->required()
        ->expected(1);
    CLI::App& exported = command(review, Command::review_export, "export", "a document without markup, on standard output");
    option(exported, "PATH", review_.path, "the document")->required()->check(filled);
    flag(exported, "--accepted", review_.accepted, "with every pending change [this]");
    flag(exported, "--base", review_.base, "without pending changes")->excludes("--accepted");
    // Last: commands inherit the footer, and of them it is not true.
    for (CLI::App* each : review.get_subcommands({})) each->footer("");
    review.footer("Alone, on a terminal, it goes through all pending changes one by one.");
  }

  void add_run() {
    RunArguments& given = line_.run;
    CLI::App& run =
        command(app_, Command::run_tasks, "run", "let a model work through tasks, with the tools of your MCP servers");
    run.footer(
        "Goes on with --resume, when it was interrupted, at the first task that has no result. --json prints results as JSON.");
    option(run, "TASKS", given.what, "a file of tasks (docs/runner.md); - reads standard input");
    repeated(run, "--task", given.tasks, "a task in words; may be repeated")->type_name("TEXT");
    repeated(run, "--in", given.folders, "the folder to work in; may be repeated [this one]")->type_name("DIR");
    repeated(run, "--servers", given.servers, "MCP servers to use, by name [all that are configured]")
        ->type_name("LIST")
        ->delimiter(',');
    option(run, "--model", given.model, "instead of the endpoint's own");
    option(run, "--timeout", given.timeout_s, "seconds for each task [600]")->check(CLI::Range(1, 7 * 86'400));
    option(run, "--max-rounds", given.max_rounds, "answers of the model for each task [100]")->check(CLI::Range(1, 10'000));
    option(run, "--call-timeout", given.call_timeout_s, "seconds for each call of a tool, without an answer or progress [60]")
        ->check(CLI::Range(1, 7 * 86'400));
    option(run, "--max-result", given.max_result_bytes, "bytes of each result that the model is shown [65536]")
        ->check(CLI::Range(1024, 4 * 1024 * 1024));
    option(run, "--max-calls", given.max_calls, "calls in one answer of the model [64]")->check(CLI::Range(1, 1000));
    flag(run, "--stop-on-error", given.stop_on_error, "skip the rest when a task does not end well");
    option(run, "--mcp-json", given.mcp_json, "where the MCP servers are defined [the usual places]")->type_name("FILE");
    flag(run, "--trust", given.trust, "agree to what the .mcp.json of this folder starts, as it is now; alone: only that");
    const CLI::callback_t resume = [&given](const CLI::results_t& words) {
      given.resume = true;
      given.resumed = words.empty() ? "" : words.front();
      return true;
    };
    option(run, "--resume", resume, "go on with a run [the newest that is not finished]")->expected(0, 1)->type_name("ID");
    CLI::App& list = command(run, Command::run_list, "list", "runs, newest first");
    option(list, "--limit", line_.limit, "how many [20]")->check(CLI::Range(1, 1000));
    for (auto [which, name, help] : {std::tuple{Command::run_show, "show", "tasks and results of a run"},
                                     std::tuple{Command::run_cancel, "cancel", "end a run; what is done stays"}})
      command(run, which, name, help).add_option("ID", given.what, "id, or a unique start of it")->required();
    for (auto [which, name, help] : {std::tuple{Command::run_login, "login", "log in to one of your MCP servers"},
                                     std::tuple{Command::run_logout, "logout", "forget that login"}})
      command(run, which, name, help).add_option("SERVER", given.what, "its name in mcp.json")->required();
  }

  void add_tokens() {
    CLI::App& token = group("token", "who may use the HTTP server");
    CLI::App& add = command(token, Command::token_add, "add", "make a token; it is shown once");
    option(add, "NAME", line_.name, "whose it is")->required();
    option(add, "--scope", line_.token.scopes, "read, write, review, admin; several with commas [read,write,review]");
    option(add, "--project", line_.token.projects, "a project that it may see, DIR or URI; several times for several [all]");
    option(add, "--team", line_.token.team, "it opens the sessions of this team instead of NAME's own");
    option(add, "--expires", line_.token.expires, "how long it is good: 12h, 30d, 8w, or a date [for ever]");
    command(token, Command::token_list, "list", "names of all tokens");
    command(token, Command::token_revoke, "revoke", "end a token").add_option("NAME", line_.name, "the one to end")->required();
  }

  SessionWorkArguments& work_;
  ReviewArguments& review_;
};

// Commands that can start the client. Behind `--` its own words begin, and this program must not look at them.
constexpr std::array<std::string_view, 3> kLaunching = {"restore", "clone", "move"};

std::span<const char* const> own_words(std::span<const char* const> words) {
  const auto end = std::ranges::find(words, std::string_view("--"));
  const bool launches = std::any_of(
      words.begin(), end, [](std::string_view word) { return std::ranges::find(kLaunching, word) != kLaunching.end(); });
  return launches ? words.first(static_cast<std::size_t>(end - words.begin())) : words;
}

// "research ID words" means "research open ID words": a command that is not typed, so that no word of a message is one.
std::vector<const char*> with_open(std::span<const char* const> words) {
  std::vector<const char*> all(words.begin(), words.end());
  for (std::size_t i = 1; i + 1 < all.size(); ++i) {
    const std::string_view next = all[i + 1];
    if (std::string_view(all[i]) != "research" || !(next.starts_with("thread-") || next.starts_with("research-"))) continue;
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, "open");
    break;
  }
  return all;
}

// "search kelp -wharf" means "search kelp --without=wharf"; single letters that are options stay options. Behind -- everything is
// a word to look for.
std::vector<std::string> with_without(std::span<const char* const> words) {
  std::vector<std::string> all(words.begin(), words.end());
  const auto search = std::ranges::find(all, "search");
  if (search == all.end() || search - all.begin() > 1) return all;
  auto word = search + 1;
  for (; word != all.end() && *word != "--"; ++word) {
    const bool is_option =
        word->size() < 2 || (*word)[0] != '-' || (*word)[1] == '-' || *word == "-p" || *word == "-v" || *word == "-h";
    if (!is_option) *word = "--without=" + word->substr(1);
  }
  if (word == all.end()) return all;
  for (word = all.erase(word); word != all.end(); ++word)
    if (word->starts_with('-')) *word = '"' + *word + '"';
  return all;
}

// "holdfast sessions list": the innermost command that was recognised.
std::string command_path(const CLI::App& app) {
  std::string path = app.get_name();
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    path += " " + at->get_name();
  }
  return path;
}

// The library's words on one line; for a command that does not exist it would only say that one is missing.
std::string what_is_wrong(const CLI::ParseError& problem, const CLI::App& app) {
  if (dynamic_cast<const CLI::RequiredError*>(&problem) && app.get_subcommands().empty()) {
    const std::vector<std::string> words = app.remaining();
    if (words.empty()) return "a command is needed";
    return fmt::format("there is no {} {}", words.front().starts_with('-') ? "option" : "command", words.front());
  }
  std::string message(trim(problem.what()));
  for (char& c : message)
    if (c == '\n') c = ' ';
  return message;
}

CommandHelp describe_app(const CLI::App& app) {
  CommandHelp help;
  help.name = app.get_name();
  help.help = app.get_description();
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      help.options.push_back({"--" + name, option->get_description(), option->get_expected_max() > 0});
  for (const CLI::App* each : app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); }))
    help.commands.push_back(describe_app(*each));
  return help;
}

}  // namespace

Result<std::variant<CommandLine, Printed>> read_command_line(int count, const char* const* words) {
  CommandLine line;
  const std::span<const char* const> all(words, static_cast<std::size_t>(count));
  const Program program = all.empty() ? Program::holdfast : program_called(all.front());
  if (program == Program::claude_session_mcp && all.size() == 1) {
    line.command = Command::mcp;
    line.flags["tools"] = {"transcripts"};
    return line;
  }
  const std::span<const char* const> own = own_words(all);
  if (own.size() < all.size())
    for (const char* word : all.subspan(own.size() + 1)) line.transcripts.launch_arguments.emplace_back(word);
  Grammar grammar(line, program);
  try {
    const std::vector<std::string> words_of_search = with_without(own);
    std::vector<const char*> typed;
    for (const std::string& word : words_of_search) typed.push_back(word.c_str());
    const std::vector<const char*> spelled = with_open(typed);
    grammar.app().parse(static_cast<int>(spelled.size()), spelled.data());
  } catch (const CLI::CallForHelp&) {
    return Printed{grammar.app().help()};
  } catch (const CLI::CallForVersion& version) {
    return Printed{std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& problem) {
    return fail(ErrorKind::invalid, what_is_wrong(problem, grammar.app()), command_path(grammar.app()) + " --help explains it",
                "usage");
  }
  if (own.size() < all.size() && !line.transcripts.launch)
    return fail(ErrorKind::invalid, "words behind -- are for the client that --launch starts", "add --launch, or leave them out",
                "usage");
  // An id that a script left empty must not mean the session this runs in.
  const bool ids = line.command != Command::research_start && line.command != Command::research_chat;
  if (std::ranges::find(line.transcripts.words, "") != line.transcripts.words.end() ||
      (ids && std::ranges::find(line.work.words, "") != line.work.words.end()) ||
      std::ranges::find(line.review.words, "") != line.review.words.end() ||
      (line.command == Command::review_comment && line.review.id.empty()))
    return fail(ErrorKind::invalid, "an argument is empty", command_path(grammar.app()) + " --help explains it", "usage");
  return line;
}

CommandHelp describe_command_line(Program program) {
  CommandLine line;
  Grammar grammar(line, program);
  return describe_app(grammar.app());
}

}  // namespace holdfast::cli
