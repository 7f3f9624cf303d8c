// k-member clustering: classes of exactly k records grown around records far from each other, each
// time by the record that adds the least cost; the last few records join the class they cost least.
// Byun, Kamra, Bertino, Li: "Efficient k-anonymization using clustering techniques", DASFAA 2007.
// One walk over the remaining tuples per seed and per part.  Twin: tests/naive/clustering.py.
#include <nanobind/stl/function.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "clustering/buckets.hpp"
#include "clustering/class_shapes.hpp"
#include "clustering/tuple_walk.hpp"
#include "core/ties.hpp"

namespace incrowd {

namespace {

using Columns = std::span<const ShapeColumn>;

struct Table {
    Columns columns;
    const std::int32_t* codes;  // (columns, tuples)
    const std::int64_t* records;
    std::size_t n;
};

// Sums of costs must not depend on their order.
void make_exact(std::vector<ShapeColumn>& columns) {
    const double most = kLargestSum / static_cast<double>(std::max<std::size_t>(columns.size(), 1));
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
    KMembers(const Table& table, const Bucket& bucket, std::int64_t k, Meter& meter)
        : table_(table),
          k_(k),
          meter_(meter),
          walk_(table.codes, table.records, table.columns.size(), table.n, bucket.start,
                bucket.stop),
          shape_(table.columns) {
        tables_.by_code.resize(table.columns.size());
        for (std::size_t j = 0; j < table.columns.size(); ++j)
            tables_.by_code[j].resize(static_cast<std::size_t>(table.columns[j].n_codes));
        tables_.rest.assign(table.columns.size() + 1, 0.0);
        for (std::size_t i = bucket.start; i < bucket.stop; ++i) left_ += table.records[i];
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
    std::size_t place_of(std::int64_t record) const {
        std::size_t place = 0;
        while (record >= walk_.left_at(place)) record -= walk_.left_at(place++);
        return place;
    }

    void remember(std::size_t seed) {
        last_seed_.assign(walk_.codes_at(seed), walk_.codes_at(seed) + table_.columns.size());
    }

    // What every code costs the class; negative, to look for the most.
    void fill_tables(double sign) {
        for (std::size_t j = table_.columns.size(); j-- > 0;) {
            std::vector<double>& costs = tables_.by_code[j];
            shape_.costs_with(j, costs.data());
            if (sign < 0)
                for (double& cost : costs) cost = -cost;
            tables_.rest[j] = tables_.rest[j + 1] + *std::min_element(costs.begin(), costs.end());
        }
    }

    std::size_t farthest() {
        shape_.clear();
        shape_.join_all(last_seed_.data());
        fill_tables(-1.0);
        return walk_.least(tables_, TupleWalk::kNone);
    }

    void grow(std::size_t seed) {
        remember(seed);
        shape_.clear();
        take(seed, 1);
        std::size_t last = seed;
        for (std::int64_t needed = k_ - 1; needed > 0;) {
            fill_tables(1.0);
            const std::size_t next = walk_.least(tables_, seed);
            // A second record of a tuple changes nothing: the same tuple is best until it is used
            // up.
            const std::int64_t count = next == last ? std::min(needed, walk_.left_at(next)) : 1;
            take(next, count);
            needed -= count;
            last = next;
        }
    }

    void take(std::size_t place, std::int64_t count) {
        shape_.join_all(walk_.codes_at(place));
        dealt_.add(walk_.tuple_at(place), dealt_.n_classes, count);
        walk_.take(place, count);
        left_ -= count;
        meter_.advance(count);
    }

    // Fewer than k records are left: each joins the class whose total cost it raises least.
    void deal_leftovers() {
        if (left_ == 0) return;
        std::vector<ClassShape> shapes(static_cast<std::size_t>(dealt_.n_classes), shape_);
        for (ClassShape& shape : shapes) shape.clear();
        std::vector<double> sizes(shapes.size(), static_cast<double>(k_));
        for (std::size_t p = 0; p < dealt_.tuple_of.size(); ++p) join(shapes, p);
        for (std::size_t place = 0; place < walk_.places(); ++place)
            for (std::int64_t count = walk_.left_at(place); count > 0; --count) {
                const std::size_t into = cheapest(shapes, sizes, walk_.codes_at(place));
                dealt_.add(walk_.tuple_at(place), static_cast<std::int32_t>(into), 1);
                shapes[into].join_all(walk_.codes_at(place));
                sizes[into] += 1.0;
                meter_.advance(1);
            }
    }

    void join(std::vector<ClassShape>& shapes, std::size_t part) const {
        ClassShape& shape = shapes[static_cast<std::size_t>(dealt_.class_of[part])];
        for (std::size_t j = 0; j < table_.columns.size(); ++j)
            shape.join(
                j, table_.codes[j * table_.n + static_cast<std::size_t>(dealt_.tuple_of[part])]);
    }

    std::size_t cheapest(const std::vector<ClassShape>& shapes, const std::vector<double>& sizes,
                         const std::int32_t* codes) const {
        std::size_t best_at = 0;
        double best = std::numeric_limits<double>::infinity();
        for (std::size_t c = 0; c < shapes.size(); ++c) {
            double with = 0.0;
            for (std::size_t j = 0; j < table_.columns.size(); ++j)
                with += shapes[c].cost_with(j, codes[j]);
            const double increase = (sizes[c] + 1.0) * with - sizes[c] * shapes[c].cost();
            if (increase < best - kTie * (sizes[c] + 1.0)) best = increase, best_at = c;
        }
        return best_at;
    }

    const Table& table_;
    const std::int64_t k_;
    Meter& meter_;
    TupleWalk walk_;
    ClassShape shape_;
    CostTables tables_;
    std::vector<std::int32_t> last_seed_;
    std::int64_t left_ = 0;
    Dealt dealt_;
};

}  // namespace

void bind_k_members(nb::module_& module) {
    module.def(
        "k_members",
        [](nb::list columns, In<std::int32_t, 2> codes, In<std::int64_t, 1> records, std::int64_t k,
           In<std::int64_t, 1> starts, In<std::int64_t, 1> firsts, std::size_t threads,
           Meter::Report report) {
            std::vector<ShapeColumn> shapes = shape_columns(columns);
            make_exact(shapes);
            if (shapes.empty() || codes.shape(1) != records.size() ||
                records.size() > std::numeric_limits<std::int32_t>::max() / 2)
                throw std::invalid_argument("k_members: the arrays do not fit together");
            check_codes(shapes, {codes.data(), codes.size()}, records.size());
            const Table table{shapes, codes.data(), records.data(), records.size()};
            return deal_buckets(read_buckets(starts, firsts, records, k), threads, report,
                                [&](const Bucket& bucket, Meter& meter) {
                                    return KMembers(table, bucket, k, meter).run();
                                });
        },
        nb::arg("columns"), nb::arg("codes"), nb::arg("records"), nb::arg("k"), nb::arg("starts"),
        nb::arg("firsts"), nb::arg("threads"), nb::arg("report"));
}

}  // namespace incrowd
