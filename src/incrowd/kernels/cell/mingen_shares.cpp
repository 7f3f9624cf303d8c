// The largest shares there are: the dual of the linear programme of set partitioning, by the
// revised simplex method with a growing pool of classes.
//
// Dantzig's rule; the right side is perturbed, so that no two steps are tied.  The shares are
// worked out in floating point, rounded, and then lowered wherever a class costs less: what is
// returned is valid whatever became of the arithmetic.
// Cost: rounds x classes, usually a few dozen rounds.
#include "cell/mingen_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace incrowd {
namespace {
constexpr double kNothing = 1e-11, kTiny = 1e-9;
constexpr double kDear = 2;  // an item that is in no class yet costs as much as two of the dearest
constexpr int kMostRounds = 300, kMostPivots = 3000;

class Programme {
  public:
    Programme(std::span<const int64_t> copies, const Packing& packing)
        : n_(copies.size()), packing_(packing), inverse_(n_ * n_, 0.0), values_(n_),
          costs_(n_, kDear), shares_(n_, kDear), column_(n_) {
        double nudge = 1;
        for (size_t i = 0; i < n_; ++i) {
            inverse_[i * n_ + i] = 1;  // at first every copy stands alone, and is dear
            nudge = std::fmod(nudge * 1.6180339887498949 + 0.1, 1.0);
            values_[i] = static_cast<double>(copies[i]) + 1e-6 * (1 + nudge);
        }
    }

    const std::vector<double>& shares() const { return shares_; }

    void add(uint64_t members, double cost) { pool_.push_back({members, cost}); }

    // The best shares for the classes in the pool.
    void solve() {
        for (int pivot = 0; pivot < kMostPivots; ++pivot) {
            const SumOfMembers<double> sum(packing_, shares_);
            double least = -kNothing;
            const Column* enters = nullptr;
            for (const Column& each : pool_) {
                const double lacking = each.cost - sum(each.members);
                if (lacking < least) least = lacking, enters = &each;
            }
            if (enters == nullptr || !step(*enters)) return;
        }
    }

  private:
    struct Column {
        uint64_t members;
        double cost;
    };

    bool step(const Column& enters) {
        for (size_t i = 0; i < n_; ++i) {
            column_[i] = 0;
            for (size_t item = 0; item < n_; ++item)
                column_[i] += inverse_[i * n_ + item] *
                              static_cast<double>(packing_.amount(enters.members, item));
        }
        size_t leaves = n_;
        double least = std::numeric_limits<double>::infinity();
        for (size_t i = 0; i < n_; ++i)
            if (column_[i] > kTiny && values_[i] / column_[i] < least)
                least = values_[i] / column_[i], leaves = i;
        if (leaves == n_) return false;
        exchange(leaves, least);
        costs_[leaves] = enters.cost;
        for (size_t item = 0; item < n_; ++item) {
            shares_[item] = 0;
            for (size_t i = 0; i < n_; ++i) shares_[item] += costs_[i] * inverse_[i * n_ + item];
        }
        return true;
    }

    void exchange(size_t leaves, double amount) {
        for (size_t j = 0; j < n_; ++j) inverse_[leaves * n_ + j] /= column_[leaves];
        values_[leaves] = amount;
        for (size_t i = 0; i < n_; ++i) {
            if (i == leaves || column_[i] == 0) continue;
            values_[i] = std::max(0.0, values_[i] - column_[i] * amount);
            for (size_t j = 0; j < n_; ++j)
                inverse_[i * n_ + j] -= column_[i] * inverse_[leaves * n_ + j];
        }
    }

    const size_t n_;
    const Packing& packing_;
    std::vector<double> inverse_, values_, costs_;  // of the basis: n x n, n, n
    std::vector<double> shares_, column_;
    std::vector<Column> pool_;
};

// Adds to the pool the class that lacks most, for each lowest item; false if none lacks anything.
bool widen(Programme& programme, const Packing& packing, std::span<const SmallClass> classes,
           double scale, size_t n) {
    const SumOfMembers<double> sum(packing, programme.shares());
    std::vector<double> least(n, -kNothing);
    std::vector<const SmallClass*> chosen(n, nullptr);
    for (const SmallClass& each : classes) {
        const double lacking = static_cast<double>(each.cost) / scale - sum(each.members);
        const size_t item = packing.lowest(each.members);
        if (lacking < least[item]) least[item] = lacking, chosen[item] = &each;
    }
    bool any = false;
    for (const SmallClass* each : chosen) {
        if (each == nullptr) continue;
        programme.add(each->members, static_cast<double>(each->cost) / scale);
        any = true;
    }
    return any;
}

// Lowers shares until no class lacks anything.
void lower(std::vector<int64_t>& shares, const Packing& packing,
           std::span<const SmallClass> classes) {
    const SumOfMembers<int64_t> before(packing, shares);
    for (const SmallClass& each : classes) {
        if (each.cost >= before(each.members)) continue;
        int64_t spare = each.cost;
        for (size_t item = 0; item < shares.size(); ++item)
            spare -= shares[item] * packing.amount(each.members, item);
        if (spare < 0) shares[packing.lowest(each.members)] += spare;
    }
}
}  // namespace

std::vector<int64_t> class_shares(std::span<const int64_t> copies, const Packing& packing,
                                  std::span<const SmallClass> classes, Meter& meter) {
    int64_t dearest = 1, n_copies = 0;
    for (const SmallClass& each : classes) dearest = std::max(dearest, each.cost);
    for (const int64_t each : copies) n_copies += each;
    const auto scale = static_cast<double>(dearest);
    Programme programme(copies, packing);
    for (int round = 0; round < kMostRounds; ++round) {
        if (!widen(programme, packing, classes, scale, copies.size())) break;
        programme.solve();
        meter.advance(static_cast<int64_t>(classes.size()));
    }
    // The shares of all copies are to add up in 64 bits, whatever they are.
    const int64_t largest = (int64_t{1} << 61) / n_copies;
    const double most = std::min(kDear, static_cast<double>(largest / dearest));
    std::vector<int64_t> shares;
    for (const double each : programme.shares()) {
        const double some = std::isfinite(each) ? std::clamp(each, -most, most) : 0;
        shares.push_back(static_cast<int64_t>(some * scale));
    }
    lower(shares, packing, classes);
    if (*std::ranges::min_element(shares) < -largest) std::ranges::fill(shares, 0);
    return shares;
}
}  // namespace incrowd
