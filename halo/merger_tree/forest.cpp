#include "halo/merger_tree/forest.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

using Number = std::int64_t;  ///< of a halo, through all catalogues; -1 for none

class Sets {
public:
    explicit Sets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), Number{0}); }
    Number find(Number k)
    {
        while (at(k) != k) k = at(k) = at(at(k));
        return k;
    }
    void join(Number a, Number b) { at(find(a)) = find(b); }

private:
    Number& at(Number k) { return parent_[static_cast<std::size_t>(k)]; }
    std::vector<Number> parent_;
};

class Builder {
public:
    explicit Builder(const std::vector<ForestCatalogue>& catalogues) : catalogues_(catalogues)
    {
        for (std::size_t c = 0; c < catalogues.size(); ++c) {
            first_.push_back(static_cast<Number>(halos_.size()));
            for (std::size_t row = 0; row < catalogues[c].size(); ++row) {
                TreeHalo halo;
                halo.catalogue = static_cast<std::int32_t>(c);
                halo.row = static_cast<std::int32_t>(row);
                halos_.push_back(halo);
            }
        }
        for (Number halo = 0; halo < static_cast<Number>(halos_.size()); ++halo)
            head_.push_back(halo > 0 && same_group(halo - 1, halo) ? head_.back() : halo);
        for (auto* links : {&descendant_, &main_, &progenitor_}) links->assign(halos_.size(), -1);
    }

    Forest build()
    {
        link_all();
        order_progenitors();
        const std::vector<Number> tree = trees();
        Forest forest;
        std::vector<std::int32_t> place(halos_.size(), -1);
        for (const Number halo : depth_first(tree)) {
            if (forest.halos.empty() || of(tree, halo) != of(tree, last_)) {
                forest.begin.push_back(forest.halos.size());
                ++n_trees_;
            }
            last_ = halo;
            TreeHalo& here = of(halos_, halo);
            here.tree = n_trees_ - 1;
            here.place = static_cast<std::int32_t>(forest.halos.size() - forest.begin.back());
            of(place, halo) = here.place;
            forest.halos.push_back(here);
        }
        forest.begin.push_back(forest.halos.size());
        for (TreeHalo& halo : forest.halos) point(halo, place);
        return forest;
    }

private:
    template <class T>
    static T& of(std::vector<T>& list, Number k)
    {
        return list[static_cast<std::size_t>(k)];
    }
    template <class T>
    static const T& of(const std::vector<T>& list, Number k)
    {
        return list[static_cast<std::size_t>(k)];
    }

    /// The halo in row `row` of catalogue c; -1 where the row is.
    Number number(std::size_t c, std::int64_t row, const char* what) const
    {
        if (row < 0) return -1;
        AUREOLE_EXPECT(c < catalogues_.size() && row < static_cast<std::int64_t>(catalogues_[c].size()),
                       "a {} in row {} of catalogue {}, which there is not", what, row, c);
        return first_[c] + row;
    }

    void link_all()
    {
        for (std::size_t c = 0; c < catalogues_.size(); ++c) {
            const ForestCatalogue& here = catalogues_[c];
            for (const auto* column : {&here.main, &here.skip, &here.split_from})
                AUREOLE_EXPECT(column->size() == here.size(), "{} links of {} halos of catalogue {}",
                               column->size(), here.size(), c);
            for (std::size_t row = 0; row < here.size(); ++row) {
                const Number halo = first_[c] + static_cast<Number>(row);
                Number same = number(c - 1, here.main[row], "main progenitor");
                if (same < 0) same = number(c - 2, here.skip[row], "progenitor two catalogues before");
                of(main_, halo) = same;
                of(progenitor_, halo) =
                    same >= 0 ? same : number(c - 1, here.split_from[row], "fragment's origin");
                if (same < 0) continue;
                AUREOLE_EXPECT(of(descendant_, same) < 0, "halo {} of catalogue {} goes on as two halos",
                               of(halos_, same).row, of(halos_, same).catalogue);
                of(descendant_, same) = halo;
            }
        }
        for (std::size_t c = 0; c < catalogues_.size(); ++c)
            for (std::size_t row = 0; row < catalogues_[c].descendant.size(); ++row)
                if (Number& into = of(descendant_, first_[c] + static_cast<Number>(row)); into < 0)
                    into = number(c + 1, catalogues_[c].descendant[row], "descendant");
    }

    void order_progenitors()
    {
        progenitors_.resize(halos_.size());
        descendants_.resize(halos_.size());
        for (Number halo = 0; halo < static_cast<Number>(halos_.size()); ++halo) {
            if (const Number into = of(descendant_, halo); into >= 0) of(progenitors_, into).push_back(halo);
            if (const Number from = of(progenitor_, halo); from >= 0) of(descendants_, from).push_back(halo);
        }
        for (Number halo = 0; halo < static_cast<Number>(halos_.size()); ++halo) {
            std::ranges::sort(of(progenitors_, halo), {}, [&](Number k) {
                return std::tuple(k != of(main_, halo), -of(halos_, k).catalogue, k);
            });
            std::ranges::sort(of(descendants_, halo), {},
                              [&](Number k) { return std::tuple(of(main_, k) != halo, k); });
        }
    }

