// Clusterings that work bucket by bucket: a bucket is a run of tuples, clustered by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/arrays.hpp"
#include "core/workers.hpp"

namespace incrowd {

// Records dealt to classes: by part the tuple, its class, and how many of its records.
struct Dealt {
    std::vector<std::int32_t> tuple_of, class_of;
    std::vector<std::int64_t> records;
    std::int32_t n_classes = 0;

    // Adds records to a class; those of the tuple that was dealt last go into the same part.
    void add(std::int32_t tuple, std::int32_t to_class, std::int64_t count);
};

// The parts and the number of classes, as Python takes them.
nb::tuple to_python(Dealt&& dealt);

// A run of tuples [start, stop), and which of its records the search for the first seed starts at.
struct Bucket {
    std::size_t start, stop;
    std::int64_t first;
};

// Reads and checks where buckets start and their first records; none may have fewer than k.
std::vector<Bucket> read_buckets(const In<std::int64_t, 1>& starts,
                                 const In<std::int64_t, 1>& firsts,
                                 const In<std::int64_t, 1>& records, std::int64_t k);

// Clusters every bucket, without the GIL, and joins what they give in the order of the buckets.
nb::tuple deal_buckets(const std::vector<Bucket>& buckets, std::size_t threads,
                       const Meter::Report& report,
                       const std::function<Dealt(const Bucket&, Meter&)>& cluster);

}  // namespace incrowd
