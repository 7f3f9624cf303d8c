// Python's view of MinGen.
#include "core/binding.hpp"

#include "cell/mingen.hpp"

namespace incrowd {
namespace {
constexpr int64_t kMostCopies = 1 << 15;

void check(const SmallItems& items) {
    const size_t n = items.size(), each = items.n_columns * n;
    double records = 0, cost = 0;
    int64_t copies = 0;
    for (size_t i = 0; i < n; ++i) {
        if (items.copies[i] < 1 || items.copies[i] > kMostCopies || items.records[i] < 1)
            refuse("mingen", "no copies of an item, or too many");
        if (i > 0 && items.records[i] > items.records[i - 1])
            refuse("mingen", "the items are not in order");
        copies += items.copies[i];
        records += static_cast<double>(items.copies[i]) * static_cast<double>(items.records[i]);
    }
    if (n == 0 || items.records.size() != n || items.levels.size() != each * n ||
        items.prices.size() != each * items.n_levels)
        refuse("mingen", "the arrays do not fit together");
    for (const int32_t level : items.levels)
        if (level < 0 || static_cast<size_t>(level) >= items.n_levels)
            refuse("mingen", "there is no such level");
    for (size_t at = 0; at < items.prices.size(); ++at) {
        const int64_t before = at / n % items.n_levels == 0 ? 0 : items.prices[at - n];
        if (items.prices[at] < before) refuse("mingen", "a price falls with the level");
        cost += static_cast<double>(items.copies[at % n]) *
                static_cast<double>(items.prices[at] - before);
    }
    if (copies > kMostCopies || records > 0x1p62 || cost > static_cast<double>(kMostCost))
        refuse("mingen", "more than can be counted");
    if (items.k < 1 || static_cast<double>(items.k) > records)
        refuse("mingen", "there are fewer than k records");
}

nb::tuple partitioned(Counts copies, Counts records, In<int32_t, 3> levels, In<int64_t, 3> prices,
                      int64_t k, int64_t most_classes, int64_t most_steps, Meter::Report report) {
    if (most_classes < 1 || most_steps < 1) refuse("mingen", "nothing may be tried");
    if (records.size() != copies.size()) refuse("mingen", "the arrays do not fit together");
    const SmallItems items{view(copies),
                           view(records),
                           view(levels),
                           view(prices),
                           levels.shape(0),
                           prices.shape(1),
                           k};
    check(items);
    auto found = metered(report, [&](Meter& meter) {
        return mingen(items, static_cast<size_t>(most_classes), most_steps, meter);
    });
    return hand_over(found.amounts, found.steps, found.finished);
}
}  // namespace

void bind_cell(nb::module_& module) {
    define(module, "mingen", &partitioned, "copies", "records", "levels", "prices", "k",
           "most_classes", "most_steps", "report");
}
}  // namespace incrowd
