// Regions split by the loss that the split removes: where the local search starts, and Mondrian's
// split by gain.  Twin: tests/naive/classes.py.
#pragma once

#include <vector>

#include "clustering/fixed_columns.hpp"
#include "core/integers.hpp"
#include "core/tuples.hpp"
#include "core/workers.hpp"

namespace incrowd {
using Region = Shares;

struct FixedTable {
    std::vector<FixedColumn> columns;
    std::vector<int32_t> codes;  // (tuples, columns), row by row
    int64_t k;

    const int32_t* row(int32_t tuple) const {
        return codes.data() + static_cast<size_t>(tuple) * columns.size();
    }
};

// What all records of a class lose together.
int64_t total_cost(const FixedTable& table, const Region& region);

struct ClassBucket {
    std::vector<Region> classes;
    uint64_t seed = 0;

    int64_t records() const {
        int64_t sum = 0;
        for (const Region& region : classes)
            for (const Share& share : region) sum += share.records;
        return sum;
    }
    // By record, in ascending order.
    std::vector<int32_t> tuples() const {
        std::vector<int32_t> found;
        for (const Region& region : classes)
            for (const Share& share : region)
                found.insert(found.end(), static_cast<size_t>(share.records), share.tuple);
        std::ranges::sort(found);
        return found;
    }
};

// Splits all records until nothing gains.  Regions of about `bucket_size` records share a bucket.
std::vector<ClassBucket> gain_split(const FixedTable& table, Region&& whole, int64_t bucket_size,
                                    size_t threads, Meter& meter);
}  // namespace incrowd
