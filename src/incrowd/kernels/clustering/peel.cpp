#include "clustering/peel.hpp"

#include <algorithm>
#include <iterator>

#include "clustering/left_tuples.hpp"

namespace incrowd {
namespace {
// Whether no column of `a` stands higher than in `b`.
bool is_below(const Levels& a, const Levels& b) {
    return std::ranges::equal(a, b, [](uint8_t x, uint8_t y) { return x <= y; });
}

int64_t records_inside(const Region& region) {
    int64_t sum = 0;
    for (const Share& share : region) sum += share.records;
    return sum;
}

// One tuple each, in their order.
Region together(const std::vector<Region>& classes) {
    Region all, merged;
    for (const Region& each : classes) all.insert(all.end(), each.begin(), each.end());
    std::ranges::sort(all);
    for (const Share& share : all) {
        if (!merged.empty() && merged.back().tuple == share.tuple)
            merged.back().records += share.records;
        else merged.push_back(share);
    }
    return merged;
}

class Peel {
  public:
    Peel(const FixedTable& table, const std::vector<LatticeColumn>& levels, const Peeling& how,
         const Verdict& verdict, Meter& meter, Region whole)
        : table_(table), how_(how), verdict_(verdict), meter_(meter), wanted_(table.k),
          budget_(static_cast<double>(how.work) * static_cast<double>(whole.size())),
          left_(table, levels) {
        for (const LatticeColumn& column : levels) top_.push_back(column.height());
        left_.leave(std::move(whole));
        all_records_ = left_.records();
    }

    std::vector<Region> run() {
        while (!left_.region().empty()) {
            hurry();
            Levels node = cheapest_node();
            if (!release(node)) broken_now_.push_back(std::move(node));
        }
        return std::move(released_);
    }

  private:
    // Asks for more records at once when more of the work is done than of the records released.
    void hurry() {
        const double released =
            1.0 - static_cast<double>(left_.records()) / static_cast<double>(all_records_);
        if (static_cast<double>(looked_at_) > budget_ * (released + 0.01) &&
            wanted_ < left_.records())
            wanted_ *= 2;
    }

    // The cheapest node that is found to form classes.  At the top all that is left is one, if
    // nothing else is.
    Levels cheapest_node() {
        Levels node = top_;
        descend(node);
        while (exchange(node)) descend(node);
        return node;
    }

    // Lowers columns as long as classes are formed; one that saves more is tried before others.
    void descend(Levels& node) {
        std::vector<std::pair<int64_t, size_t>> saving;
        for (bool again = true; again;) {
            again = false;
            saving.clear();
            for (size_t j = 0; j < node.size(); ++j)
                if (node[j] > 0)
                    saving.emplace_back(left_.cost(j, node[j] - 1) - left_.cost(j, node[j]), j);
            std::ranges::sort(saving);
            for (size_t at = 0; at < saving.size() && !again; ++at) {
                const size_t j = saving[at].second;
                --node[j];
                again = forms_enough(node);
                if (!again) ++node[j];
            }
        }
    }

    // Raises a column by one to lower another one, to the cheapest such node that forms classes.
    bool exchange(Levels& node) {
        std::vector<std::pair<int64_t, Levels>> others;
        for (size_t up = 0; up < node.size(); ++up)
            for (size_t down = 0; down < node.size() && node[up] < top_[up]; ++down)
                for (Levels other = node; up != down && other[down] > 0;) {
                    --other[down];
                    other[up] = static_cast<uint8_t>(node[up] + 1);
                    const int64_t change = left_.cost(up, other[up]) - left_.cost(up, node[up]) +
                                           left_.cost(down, other[down]) -
                                           left_.cost(down, node[down]);
                    if (change < 0) others.emplace_back(change, other);
                }
        std::ranges::sort(others);
        const auto found = std::ranges::find_if(
            others, [&](const auto& each) { return forms_enough(each.second); });
        if (found == others.end()) return false;
        node = found->second;
        return true;
    }

