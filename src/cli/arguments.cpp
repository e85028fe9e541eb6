#include "base/text.h"
#include "cli/command_line.h"
#include "cli/since.h"
#include "cli/usage_examples.h"
#include "research/run.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>

namespace holdfast::cli {

namespace {

// How --help shows words without a name: the line of usage says already which must be there and how many.
class HelpText : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_positional() ? "" : CLI::Formatter::make_option_opts(option);
  }
};

// Declares the whole command line over the values it fills.
class Grammar {
 public:
  Grammar(CommandLine& line, Program program)
      : line_(line), given_(line.transcripts), work_(line.work), review_(line.review), app_("", std::string(name_of(program))) {
    app_.set_version_flag("--version", "holdfast " HOLDFAST_VERSION);
    app_.require_subcommand(1);
    app_.fallthrough();
    app_.formatter(std::make_shared<HelpText>());
    app_.get_formatter()->column_width(kColumn);
    app_.add_flag("--json", line_.json, "machine-readable output, errors too");
    app_.add_flag("-v,--verbose", line_.verbose, "say more: every file, every step");
    for (const char* name : {"store", "principal", "clock_file", "log_level", "claude_dir", "codex_dir"}) setting(app_, name);
    if (program == Program::holdfast) {
      app_.description("Durable sessions for MCP agents.");
      app_.footer(kExamples);
      add_servers();
    } else {
      app_.description("Archive, restore, clone, move and delete sessions of Claude Code and Codex.");
      app_.footer(kSessionExamples);
    }
    add_transcripts();
  }

  CLI::App& app() { return app_; }

