#include "clustering/k_members.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "clustering/k_members_walk.hpp"
#include "core/ties.hpp"

namespace incrowd {
namespace {
// Sums of costs must not depend on their order.
void make_exact(std::vector<ShapeColumn>& columns) {
    const double most = kLargestSum / static_cast<double>(std::max<size_t>(columns.size(), 1));
    const auto round = [most](double& cost) {
        cost = exact(cost);
        if (!(std::abs(cost) < most)) throw std::invalid_argument("k_members: a cost is too large");
    };
    for (ShapeColumn& column : columns) {
        round(column.mixed);
        for (double& cost : column.cost) round(cost);
        for (double& place : column.place)
            if (!std::isnan(place)) round(place);
    }
}

class KMembers {
  public:
    KMembers(std::span<const ShapeColumn> columns, const Tuples& tuples, const Bucket& bucket,
             int64_t k, Meter& meter)
        : columns_(columns), tuples_(tuples), k_(k), meter_(meter),
          walk_(tuples, columns.size(), bucket.start, bucket.stop), shape_(columns) {
        for (const ShapeColumn& column : columns) tables_.by_code.emplace_back(column.n_codes);
        tables_.rest.assign(columns.size() + 1, 0.0);
        for (size_t i = bucket.start; i < bucket.stop; ++i) left_ += tuples.records[i];
        remember(place_of(bucket.first));
    }

    Dealt run() {
        while (left_ >= k_) {
            walk_.compact();
            grow(farthest());
            ++dealt_.n_classes;
        }
        deal_leftovers();
        return std::move(dealt_);
    }

  private:
    // The tuple of a record, before any was taken.
    size_t place_of(int64_t record) const {
        size_t place = 0;
        while (record >= walk_.left_at(place)) record -= walk_.left_at(place++);
        return place;
    }

    void remember(size_t seed) {
        last_seed_.assign(walk_.codes_at(seed), walk_.codes_at(seed) + columns_.size());
    }

    // What every code costs the class; negative, to look for the most.
    void fill_tables(double sign) {
        for (size_t j = columns_.size(); j-- > 0;) {
            std::vector<double>& costs = tables_.by_code[j];
            shape_.costs_with(j, costs.data());
            if (sign < 0)
                for (double& cost : costs) cost = -cost;
            tables_.rest[j] = tables_.rest[j + 1] + *std::ranges::min_element(costs);
        }
    }

    // The paper's find_furthest_record: the seed of the next class.
    size_t farthest() {
        shape_.clear();
        shape_.join_all(last_seed_.data());
        fill_tables(-1.0);
        return walk_.least(tables_, TupleWalk::kNone);
    }

    // The paper's find_best_record, k - 1 times: the one that adds least to the class's cost.
    void grow(size_t seed) {
        remember(seed);
        shape_.clear();
        take(seed, 1);
        size_t last = seed;
        for (int64_t needed = k_ - 1; needed > 0;) {
            fill_tables(1.0);
            const size_t next = walk_.least(tables_, seed);
            // A second record of a tuple changes nothing: the same tuple is best until it is used
            // up.
            const int64_t count = next == last ? std::min(needed, walk_.left_at(next)) : 1;
            take(next, count);
            needed -= count;
            last = next;
        }
    }

    void take(size_t place, int64_t count) {
        shape_.join_all(walk_.codes_at(place));
        dealt_.add(walk_.tuple_at(place), dealt_.n_classes, count);
        walk_.take(place, count);
        left_ -= count;
        meter_.advance(count);
    }

    // The paper's find_best_cluster.  Fewer than k records are left: each joins the class whose
    // total cost it raises least.
    void deal_leftovers() {
        if (left_ == 0) return;
        std::vector<ClassShape> shapes(static_cast<size_t>(dealt_.n_classes), shape_);
        for (ClassShape& shape : shapes) shape.clear();
        std::vector<double> sizes(shapes.size(), static_cast<double>(k_));
        for (size_t p = 0; p < dealt_.tuple_of.size(); ++p) join(shapes, p);
        for (size_t place = 0; place < walk_.places(); ++place)
            for (int64_t count = walk_.left_at(place); count > 0; --count) {
                const size_t into = cheapest(shapes, sizes, walk_.codes_at(place));
                dealt_.add(walk_.tuple_at(place), static_cast<int32_t>(into), 1);
                shapes[into].join_all(walk_.codes_at(place));
                sizes[into] += 1.0;
                meter_.advance(1);
            }
    }

    void join(std::vector<ClassShape>& shapes, size_t part) const {
        ClassShape& shape = shapes[dealt_.class_of[part]];
        for (size_t j = 0; j < columns_.size(); ++j)
            shape.join(j, tuples_.code(j, dealt_.tuple_of[part]));
    }

    size_t cheapest(const std::vector<ClassShape>& shapes, const std::vector<double>& sizes,
                    const int32_t* codes) const {
        size_t best_at = 0;
        double best = std::numeric_limits<double>::infinity();
        for (size_t c = 0; c < shapes.size(); ++c) {
            double with = 0.0;
            for (size_t j = 0; j < columns_.size(); ++j) with += shapes[c].cost_with(j, codes[j]);
            const double increase = (sizes[c] + 1.0) * with - sizes[c] * shapes[c].cost();
            if (increase < best - kTie * (sizes[c] + 1.0)) best = increase, best_at = c;
        }
        return best_at;
    }

    std::span<const ShapeColumn> columns_;
    const Tuples& tuples_;
    const int64_t k_;
    Meter& meter_;
    TupleWalk walk_;
    ClassShape shape_;
    CostTables tables_;
    std::vector<int32_t> last_seed_;
    int64_t left_ = 0;
    Dealt dealt_;
};
}  // namespace

Dealt k_members(std::vector<ShapeColumn> columns, const Tuples& tuples, int64_t k,
                const std::vector<Bucket>& buckets, size_t threads, Meter& meter) {
    make_exact(columns);
    return deal_buckets(buckets, threads, meter, [&](const Bucket& bucket) {
        return KMembers(columns, tuples, bucket, k, meter).run();
    });
}
}  // namespace incrowd
