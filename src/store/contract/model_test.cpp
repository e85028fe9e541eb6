// The store against a model in memory: any sequence of operations gives the same sessions and entries.

#include "store/contract/fixture.h"

#include <rapidcheck/gtest.h>

#include <map>

namespace holdfast::store {
namespace {

using namespace session;

struct SessionModel {
  std::string title;
  std::int64_t rev = 0;
  std::vector<std::string> texts;
  std::map<std::string, std::size_t> keys;
};

class Comparison {
 public:
  Comparison(Store& store, std::string prefix) : store_(store), prefix_(std::move(prefix)) {}

  void create(int number, const std::string& title) {
    SessionRecord record;
    record.id = id(number);
    record.kind = "run";
    record.title = title;
    const auto made = store_.write([&](Transaction& t) { return t.create(record); });
    RC_ASSERT(made.has_value() == !models_.contains(number));
    if (made) models_[number] = {title, 1, {}, {}};
  }

  void append(int number, const std::string& text, const std::string& key) {
    NewEntry entry;
    entry.type = "note";
    entry.text = text;
    entry.idempotency_key = key;
    const auto appended = store_.write([&](Transaction& t) { return t.append(id(number), entry); });
    RC_ASSERT(appended.has_value() == models_.contains(number));
    if (!appended) return;
    SessionModel& model = models_[number];
    const bool replay = !key.empty() && model.keys.contains(key);
    RC_ASSERT(appended->replayed == replay);
    if (replay) {
      RC_ASSERT(appended->entry.text == model.texts[model.keys[key]]);
      return;
    }
    if (!key.empty()) model.keys[key] = model.texts.size();
    model.texts.push_back(text);
    ++model.rev;
  }

  void rename(int number, const std::string& title, bool stale) {
    const auto renamed = store_.write([&](Transaction& t) -> Result<SessionRecord> {
      HF_TRY(auto record, t.get(id(number)));
      record.title = title;
      if (stale) record.rev += 7;
      return t.update(std::move(record));
    });
    RC_ASSERT(renamed.has_value() == (models_.contains(number) && !stale));
    if (!renamed) return;
    models_[number].title = title;
    ++models_[number].rev;
  }

  void check() {
    for (const auto& [number, model] : models_) {
      const SessionRecord record = must(store_.get(id(number)));
      RC_ASSERT(record.title == model.title);
      RC_ASSERT(record.rev == model.rev);
      RC_ASSERT(record.entry_count() == static_cast<std::int64_t>(model.texts.size()));
      EntryQuery query;
      query.session = id(number);
      std::vector<std::string> texts;
      for (const Entry& entry : must(store_.entries(query)).entries) texts.push_back(entry.text);
      RC_ASSERT(texts == model.texts);
      RC_ASSERT(must(store_.verify(id(number))).ok);
    }
  }

 private:
  std::string id(int number) const { return prefix_ + std::to_string(number); }

  Store& store_;
  std::string prefix_;
  std::map<int, SessionModel> models_;
};

TEST_P(StoreContract, BehavesLikeAModelInMemory) {
  int run = 0;
  const bool held = rc::check("any sequence of operations", [&] {
    Comparison both(*store_, "run" + std::to_string(++run) + "-");
    const int steps = *rc::gen::inRange(1, 25);
    for (int i = 0; i < steps; ++i) {
      const int number = *rc::gen::inRange(0, 3);
      const std::string title(static_cast<std::size_t>(*rc::gen::inRange(0, 40)), 't');
      switch (*rc::gen::inRange(0, 4)) {
        case 0:
          both.create(number, title);
          break;
        case 1:
          both.append(number, *rc::gen::arbitrary<std::string>(), "");
          break;
        case 2:
          both.append(number, *rc::gen::arbitrary<std::string>(), *rc::gen::element<std::string>("k1", "k2"));
          break;
        default:
          both.rename(number, title, *rc::gen::arbitrary<bool>());
          break;
      }
    }
    both.check();
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace holdfast::store
