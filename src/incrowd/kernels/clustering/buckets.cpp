#include "clustering/buckets.hpp"

#include <stdexcept>

namespace incrowd {

void Dealt::add(std::int32_t tuple, std::int32_t to_class, std::int64_t count) {
    if (!tuple_of.empty() && tuple_of.back() == tuple && class_of.back() == to_class) {
        records.back() += count;
        return;
    }
    tuple_of.push_back(tuple);
    class_of.push_back(to_class);
    records.push_back(count);
}

nb::tuple to_python(Dealt&& dealt) {
    return nb::make_tuple(to_numpy(std::move(dealt.tuple_of)), to_numpy(std::move(dealt.class_of)),
                          to_numpy(std::move(dealt.records)), dealt.n_classes);
}

std::vector<Bucket> read_buckets(const In<std::int64_t, 1>& starts,
                                 const In<std::int64_t, 1>& firsts,
                                 const In<std::int64_t, 1>& records, std::int64_t k) {
    const auto n = static_cast<std::int64_t>(records.size());
    if (k < 1 || firsts.size() != starts.size() || n == 0 || starts.size() == 0 ||
        starts.data()[0] != 0)
        throw std::invalid_argument("clustering: the buckets do not fit the tuples");
    std::vector<Bucket> buckets;
    for (std::size_t at = 0; at < starts.size(); ++at) {
        const std::int64_t start = starts.data()[at];
        const std::int64_t stop = at + 1 < starts.size() ? starts.data()[at + 1] : n;
        if (start < 0 || stop <= start || stop > n)
            throw std::invalid_argument("clustering: the buckets do not fit the tuples");
        std::int64_t inside = 0;
        for (std::int64_t i = start; i < stop; ++i) {
            if (records.data()[i] < 1)
                throw std::invalid_argument("clustering: a tuple has no records");
            inside += records.data()[i];
        }
        if (inside < k || firsts.data()[at] < 0 || firsts.data()[at] >= inside)
            throw std::invalid_argument("clustering: a bucket has too few records");
        buckets.push_back(
            {static_cast<std::size_t>(start), static_cast<std::size_t>(stop), firsts.data()[at]});
    }
    return buckets;
}

nb::tuple deal_buckets(const std::vector<Bucket>& buckets, std::size_t threads,
                       const Meter::Report& report,
                       const std::function<Dealt(const Bucket&, Meter&)>& cluster) {
    Dealt all;
    {
        nb::gil_scoped_release release;
        Meter meter(report);
        std::vector<Dealt> found(buckets.size());
        run_pieces(buckets.size(), threads, meter,
                   [&](std::size_t at) { found[at] = cluster(buckets[at], meter); });
        for (Dealt& each : found) {
            for (std::size_t p = 0; p < each.tuple_of.size(); ++p)
                all.add(each.tuple_of[p], all.n_classes + each.class_of[p], each.records[p]);
            all.n_classes += each.n_classes;
            each = Dealt();
        }
    }
    return to_python(std::move(all));
}

}  // namespace incrowd
