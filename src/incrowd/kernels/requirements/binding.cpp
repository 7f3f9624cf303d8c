// Python's view of the requirements: built once for a table, then asked by every search.
#include "requirements/binding.hpp"

#include <bit>
#include <memory>
#include <numeric>
#include <utility>

#include "requirements/closeness.hpp"
#include "requirements/diversity.hpp"
#include "requirements/range_disclosure.hpp"
#include "requirements/suppression.hpp"

namespace incrowd {
namespace {
const char* const kName = "Requirements";
using Marks = In<uint8_t, 1>;

// A number below 0 or not below `end`, anywhere.
bool out_of(std::span<const int32_t> values, int64_t end) {
    const auto size = size_of(values);
    return !size || *size > end;
}

int bits(uint64_t number) { return static_cast<int>(std::bit_width(number)); }

// Adds forms to the requirements of a table, after looking at their parameters.
class Builder {
  public:
    Builder(Requirements& to, const Marks& covers, int32_t spread)
        : to_(to), covers_(copied(covers)), spread_(spread) {
        if (std::ranges::none_of(covers_, [](uint8_t each) { return each != 0; }))
            refuse(kName, "a requirement covers no column");
        if (covers_.size() != to.table().columns()) refuse(kName, "one mark per column is needed");
        if (spread != kNoSpread &&
            (spread < 0 || static_cast<size_t>(spread) >= to.spreads().size()))
            refuse(kName, "there is no such spread");
    }
    int64_t values() const {
        return spread_ == kNoSpread ? 1 : to_.spreads()[static_cast<size_t>(spread_)].values;
    }
    int64_t table_records() const { return to_.records(); }
    void needs_spread() const {
        if (spread_ == kNoSpread) refuse(kName, "a form needs a spread");
        if (to_.records() >= int64_t{1} << 56) refuse(kName, "a count is out of range");
    }
    // A fraction whose products with counts of records (squared) and `more` fit into 127 bits.
    Fraction fraction(int64_t above, int64_t below, int64_t more = 1) const {
        if (above < 0 || below < 1) refuse(kName, "a fraction is out of range");
        const int needed = 2 * bits(static_cast<uint64_t>(to_.records())) +
                           bits(static_cast<uint64_t>(std::max(above, below))) +
                           bits(static_cast<uint64_t>(more)) + 2;
        if (needed > 126) refuse(kName, "a fraction has too many digits for so many records");
        return {above, below};
    }
    template <typename Own, typename... Given>
    void add(Given&&... given) {
        to_.add(std::make_unique<Own>(std::forward<Given>(given)...), covers_, spread_);
    }

