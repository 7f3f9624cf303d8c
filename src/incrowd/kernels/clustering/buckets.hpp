// Clusterings that work bucket by bucket: a bucket is a run of tuples, clustered by itself.
#pragma once

#include <functional>
#include <vector>

#include "core/integers.hpp"
#include "core/workers.hpp"

namespace incrowd {
// Records dealt to classes: by part the tuple, its class, and how many of its records.
struct Dealt {
    std::vector<int32_t> tuple_of, class_of;
    std::vector<int64_t> records;
    int32_t n_classes = 0;

    // Adds records to a class; those of the tuple that was dealt last go into the same part.
    void add(int32_t tuple, int32_t to_class, int64_t count);
};

// A run of tuples [start, stop), and which of its records the search for the first seed starts at.
struct Bucket {
    size_t start, stop;
    int64_t first;
};

// Clusters every bucket, and joins what they give in the order of the buckets.
Dealt deal_buckets(const std::vector<Bucket>& buckets, size_t threads, Meter& meter,
                   const std::function<Dealt(const Bucket&)>& cluster);
}  // namespace incrowd
