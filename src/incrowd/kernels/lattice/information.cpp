#include "lattice/information.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace incrowd {
namespace {
constexpr size_t kSampled = 2048;  // tuples, or up to twice as many
// Logarithms differ between machines in their last digit; what they decide must not.
constexpr double kSteps = 4096.0;

double stepped(double bits) { return std::round(bits * kSteps) / kSteps; }
}  // namespace

TupleSample::TupleSample(std::span<const int32_t> all_codes, std::span<const int64_t> all_records,
                         size_t columns)
    : codes(columns) {
    const size_t m = all_records.size(), step = std::max<size_t>(1, m / kSampled);
    for (size_t i = 0; i < m; i += step) records.push_back(all_records[i]);
    for (size_t j = 0; j < columns; ++j)
        for (size_t i = 0; i < m; i += step) codes[j].push_back(all_codes[j * m + i]);
}

double Information::beyond(const Levels& others, const Levels& top, size_t j, uint8_t level) {
    double least = of(j, level);
    for (size_t i = 0; i < columns_.size(); ++i)
        if (i != j && others[i] < top[i])
            least = std::min(least, of_pair(i, others[i], j, level) - of(i, others[i]));
    return std::max(0.0, least);
}

double Information::of_pair(size_t i, uint8_t level, size_t j, uint8_t other) {
    double& known = known_[(columns_[i].slot + level) * slots_ + columns_[j].slot + other];
    if (known == kUnknown) known = counted(i, level, j, other);
    return known;
}

double Information::counted(size_t i, uint8_t level, size_t j, uint8_t other) {
    const size_t n = sample_.records.size();
    const auto width = static_cast<uint64_t>(columns_[j].sizes[other]);
    keys_.resize(n);
    class_of_.resize(n);
    for (size_t t = 0; t < n; ++t)
        keys_[t] = static_cast<uint64_t>(columns_[i].node[level][sample_.codes[i][t]]) * width +
                   static_cast<uint64_t>(columns_[j].node[other][sample_.codes[j][t]]);
    const uint64_t space = static_cast<uint64_t>(columns_[i].sizes[level]) * width;
    const int32_t values = numbering_.number(keys_.data(), n, space, class_of_.data());
    std::vector<int64_t> records(static_cast<size_t>(values), 0);
    for (size_t t = 0; t < n; ++t) records[class_of_[t]] += sample_.records[t];
    const auto all =
        static_cast<double>(std::accumulate(records.begin(), records.end(), int64_t{0}));
    double entropy = 0;
    for (const int64_t each : records) {
        const double share = static_cast<double>(each) / all;
        entropy -= share * std::log2(share);
    }
    return stepped((entropy + std::log2(std::max(1.0, static_cast<double>(values)))) / 2);
}
}  // namespace incrowd