  private:
    Requirements& to_;
    std::vector<uint8_t> covers_;
    int32_t spread_;
};

void check_value(const Builder& builder, int32_t value) {
    builder.needs_spread();
    if (value < kNoValue || value >= builder.values()) refuse(kName, "a value is out of range");
}

void make(Requirements* self, const Table& table, const Ints& kind, const Counts& of_kind) {
    if (kind.size() != table.size() || out_of(view(kind), static_cast<int64_t>(of_kind.size())))
        refuse(kName, "one kind per tuple is needed");
    int64_t records = 0;
    for (const int64_t each : view(of_kind))
        if (each < 0 || __builtin_add_overflow(records, each, &records))
            refuse(kName, "a count is out of range");
    if (records < table.n_records()) refuse(kName, "a table is larger than the whole");
    new (self) Requirements(table, copied(kind), copied(of_kind));
}

int32_t add_spread(Requirements& self, const Ints& value, int64_t values, const Ints& known,
                   int64_t knowns) {
    if (values < 1 || knowns < 1 || values > (int64_t{1} << 62) / knowns ||
        value.size() != self.kinds() || out_of(view(value), values) ||
        (known.size() != 0 && known.size() != self.kinds()) || out_of(view(known), knowns))
        refuse(kName, "a spread does not fit the kinds");
    return self.add_spread({copied(value), copied(known), values, knowns});
}

// With a spread each part of a class that an attacker can tell apart must be so large.
void minimum_size(Requirements& self, const Marks& covers, int64_t least, int32_t spread) {
    Builder builder(self, covers, spread);
    if (least < 1) refuse(kName, "a size is 1 or more");
    builder.add<MinimumSize>(least);
}

void distinct(Requirements& self, const Marks& covers, int32_t spread, int64_t least,
              int32_t ignored, int32_t alone) {
    Builder builder(self, covers, spread);
    check_value(builder, ignored);
    check_value(builder, alone);
    builder.add<Distinct>(least, ignored, alone);
}

void entropy(Requirements& self, const Marks& covers, int32_t spread, int64_t above, int64_t below,
             int32_t ignored) {
    Builder builder(self, covers, spread);
    check_value(builder, ignored);
    if (above < below) refuse(kName, "an entropy is that of one value or more");
    builder.add<Entropy>(builder.fraction(above, below), ignored);
}

void recursive(Requirements& self, const Marks& covers, int32_t spread, int64_t above,
               int64_t below, int64_t least, int32_t ignored) {
    Builder builder(self, covers, spread);
    check_value(builder, ignored);
    if (least < 1 || above < 1) refuse(kName, "a factor and a number of values are above 0");
    builder.add<Recursive>(builder.fraction(above, below), least, ignored);
}

void share_at_most(Requirements& self, const Marks& covers, int32_t spread, int64_t above,
                   int64_t below, const Marks& marked) {
    Builder builder(self, covers, spread);
    builder.needs_spread();
    if (marked.size() != 0 && marked.size() != static_cast<size_t>(builder.values()))
        refuse(kName, "one mark per value is needed");
    builder.add<ShareAtMost>(builder.fraction(above, below), copied(marked));
}

void beta_likeness(Requirements& self, const Marks& covers, int32_t spread, int64_t above,
                   int64_t below, bool enhanced) {
    Builder builder(self, covers, spread);
    builder.needs_spread();
    builder.fraction(above + below, below);
    builder.add<BetaLikeness>(builder.fraction(above, below), enhanced);
}

void delta_disclosure(Requirements& self, const Marks& covers, int32_t spread, int64_t above,
                      int64_t below, bool ignores_absent) {
    Builder builder(self, covers, spread);
    builder.needs_spread();
    builder.add<DeltaDisclosure>(builder.fraction(above, below), ignores_absent);
}

void equal_closeness(Requirements& self, const Marks& covers, int32_t spread, int64_t above,
                     int64_t below) {
    Builder builder(self, covers, spread);
    builder.needs_spread();
    if (above > below) refuse(kName, "a distance is at most 1");
    builder.add<EqualCloseness>(builder.fraction(above, below));
}

void ordered_closeness(Requirements& self, const Marks& covers, int32_t spread, int64_t above,
                       int64_t below, const Ints& rank) {
    Builder builder(self, covers, spread);
    builder.needs_spread();
    if (rank.size() != static_cast<size_t>(builder.values()))
        refuse(kName, "one rank per value is needed");
    builder.add<OrderedCloseness>(builder.fraction(above, below, builder.values()), copied(rank));
}

// Parents stand above their children, and the root is its own parent.
void check_tree(const Builder& builder, const Ints& parent, const Ints& leaf) {
    builder.needs_spread();
    const auto nodes = static_cast<int64_t>(parent.size());
    bool fits = nodes > 0 && leaf.size() == static_cast<size_t>(builder.values()) &&
                !out_of(view(leaf), nodes) && !out_of(view(parent), nodes) &&
                parent.data()[nodes - 1] == nodes - 1;
    for (int64_t node = 0; fits && node + 1 < nodes; ++node) fits = parent.data()[node] > node;
    if (!fits) refuse(kName, "a tree is damaged");
}

void tree_closeness(Requirements& self, const Marks& covers, int32_t spread, int64_t above,
                    int64_t below, const Ints& parent, const Ints& height, const Ints& leaf) {
    Builder builder(self, covers, spread);
    check_tree(builder, parent, leaf);
    const auto heights = view(height);
    if (height.size() != parent.size() || out_of(heights, int64_t{1} << 20))
        refuse(kName, "one height per node is needed");
    const int64_t sums =
        int64_t{*std::ranges::max_element(heights)} * static_cast<int64_t>(parent.size());
    builder.add<TreeCloseness>(builder.fraction(above, below, sums + 1), copied(parent),
                               copied(height), copied(leaf));
}

void number_disclosure(Requirements& self, const Marks& covers, int32_t spread, int64_t above,
                       int64_t below, int64_t width_above, int64_t width_below, const Counts& place,
                       const Marks& unplaced) {
    Builder builder(self, covers, spread);
    builder.needs_spread();
    const auto values = static_cast<size_t>(builder.values());
    if (place.size() != values || unplaced.size() != values)
        refuse(kName, "one place per value is needed");
    const auto [least, most] = std::ranges::minmax(view(place));
    int64_t range = 0;
    if (__builtin_sub_overflow(most, least, &range)) refuse(kName, "numbers are too far apart");
    builder.fraction(width_above, width_below, range);
    builder.add<NumberDisclosure>(builder.fraction(above, below, range),
                                  Fraction{width_above, width_below}, copied(place),
                                  copied(unplaced));
}

void tree_disclosure(Requirements& self, const Marks& covers, int32_t spread, int64_t above,
                     int64_t below, int64_t width_above, int64_t width_below, const Ints& parent,
                     const Counts& leaves_under, const Ints& leaf, int64_t leaves,
                     int32_t missing) {
    Builder builder(self, covers, spread);
    check_tree(builder, parent, leaf);
    check_value(builder, missing);
    if (leaves_under.size() != parent.size() || leaves < 0)
        refuse(kName, "one number of leaves per node is needed");
    const int64_t more = std::max<int64_t>(static_cast<int64_t>(parent.size()), leaves);
    builder.fraction(width_above, width_below, more);
    builder.add<TreeDisclosure>(builder.fraction(above, below, more),
                                Fraction{width_above, width_below}, copied(parent),
                                copied(leaves_under), copied(leaf), leaves, missing);
}

View view_of(std::span<const int32_t> class_of, int32_t root) {
    View view{{class_of.begin(), class_of.end()}, 0, root};
    for (const int32_t each : class_of) {
        if (each < 0) refuse(kName, "a class is out of range");
        view.classes = std::max(view.classes, each + 1);
    }
    return view;
}

void check_items(const Requirements& self, const Ints& kind, const Counts& records) {
    if (kind.size() != records.size() || out_of(view(kind), static_cast<int64_t>(self.kinds())))
        refuse(kName, "one kind per item is needed");
}

// Each class is looked at by itself, whatever columns a requirement covers.
nb::object violating(const Requirements& self, const Ints& class_of, int32_t classes,
                     const Ints& kind, const Counts& records) {
    check_items(self, kind, records);
    if (class_of.size() != kind.size() || out_of(view(class_of), classes))
        refuse(kName, "one class per item is needed");
    auto found = without_gil([&] {
        std::vector<View> views(self.views().size(), view_of(view(class_of), -1));
        for (View& each : views) each.classes = classes;
        return Suppression(self, {view(records), view(kind)}, std::move(views), true).violating();
    });
    return nb::cast(to_python(found));
}

// Whether all records of the table hold everything as one class.  What is carried decides, so that
// one item for each kind is enough.
bool hold_together(const Requirements& self) {
    if (self.asked().empty()) return true;
    return without_gil([&] {
        std::vector<int32_t> kind(self.kinds());
        std::iota(kind.begin(), kind.end(), 0);
        const View everyone{std::vector<int32_t>(kind.size(), 0), 1};
        const Items items{self.by_kind(), kind};
        std::vector<View> views(self.views().size(), everyone);
        return !Suppression(self, items, std::move(views), true).violating()[0];
    });
}

// `class_of` is by view and item, `roots` by view.
nb::tuple suppressed(const Requirements& self, const Matrix& class_of, const Ints& roots,
                     const Ints& kind, const Counts& records, bool masks, const Marks& already) {
    check_items(self, kind, records);
    const size_t n = kind.size(), views = self.views().size();
    if (class_of.shape(0) != views || class_of.shape(1) != n || roots.size() != views ||
        already.size() != n)
        refuse(kName, "the classes do not fit the requirements");
    auto found = without_gil([&] {
        std::vector<View> seen;
        for (size_t v = 0; v < views; ++v)
            seen.push_back(view_of(view(class_of).subspan(v * n, n), roots.data()[v]));
        Suppression suppression(self, {view(records), view(kind)}, std::move(seen), masks);
        return suppression.run(self.records(), view(already));
    });
    return hand_over(found.items, found.dropped);
}

nb::list views_of(const Requirements& self) {
    nb::list found;
    for (auto covers : self.views()) found.append(to_python(covers));
    return found;
}
}  // namespace

void check_about(const char* kernel, const Requirements& requirements, const Table& table) {
    if (&table == &requirements.table()) return;
    if (table.columns() != requirements.table().columns())
        refuse(kernel, "the requirements are about another table");
    check_about(kernel, requirements, table.tuples().records, {});
}

void check_about(const char* kernel, const Requirements& requirements,
                 std::span<const int64_t> records, std::span<const int64_t> position) {
    const auto columns = static_cast<int64_t>(requirements.table().columns());
    const auto known = [columns](int64_t each) { return each >= 0 && each < columns; };
    if (!std::ranges::equal(records, requirements.table().tuples().records) ||
        !std::ranges::all_of(position, known))
        refuse(kernel, "the requirements are about another table");
}

void bind_requirements(nb::module_& module) {
    nb::class_<Requirements> bound(module, "Requirements");
    bound.def("__init__", &make, nb::arg("table"), nb::arg("kind"), nb::arg("of_kind"),
              nb::keep_alive<1, 2>());
    bound.def("minimum_size", &minimum_size, nb::arg("covers"), nb::arg("least"),
              nb::arg("spread") = kNoSpread);
    bound.def_prop_ro("only_sizes", &Requirements::only_sizes);
    bound.def_prop_ro("views", &views_of);
    define(bound, "spread", &add_spread, "value", "values", "known", "knowns");
    define(bound, "distinct", &distinct, "covers", "spread", "least", "ignored", "alone");
    define(bound, "entropy", &entropy, "covers", "spread", "above", "below", "ignored");
    define(bound, "recursive", &recursive, "covers", "spread", "above", "below", "least",
           "ignored");
    define(bound, "share_at_most", &share_at_most, "covers", "spread", "above", "below", "marked");
    define(bound, "beta_likeness", &beta_likeness, "covers", "spread", "above", "below",
           "enhanced");
    define(bound, "delta_disclosure", &delta_disclosure, "covers", "spread", "above", "below",
           "ignores_absent");
    define(bound, "equal_closeness", &equal_closeness, "covers", "spread", "above", "below");
    define(bound, "ordered_closeness", &ordered_closeness, "covers", "spread", "above", "below",
           "rank");
    define(bound, "tree_closeness", &tree_closeness, "covers", "spread", "above", "below", "parent",
           "height", "leaf");
    define(bound, "number_disclosure", &number_disclosure, "covers", "spread", "above", "below",
           "width_above", "width_below", "place", "unplaced");
    define(bound, "tree_disclosure", &tree_disclosure, "covers", "spread", "above", "below",
           "width_above", "width_below", "parent", "leaves_under", "leaf", "leaves", "missing");
    define(bound, "hold_together", &hold_together);
    define(bound, "violating", &violating, "class_of", "classes", "kind", "records");
    define(bound, "suppressed", &suppressed, "class_of", "roots", "kind", "records", "masks",
           "already");
}
}  // namespace incrowd