    // Whether a node forms classes of enough records.
    bool forms_enough(const Levels& node) {
        const auto above = [&](const Levels& each) { return is_below(node, each); };
        if (std::ranges::any_of(failed_, above) ||
            std::ranges::find(broken_now_, node) != broken_now_.end())
            return false;
        meter_.advance(0);
        classify(node);
        const int64_t wanted = std::min(wanted_, left_.records());
        int64_t formed = 0;
        for (const int64_t size : left_.sizes()) formed += size >= table_.k ? size : 0;
        const bool too_small = formed < wanted;
        if (verdict_ && !too_small) {
            formed = 0;
            for (const Region& each : formed_classes()) formed += records_inside(each);
        }
        if (formed >= wanted) return true;
        if (too_small || how_.parts_break) {
            std::erase_if(failed_, [&](const Levels& each) { return is_below(each, node); });
            failed_.push_back(node);
        } else {
            broken_now_.push_back(node);
        }
        return false;
    }

    void classify(const Levels& node) {
        left_.classify(node);
        looked_at_ += left_.region().size();
    }

    // The classes that the node formed that was counted last.
    std::vector<Region> formed_classes() {
        std::vector<Region> all(left_.sizes().size()), formed;
        for (size_t i = 0; i < left_.region().size(); ++i) {
            const auto c = static_cast<size_t>(left_.class_at(i));
            if (left_.sizes()[c] >= table_.k) all[c].push_back(left_.region()[i]);
        }
        for (Region& each : all)
            if (!each.empty()) formed.push_back(std::move(each));
        if (!verdict_) return formed;
        const std::vector<bool> allowed = verdict_(formed);
        size_t at = 0;
        std::erase_if(formed, [&](const Region&) { return !allowed[at++]; });
        return formed;
    }

    // Releases the classes of a node; the last ones, twice as many each time, stay with a rest that
    // is not safe by itself.
    bool release(const Levels& node) {
        classify(node);
        std::vector<Region> classes = formed_classes();
        if (node == top_) classes = {left_.region()};  // safe, as every rest is
        Region rest = rest_without(classes);
        for (size_t back = 1; !classes.empty() && !is_safe(rest); back *= 2) {
            classes.resize(classes.size() - std::min(back, classes.size()));
            rest = rest_without(classes);
        }
        if (classes.empty()) return false;
        std::ranges::move(classes, std::back_inserter(released_));
        left_.leave(std::move(rest));
        broken_now_.clear();
        return true;
    }

    Region rest_without(const std::vector<Region>& classes) const {
        Region gone, rest;
        for (const Region& each : classes) gone.insert(gone.end(), each.begin(), each.end());
        std::ranges::sort(gone);
        std::ranges::set_difference(left_.region(), gone, std::back_inserter(rest));
        return rest;
    }

    bool is_safe(const Region& rest) const {
        if (rest.empty()) return true;
        return records_inside(rest) >= table_.k && (!verdict_ || verdict_({rest})[0]);
    }

    const FixedTable& table_;
    const Peeling& how_;
    const Verdict& verdict_;
    Meter& meter_;
    int64_t wanted_;  // records that a node must form classes of
    double budget_;   // tuples that may be looked at
    uint64_t looked_at_ = 0;
    Levels top_;
    LeftTuples left_;
    int64_t all_records_ = 0;
    // Nodes that form too little: for good, with all below them, and until the next release.
    std::vector<Levels> failed_, broken_now_;
    std::vector<Region> released_;
};
}  // namespace

void peel(const FixedTable& table, const std::vector<LatticeColumn>& levels,
          std::vector<ClassBucket>& buckets, const Peeling& how, const ClassRules& rules,
          size_t threads, Meter& meter) {
    const Verdict verdict = verdict_of(rules);
    run_pieces(buckets.size(), threads, meter, [&](size_t at) {
        Peel peeling(table, levels, how, verdict, meter, together(buckets[at].classes));
        buckets[at].classes = peeling.run();
        meter.advance(1);
    });
}
}  // namespace incrowd