 private:
  static constexpr std::size_t kColumn = 34;
  static constexpr int kManyWords = CLI::detail::expected_max_vector_size;  // --help shows this, and nothing less, as "..."

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
    add_tokens();
    CLI::App& login = command(app_, Command::login, "login", "print a fresh address that logs a browser in");
    for (const char* name : {"host", "port"}) setting(login, name);
    CLI::App& completion = command(app_, Command::completion, "completion", "print a completion script for a shell");
    completion.add_option("SHELL", line_.name, "bash, zsh or fish")->required();
  }

  CLI::App& command(CLI::App& parent, Command which, const char* name, const char* help) {
    CLI::App* made = parent.add_subcommand(name, help);
    made->fallthrough();
    // A command inside of another is complete first: what is typed last counts.
    made->parse_complete_callback([this, which, made] {
      if (made->get_subcommands().empty()) line_.command = which;
    });
    return *made;
  }

  // May be repeated, and takes one word each time: what stands behind it is somebody else's.
  static CLI::Option* repeated(CLI::App& app, const char* name, std::vector<std::string>& all, const char* help) {
    return app.add_option(name, all, help)->expected(1)->allow_extra_args(false)->take_all();
  }

  CLI::App& group(const char* name, const char* help) {
    CLI::App* made = app_.add_subcommand(name, help);
    made->fallthrough();
    made->require_subcommand(1);
    return *made;
  }

  void setting(CLI::App& app, std::string_view name) {
    for (const SettingInfo& info : known_settings()) {
      if (info.name != name) continue;
      std::string help(info.help);
      if (!info.fallback.empty() && info.type != SettingInfo::Type::flag) help += fmt::format(" [{}]", info.fallback);
      const std::string key(name);
      if (info.type == SettingInfo::Type::flag) {
        app.add_flag_callback(flag_name(name), [this, key] { line_.flags[key] = {"true"}; }, help);
        return;
      }
      CLI::callback_t take = [this, key](const CLI::results_t& words) {
        line_.flags[key] = words;
        return true;
      };
      CLI::Option* option = app.add_option(flag_name(name), take, help);
      option->type_name(info.type == SettingInfo::Type::number ? "N" : "TEXT");
      if (info.type == SettingInfo::Type::list)
        option->expected(1)->take_all()->type_name("LIST");
      else if (info.type == SettingInfo::Type::folders)
        option->expected(1)->take_all()->type_name("DIR");
      else
        option->expected(1)->take_last();
      return;
    }
  }

  CLI::App& session_command(CLI::App& sessions, Command which, const char* name, const char* help, bool several = false) {
    CLI::App& made = command(sessions, which, name, help);
    made.add_option("ID", work_.words, several ? "ids, or unique starts of them" : "id, or a unique start of it")
        ->required()
        ->expected(1, several ? kManyWords : 1);
    return made;
  }

  void add_session_list(CLI::App& sessions) {
    CLI::App& list = command(sessions, Command::sessions_list, "list", "newest first");
    list.add_option("FILTER", work_.words, "the same as words: type=research completed=true")->expected(0, kManyWords);
    repeated(list, "--type", work_.types, "only this kind of session; may be repeated");
    repeated(list, "--kind", line_.kinds, "only this kind, of sessions or of threads; may be repeated");
    repeated(list, "--status", line_.statuses, "only this status; may be repeated");
    list.add_option("--search,--q", line_.text, "part of title, description, opening or tags");
    list.add_flag("--completed", work_.completed, "research that is completed");
    list.add_flag("--pinned", work_.pinned, "only those");
    list.add_flag("--archived", work_.archived, "those that are archived");
    list.add_flag("--deleted", line_.deleted, "those that are deleted and not purged yet");
    repeated(list, "--visibility", work_.visibilities, "live, archived or deleted; may be repeated");
    list.add_option("--project", work_.project, "only of this project");
    list.add_option("--since", work_.since, "changed at this time or later")->type_name("TIME");
    list.add_option("--before", work_.before, "changed before this time")->type_name("TIME");
    list.add_option("--sort", work_.sort, "order [updated_at]")->check(CLI::IsMember({"updated_at", "created_at", "due_at"}));
    list.add_option("--limit", line_.limit, "how many [20]")->check(CLI::Range(1, 1000));
    list.add_option("--cursor", work_.cursor, "next_cursor of the page before");
    setting(list, "root");
  }

  void add_sessions() {
    CLI::App& sessions = group("sessions", "look at sessions of every kind, and look after them");
    add_session_list(sessions);
    CLI::App& show = command(sessions, Command::sessions_show, "show", "one session and its entries");
    show.add_option("ID", line_.name, "id, or a unique start of it")->required();
    show.add_option("--limit", line_.limit, "the last N entries [50]")->check(CLI::Range(1, 5000));
    show.add_flag("--graph", line_.graph, "a reasoning session as a drawing: branches and revisions");
    show.add_flag("--svg", line_.svg, "the same as a picture, on standard output");
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
    redact.add_option("--pattern", work_.pattern, "this text, wherever it stands");
    redact.add_flag("--regex", work_.regex, "the pattern is an RE2 expression");
    for (CLI::App* asks : {&erase, &purge, &redact}) asks->add_flag("--yes", work_.yes, "do it without asking");
    CLI::App& notices = command(sessions, Command::sessions_notices, "notices", "what will happen by itself, and when");
    notices.add_flag("--all", work_.all, "also those that were acknowledged");
    notices.add_flag("--ack", work_.ack, "acknowledge them");
    CLI::App& exported = session_command(sessions, Command::sessions_export, "export", "as a document, on standard output");
    exported.add_option("-f,--format", work_.format, "markdown or json [markdown]");
    CLI::App& cleanup = command(app_, Command::cleanup, "cleanup", "archive, delete and erase what is due");
    cleanup.add_flag("--dry-run", work_.dry_run, "only say what would happen");
    CLI::App& brief = command(app_, Command::brief, "brief", "goal, decisions, open questions and last thoughts of this project");
    brief.add_option("ID", line_.name, "this session [the project's most recent]");
    brief.add_option("--max-chars", line_.limit, "at most so many characters [4000]")->check(CLI::Range(200, 1'000'000));
    brief.add_flag("--quiet", line_.quiet, "print nothing when there is no session; for hooks");
    setting(brief, "root");
  }

  CLI::App& research_command(CLI::App& research, Command which, const char* name, const char* help, const char* words,
                             const char* about, bool required = true) {
    CLI::App& made = command(research, which, name, help);
    if (words) made.add_option(words, work_.words, about)->expected(required ? 1 : 0, kManyWords)->required(required);
    return made;
  }

  void add_research() {
    CLI::App& research = group("research", "ask a question of your documents and past sessions; talk to a model");
    research.footer("holdfast research ID [WORDS]: goes on with a thread, or shows how a run stands and its report");
    CLI::App& start = research_command(research, Command::research_start, "start", "answer a question, with sources", "QUESTION",
                                       "what you want to know");
    repeated(start, "--corpus", work_.corpus, "look into this folder; may be repeated")->type_name("DIR");
    start.add_flag("--detach", work_.detach, "leave the work to a running server");
    start.add_option("--title", work_.title, "what it is called");
    start.add_option("--mode", work_.mode, "general, academic or technical [general]");
    repeated(start, "--search", work_.search, "only this provider; may be repeated");
    start.add_option("--provider", work_.provider, "the model endpoint to ask");
    start.add_flag("--no-links", work_.no_links, "do not read the pages that a search found");
    for (const research::LimitInfo& limit : research::kLimits) add_limit(start, limit);
    for (auto [which, name, help] : {std::tuple{Command::research_resume, "resume", "go on with a run that was interrupted"},
                                     std::tuple{Command::research_status, "status", "how a run stands"},
                                     std::tuple{Command::research_cancel, "cancel", "end a run; what it found stays"}})
      session_command(research, which, name, help);
    CLI::App& report = session_command(research, Command::research_report, "report", "what a run found, on standard output");
    report.add_option("-f,--format", work_.format, "markdown or json [markdown]")->check(CLI::IsMember({"markdown", "json"}));
    CLI::App& list = command(research, Command::research_list, "list", "threads and runs, newest first");
    list.add_option("--limit", line_.limit, "how many [20]")->check(CLI::Range(1, 1000));
    list.add_flag("--completed", work_.completed, "runs that are completed");
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
      each->add_option("--thread", work_.thread, "go on with this thread")->type_name("ID");
    for (CLI::App* each : {&chat, &think, &ideas}) each->add_option("--provider", work_.provider, "the model endpoint to ask");
    for (CLI::App* each : {&chat, &all}) {
      each->add_option("--title", work_.title, "of a new thread");
      each->add_option("--system", work_.system, "system prompt of a new thread");
    }
    chat.add_option("--model", work_.model, "instead of the endpoint's own");
    think.add_option("--max-depth", work_.depth, "steps until it ends [5]");
    ideas.add_option("--action", work_.action, "generate, cluster, score, select, elaborate or status [generate]");
    repeated(ideas, "--perspective", work_.perspectives, "may be repeated");
    repeated(all, "--with", work_.providers, "an endpoint to ask; may be repeated [all]");
    all.add_option("--strategy", work_.strategy, "all_responses, synthesize, majority or first_valid [synthesize]");
  }

  void add_review() {
    CLI::App& review = command(app_, Command::review, "review", "accept or reject what models propose to your documents");
    setting(review, "documents.roots");
    // A filter that a script left empty must not mean everything.
    const auto filled = [](const std::string& word) { return word.empty() ? "it is empty" : ""; };
    const auto filters = [this, filled](CLI::App& app) {
      app.add_option("--author", review_.author, "only of this author, as list shows it")->check(filled);
      app.add_option("--since", review_.since, fmt::format("only made since then: {}", kSinceForms))
          ->type_name("WHEN")
          ->check(filled);
    };
    CLI::App& list = command(review, Command::review_list, "list", "changes that wait for you");
    list.add_option("PATH", review_.path, "only in this document or folder")->check(filled);
    filters(list);
    CLI::App& show = command(review, Command::review_show, "show", "both sides of changes, with what stands around them");
    show.add_option("WHAT", review_.words, "ids of changes (unique starts are enough), or paths of documents")
        ->required()
        ->expected(1, kManyWords);
    CLI::App& accept = command(review, Command::review_accept, "accept", "make changes final");
    CLI::App& reject = command(review, Command::review_reject, "reject", "take changes out again");
    for (CLI::App* decide : {&accept, &reject}) {
      decide->add_option("ID", review_.words, "ids of changes, or unique starts of them")->expected(0, kManyWords);
      decide->add_flag("--all", review_.all, "all of them, or all that the filters leave");
      decide->add_option("--path", review_.path, "only in this document or folder")->check(filled);
      filters(*decide);
      decide->add_flag("--commit", review_.commit,
                       "commit documents with git, in your name, when nothing in them is pending any more");
    }
    CLI::App& comment = command(review, Command::review_comment, "comment", "say something about a change, in the document");
    comment.add_option("ID", review_.id, "the change, or a unique start of its id")->required();
    comment.add_option("TEXT", review_.words, "what to say")->required()->expected(1, kManyWords);
    command(review, Command::review_undo, "undo", "move a document or folder back")
        .add_option("ID", review_.words, "which move, as move told it [the last that was not undone]")
        ->expected(0, 1);
    command(review, Command::review_trash, "trash", "documents that were deleted or refused");
    command(review, Command::review_restore, "restore", "bring a document back out of the trash")
        .add_option("ID", review_.words, "as trash lists it")
        ->required()
        ->expected(1);
    CLI::App& exported = command(review, Command::review_export, "export", "a document without markup, on standard output");
    exported.add_option("PATH", review_.path, "the document")->required()->check(filled);
    exported.add_flag("--accepted", review_.accepted, "with every pending change [this]");
    exported.add_flag("--base", review_.base, "without pending changes")->excludes("--accepted");
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
    run.add_option("TASKS", given.what, "a file of tasks (docs/runner.md); - reads standard input");
    repeated(run, "--task", given.tasks, "a task in words; may be repeated")->type_name("TEXT");
    repeated(run, "--in", given.folders, "the folder to work in; may be repeated [this one]")->type_name("DIR");
    repeated(run, "--servers", given.servers, "MCP servers to use, by name [all that are configured]")
        ->type_name("LIST")
        ->delimiter(',');
    run.add_option("--model", given.model, "instead of the endpoint's own");
    run.add_option("--timeout", given.timeout_s, "seconds for each task [600]")->check(CLI::Range(1, 7 * 86'400));
    run.add_option("--max-rounds", given.max_rounds, "answers of the model for each task [100]")->check(CLI::Range(1, 10'000));
    run.add_flag("--stop-on-error", given.stop_on_error, "skip the rest when a task does not end well");
    run.add_option("--mcp-json", given.mcp_json, "where the MCP servers are defined [the usual places]")->type_name("FILE");
    const CLI::callback_t resume = [&given](const CLI::results_t& words) {
      given.resume = true;
      given.resumed = words.empty() ? "" : words.front();
      return true;
    };
    run.add_option("--resume", resume, "go on with a run [the newest that is not finished]")->expected(0, 1)->type_name("ID");
    CLI::App& list = command(run, Command::run_list, "list", "runs, newest first");
    list.add_option("--limit", line_.limit, "how many [20]")->check(CLI::Range(1, 1000));
    for (auto [which, name, help] : {std::tuple{Command::run_show, "show", "tasks and results of a run"},
                                     std::tuple{Command::run_cancel, "cancel", "end a run; what is done stays"}})
      command(run, which, name, help).add_option("ID", given.what, "id, or a unique start of it")->required();
    for (auto [which, name, help] : {std::tuple{Command::run_login, "login", "log in to one of your MCP servers"},
                                     std::tuple{Command::run_logout, "logout", "forget that login"}})
      command(run, which, name, help).add_option("SERVER", given.what, "its name in mcp.json")->required();
  }

  void add_tokens() {
    CLI::App& token = group("token", "who may use the HTTP server");
    command(token, Command::token_add, "add", "make a token; it is shown once")
        .add_option("NAME", line_.name, "whose it is")
        ->required();
    command(token, Command::token_list, "list", "names of all tokens");
    command(token, Command::token_revoke, "revoke", "end a token").add_option("NAME", line_.name, "the one to end")->required();
  }

  // ---- transcripts ----

  // Words without a name: `names` is what --help calls them.
  void words(CLI::App& app, const char* names, const char* help, int at_least, int at_most) {
    app.add_option(names, given_.words, help)->expected(at_least, at_most)->required(at_least > 0);
  }
  void id(CLI::App& app) { words(app, "ID", "id or any unique start of it [the session this runs in]", 0, 1); }
  void scope(CLI::App& app) {
    app.add_option("--sp,--source-project,-p,--project", given_.source_project, "only sessions of this folder")->type_name("DIR");
  }
  void source_and_target(CLI::App& app, const char* usual) {
    app.add_option("--sp,--source-project", given_.source_project, "only sessions of this folder")->type_name("DIR");
    target(app, usual);
  }
  void target(CLI::App& app, const char* usual) {
    app.add_option("--tp,--target-project,-p,--project", given_.target_project, fmt::format("where it goes [{}]", usual))
        ->type_name("DIR");
  }
  void translation(CLI::App& app) {
    app.add_flag("--no-translate", given_.no_translate, "leave paths as they are");
    app.add_option("--translate", given_.level, "how far paths are translated [fields]")
        ->check(CLI::IsMember({"cwd", "fields", "all"}))
        ->excludes("--no-translate");
    repeated(app, "--map", given_.maps, "a further path to translate; may be repeated")->type_name("OLD=NEW");
  }
  void dry_run(CLI::App& app) { app.add_flag("--dry-run", given_.dry_run, "only say what would happen"); }
  void removal(CLI::App& app) {
    app.add_flag("-f,--force", given_.force, "also a session that Claude Code made itself");
    app.add_flag("-t,--terminate", given_.terminate, "end the client that has it open");
    app.add_flag("--no-backup", given_.no_backup, "keep no backup");
    dry_run(app);
  }
  void launch(CLI::App& app) {
    app.add_flag("-l,--launch", given_.launch, "resume it at once; words behind -- go to the client");
  }
  void gist(CLI::App& app, bool to_write) {
    app.add_option("--gist-token", given_.gist_token, "GitHub token [GITHUB_TOKEN, `gh auth token`]");
    if (!to_write) return;
    app.add_option("--gist-visibility", given_.gist_visibility, "secret (unlisted, not private) or public [secret]")
        ->check(CLI::IsMember({"secret", "public"}));
    app.add_option("--gist-description", given_.gist_description, "what the gist is called");
  }

  void add_transcripts() {
    CLI::App& list = command(app_, Command::list, "list", "transcripts of this folder's project, newest first");
    scope(list);
    list.add_flag("--all", given_.all, "of every project, and of Codex")->excludes("--sp");
    list.add_option("--limit", given_.limit, "how many [20]")->check(CLI::Range(1, 100'000));
    CLI::App& info = command(app_, Command::info, "info", "one transcript: files, state, family, what it used");
    id(info);
    scope(info);
    info.add_option("-f,--format", given_.format, "text or json [text]")->check(CLI::IsMember({"text", "json"}));
    info.add_flag("--cost", given_.cost, "what that costs, by the table in prices.json");
    add_copying();
    add_removing();
    CLI::App& lineage = command(app_, Command::lineage, "lineage", "where a session came from and what came of it");
    words(lineage, "ID", "id or any unique start of it [the session this runs in]; `export ID`: claude-session's own form", 0, 2);
    scope(lineage);
    lineage.add_option("-f,--format", given_.format, "text, tree or json [text]")->check(CLI::IsMember({"text", "tree", "json"}));
    add_checking();
    CLI::App& import = group("import", "take over what other programs kept");
    CLI::App& thoughtbox =
        command(import, Command::import_thoughtbox, "thoughtbox", "reasoning sessions of a Thoughtbox data folder");
    words(thoughtbox, "FOLDER", "~/.thoughtbox, or one project or session of it", 1, 1);
    setting(thoughtbox, "root");
    words(command(import, Command::import_lineage, "lineage", "claude-session's lineage.json"), "PATH", "the file", 1, 1);
  }

  void add_copying() {
    CLI::App& archive = command(app_, Command::archive, "archive", "keep a session in one file, a gist or S3");
    words(archive, "ID OUTPUT", "session, then a path, gist://, gist://ID or s3://BUCKET/KEY [./ID.json.zst]", 0, 2);
    scope(archive);
    archive.add_option("-f,--format", given_.format, "json or zst [by the name]")->check(CLI::IsMember({"json", "zst"}));
    archive.add_flag("--with-history", given_.with_history, "also the copies of files before edits");
    archive.add_flag("--redact", given_.redact, "mask what looks like a credential; then not byte-true");
    archive.add_option("--format-version", given_.format_version, "2.4, or 2.1 for older readers [2.4]")
        ->check(CLI::IsMember({"2.1", "2.4"}));
    gist(archive, true);
    archive.add_flag("--yes", given_.yes, "upload without asking");

    CLI::App& restore = command(app_, Command::restore, "restore", "a session out of an archive: a copy, or in place");
    words(restore, "ARCHIVE", "a file, gist://ID, s3://BUCKET/KEY, - (stdin), or the id of a deleted session", 1, 1);
    target(restore, "this folder; --in-place: where it was");
    restore.add_flag("--in-place", given_.in_place, "same id, same files, bit for bit");
    translation(restore);
    dry_run(restore);
    restore.add_flag("--with-session-env", given_.with_session_env, "also the shell scripts of a stranger's archive");
    restore.add_flag("--no-session-env", given_.no_session_env, "never shell scripts")->excludes("--with-session-env");
    gist(restore, false);
    launch(restore);

    CLI::App& clone = command(app_, Command::clone, "clone", "a second session with the whole history of the first");
    id(clone);
    source_and_target(clone, "where the first is");
    translation(clone);
    clone.add_flag("--translate-files", given_.translate_files, "with --translate all: also in saved results and plans");
    clone.add_option("--up-to", given_.up_to, "leave out what follows this record")->type_name("UUID");
    clone.add_flag("--fresh-uuids", given_.fresh_uuids, "new ids for records, too");
    dry_run(clone);
    launch(clone);
  }

  void add_removing() {
    CLI::App& move = command(app_, Command::move, "move", "a session to another project; it keeps its id");
    id(move);
    source_and_target(move, "this folder");
    translation(move);
    removal(move);
    launch(move);
    CLI::App& erase = command(app_, Command::erase, "delete", "a session and all that belongs to it, after a backup");
    id(erase);
    scope(erase);
    removal(erase);
    erase.add_flag_callback(
        "--delete-cross-session-artifacts", [this] { given_.cross_session = true; },
        "the id exists in several projects: also what they share");
    erase
        .add_flag_callback(
            "--no-delete-cross-session-artifacts", [this] { given_.cross_session = false; },
            "the id exists in several projects: keep what they share")
        ->excludes("--delete-cross-session-artifacts");
    CLI::App& relocate = command(app_, Command::relocate, "relocate", "every session of a folder that was renamed");
    words(relocate, "OLD NEW", "the folder's former and present path", 2, 2);
    translation(relocate);
    removal(relocate);
    relocate.add_flag("--yes", given_.yes, "do it without asking");
  }

  void add_checking() {
    CLI::App& verify = command(app_, Command::verify, "verify", "is an archive or a session whole?");
    words(verify, "WHAT", "an archive as restore takes it, or the id of a session", 0, 1);
    scope(verify);
    verify.add_flag("--drift", given_.drift, "what holds records that this version does not know");
    gist(verify, false);
    CLI::App& doctor = command(app_, Command::doctor, "doctor", "what is wrong, or soon will be, with the transcripts");
    scope(doctor);
    doctor.add_flag("--quick", given_.quick, "names and times only; no transcript is read");
    doctor.add_option("--days", given_.days, "warn of what will be cleaned up within N days [7]")->check(CLI::Range(1, 3650));
    doctor.add_flag("--fix", given_.fix, "repaired copies beside damaged sessions; ends what died half-way");
    command(app_, Command::schema, "schema", "the records this version knows, as JSON Schema");
  }

  CommandLine& line_;
  TranscriptArguments& given_;
  SessionWorkArguments& work_;
  ReviewArguments& review_;
  CLI::App app_;
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

CommandHelp describe(const CLI::App& app) {
  CommandHelp help;
  help.name = app.get_name();
  help.help = app.get_description();
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      help.options.push_back({"--" + name, option->get_description(), option->get_expected_max() > 0});
  for (const CLI::App* each : app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); }))
    help.commands.push_back(describe(*each));
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
    const std::vector<const char*> spelled = with_open(own);
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
  return describe(grammar.app());
}

}  // namespace holdfast::cli
