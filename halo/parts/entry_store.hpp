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
    EntryStore(Exec exec, EntryKind kind, bool on_host) : exec_(exec), kind_(kind), on_host_(on_host) {}

    void add(EntryMaker& maker, const ConstParticlesView& particles, Index first_index)
    {
        StoredBatch& stored = batches_.emplace_back();
        if (!on_host_) {
            stored.batch = maker.make(particles, first_index, stored.block);
            return;
        }
        stored.batch = maker.make(particles, first_index, spare_);
        stored.pinned =
            std::make_unique<device::PinnedBuffer<std::byte>>(bytes_of_entries(stored.batch.n, kind_));
        const EntryArrays there = entry_arrays(stored.pinned->data(), stored.batch.n, kind_);
        copy_entries(exec_, there, stored.batch.entries, stored.batch.n);
        device::wait(exec_.stream);
        stored.batch.entries = there;
    }

    std::size_t n_ghosts() const
    {
        std::size_t n = 0;
        for (const StoredBatch& stored : batches_) n += stored.batch.n_ghosts;
        return n;
    }
    std::size_t size(std::size_t part) const
    {
        std::size_t n = 0;
        for (const StoredBatch& stored : batches_)
            n += stored.batch.begin[part + 1] - stored.batch.begin[part];
        return n;
    }

    /// Whether parts can be read where they are.
    bool in_place() const { return batches_.size() == 1 && !on_host_; }
    EntryArrays there(std::size_t part) const
    {
        return batches_[0].batch.entries.from(batches_[0].batch.begin[part]);
    }

    /// Copies a part into the block, in the order of exec's stream.
    EntryArrays copy(Exec exec, std::size_t part, Buffer<std::byte>& block) const
    {
        const std::size_t n = size(part);
        const EntryArrays all = entry_arrays(block.data(), n, kind_);
        std::size_t at = 0;
        for (const StoredBatch& stored : batches_) {
            const std::size_t first = stored.batch.begin[part], count = stored.batch.begin[part + 1] - first;
            copy_entries(exec, all.from(at), stored.batch.entries.from(first), count);
            at += count;
        }
        return all;
    }

    EntryKind kind() const { return kind_; }

private:
    Exec exec_;
    EntryKind kind_;
    bool on_host_;
    std::vector<StoredBatch> batches_;
    Buffer<std::byte> spare_;
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
        for (Buffer<std::byte>& block : blocks_)
            block = Buffer<std::byte>(exec.backend, bytes_of_entries(largest, store.kind()));
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
    void start(std::size_t part) { next_ = store_.copy(copies_, part, blocks_[part % 2]); }

    Exec exec_, copies_;
    const EntryStore& store_;
    std::size_t n_parts_;
    std::optional<device::Stream> stream_;
    Buffer<std::byte> blocks_[2];
    EntryArrays next_{};
};

}  // namespace aureole::halo
