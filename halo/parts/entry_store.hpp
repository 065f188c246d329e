// Entries that wait for their part, on the device or in pinned memory of the host, and their way back.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>

#include "halo/parts/entry_maker.hpp"
#include "sim/core/device.hpp"
#include "sim/core/device_sharing.hpp"

namespace aureole::halo {

/// A batch that waits.
struct StoredBatch {
    Batch batch;
    Buffer<std::byte> block;
    std::unique_ptr<device::PinnedBuffer<std::byte>> pinned;
};

/// All entries, by batch and part.
class EntryStore {
public:
    /// What is used again from search to search.
    struct Scratch {
        std::vector<StoredBatch> batches;
        Buffer<std::byte> spare, part[2];
    };

    EntryStore(Exec exec, EntryKind kind, bool on_host, std::size_t n_batches, Scratch& scratch)
        : exec_(exec), kind_(kind), on_host_(on_host), scratch_(scratch)
    {
        scratch.batches.resize(n_batches);
    }

    void add(EntryMaker& maker, const ConstParticlesView& particles, Index first_index)
    {
        StoredBatch& stored = scratch_.batches[n_added_++];
        if (!on_host_) {
            stored.pinned.reset();
            stored.batch = maker.make(particles, first_index, stored.block);
            return;
        }
        stored.batch = maker.make(particles, first_index, scratch_.spare);
        stored.block = {};
        const std::size_t bytes = bytes_of_entries(stored.batch.n, kind_);
        if (!stored.pinned || stored.pinned->size() < bytes) {
            stored.pinned.reset();
            stored.pinned = std::make_unique<device::PinnedBuffer<std::byte>>(bytes);
        }
        const EntryArrays there = entry_arrays(stored.pinned->data(), stored.batch.n, kind_);
        copy_entries(exec_, there, stored.batch.entries, stored.batch.n);
        device::wait(exec_.stream);
        stored.batch.entries = there;
    }

    std::size_t n_ghosts() const
    {
        std::size_t n = 0;
        for (const StoredBatch& stored : scratch_.batches) n += stored.batch.n_ghosts;
        return n;
    }
    std::size_t size(std::size_t part) const
    {
        std::size_t n = 0;
        for (const StoredBatch& stored : scratch_.batches)
            n += stored.batch.begin[part + 1] - stored.batch.begin[part];
        return n;
    }

    /// Whether parts can be read where they are.
    bool in_place() const { return scratch_.batches.size() == 1 && !on_host_; }
    EntryArrays there(std::size_t part) const
    {
        return scratch_.batches[0].batch.entries.from(scratch_.batches[0].batch.begin[part]);
    }

    /// Copies a part into the block, in the order of exec's stream.
    EntryArrays copy(Exec exec, std::size_t part, Buffer<std::byte>& block) const
    {
        const std::size_t n = size(part);
        const EntryArrays all = entry_arrays(block.data(), n, kind_);
        std::size_t at = 0;
        for (const StoredBatch& stored : scratch_.batches) {
            const std::size_t first = stored.batch.begin[part], count = stored.batch.begin[part + 1] - first;
            copy_entries(exec, all.from(at), stored.batch.entries.from(first), count);
            at += count;
        }
        return all;
    }

    EntryKind kind() const { return kind_; }
    /// Where copies of parts lie.
    Buffer<std::byte>& part_block(std::size_t k) const { return scratch_.part[k]; }

private:
    Exec exec_;
    EntryKind kind_;
    bool on_host_;
    Scratch& scratch_;
    std::size_t n_added_ = 0;
};

/// One part after the other on the device, the next one on its way.
class PartReader {
public:
    PartReader(Exec exec, const EntryStore& store, std::size_t n_parts)
        : exec_(exec), copies_(exec), store_(store), n_parts_(n_parts)
    {
        if (store.in_place()) return;
        if (exec.backend == Backend::cuda) copies_.stream = stream_.emplace().get();
        std::size_t largest = 0;
        for (std::size_t part = 0; part < n_parts; ++part) largest = std::max(largest, store.size(part));
        for (std::size_t k = 0; k < 2; ++k)
            store.part_block(k).require(exec.backend, bytes_of_entries(largest, store.kind()));
    }
    ~PartReader()
    {
        if (!stream_) return;
        try {
            device::wait(copies_.stream);
        } catch (...) {  // a device that has failed copies no more
        }
    }
    PartReader(const PartReader&) = delete;
    PartReader& operator=(const PartReader&) = delete;

    /// Calls use(entries, n) for each part.
    template <class Use>
    void each(Use use)
    {
        if (!store_.in_place()) start(0);
        for (std::size_t part = 0; part < n_parts_; ++part) {
            const auto n = static_cast<Index>(store_.size(part));
            if (store_.in_place()) {
                use(store_.there(part), n);
                continue;
            }
            const EntryArrays entries = next_;
            if (stream_) device::order_after(exec_.stream, copies_.stream);
            if (part + 1 < n_parts_) start(part + 1);
            use(entries, n);
            if (stream_) device::wait(exec_.stream);  // before the part after the next takes its memory
        }
    }

private:
    void start(std::size_t part) { next_ = store_.copy(copies_, part, store_.part_block(part % 2)); }

    Exec exec_, copies_;
    const EntryStore& store_;
    std::size_t n_parts_;
    std::optional<device::Stream> stream_;
    EntryArrays next_{};
};

}  // namespace aureole::halo