    /// Of each halo, what is the same for all halos of its tree.
    std::vector<Number> trees()
    {
        Sets sets(halos_.size());
        for (Number halo = 0; halo < static_cast<Number>(halos_.size()); ++halo) {
            for (const Number link : {of(descendant_, halo), of(progenitor_, halo)})
                if (link >= 0) sets.join(halo, link);
            if (halo > 0 && same_group(halo - 1, halo)) sets.join(halo - 1, halo);
        }
        std::vector<Number> tree;
        for (Number halo = 0; halo < static_cast<Number>(halos_.size()); ++halo)
            tree.push_back(sets.find(halo));
        return tree;
    }

    bool same_group(Number a, Number b) const
    {
        const TreeHalo &x = of(halos_, a), &y = of(halos_, b);
        if (x.catalogue != y.catalogue) return false;
        const std::vector<std::int64_t>& group = catalogues_[static_cast<std::size_t>(x.catalogue)].group;
        return group[static_cast<std::size_t>(x.row)] == group[static_cast<std::size_t>(y.row)];
    }

    std::vector<Number> depth_first(const std::vector<Number>& tree) const
    {
        std::vector<Number> roots, first(halos_.size(), -1);
        for (Number halo = 0; halo < static_cast<Number>(halos_.size()); ++halo)
            if (of(descendant_, halo) < 0) roots.push_back(halo);
        const auto order = [&](Number k) {
            const TreeHalo& halo = of(halos_, k);
            const double mass = catalogues_[static_cast<std::size_t>(halo.catalogue)]
                                    .mass[static_cast<std::size_t>(halo.row)];
            return std::tuple(-halo.catalogue, -mass, k);
        };
        std::ranges::sort(roots, {}, order);
        for (Number k = 0; k < static_cast<Number>(roots.size());
             ++k)  // trees in the order of their first root
            if (Number& rank = of(first, of(tree, of(roots, k))); rank < 0) rank = k;
        std::ranges::stable_sort(roots, {}, [&](Number k) { return of(first, of(tree, k)); });
        std::vector<Number> result, open;
        for (const Number root : roots) {
            open.push_back(root);
            while (!open.empty()) {
                const Number halo = open.back();
                open.pop_back();
                result.push_back(halo);
                const std::vector<Number>& from = of(progenitors_, halo);
                open.insert(open.end(), from.rbegin(), from.rend());
            }
        }
        AUREOLE_EXPECT(result.size() == halos_.size(), "{} of {} halos are in trees", result.size(),
                       halos_.size());
        return result;
    }

    void point(TreeHalo& halo, const std::vector<std::int32_t>& place) const
    {
        const Number self = first_[static_cast<std::size_t>(halo.catalogue)] + halo.row;
        const auto placed = [&](Number k) { return k < 0 ? -1 : of(place, k); };
        const auto first = [&](const std::vector<Number>& list) {
            return list.empty() ? -1 : placed(list[0]);
        };
        const auto next = [&](const std::vector<std::vector<Number>>& lists, Number of_which) {
            if (of_which < 0) return -1;
            const std::vector<Number>& list = of(lists, of_which);
            const auto here = std::ranges::find(list, self);
            return here + 1 == list.end() ? -1 : placed(*(here + 1));
        };
        halo.descendant = placed(of(descendant_, self));
        halo.main_progenitor = placed(of(main_, self));
        halo.progenitor = placed(of(progenitor_, self));
        halo.first_progenitor = first(of(progenitors_, self));
        halo.next_progenitor = next(progenitors_, of(descendant_, self));
        halo.first_descendant = first(of(descendants_, self));
        halo.next_descendant = next(descendants_, of(progenitor_, self));
        halo.first_in_group = placed(of(head_, self));
        const bool more = self + 1 < static_cast<Number>(halos_.size()) && same_group(self, self + 1);
        halo.next_in_group = more ? placed(self + 1) : -1;
    }

    const std::vector<ForestCatalogue>& catalogues_;
    std::vector<TreeHalo> halos_;  ///< by number
    std::vector<Number> first_;    ///< number of the first halo of each catalogue
    std::vector<Number> head_;     ///< the first halo of its group
    std::vector<Number> descendant_, main_, progenitor_;
    std::vector<std::vector<Number>> progenitors_, descendants_;
    std::int32_t n_trees_ = 0;
    Number last_ = -1;
};

}  // namespace

Forest forest_of(const std::vector<ForestCatalogue>& catalogues) { return Builder(catalogues).build(); }

}  // namespace aureole::halo
