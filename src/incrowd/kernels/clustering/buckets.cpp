#include "clustering/buckets.hpp"

namespace incrowd {
void Dealt::add(int32_t tuple, int32_t to_class, int64_t count) {
    if (!tuple_of.empty() && tuple_of.back() == tuple && class_of.back() == to_class) {
        records.back() += count;
        return;
    }
    tuple_of.push_back(tuple);
    class_of.push_back(to_class);
    records.push_back(count);
}

Dealt deal_buckets(const std::vector<Bucket>& buckets, size_t threads, Meter& meter,
                   const std::function<Dealt(const Bucket&)>& cluster) {
    std::vector<Dealt> found(buckets.size());
    run_pieces(buckets.size(), threads, meter,
               [&](size_t at) { found[at] = cluster(buckets[at]); });
    Dealt all;
    for (Dealt& each : found) {
        for (size_t p = 0; p < each.tuple_of.size(); ++p)
            all.add(each.tuple_of[p], all.n_classes + each.class_of[p], each.records[p]);
        all.n_classes += each.n_classes;
        each = Dealt();
    }
    return all;
}
}  // namespace incrowd
