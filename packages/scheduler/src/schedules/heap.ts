/** What a heap holds. It keeps the position in the entry itself, so that removing one needs no search and no further memory. */
export interface HeapEntry {
  readonly id: string;
  /** Position in the heap; -1 while outside. Only the heap writes it. */
  heapIndex: number;
}

const comesBefore = (slot: number, id: string, otherSlot: number, otherId: string): boolean =>
  slot < otherSlot || (slot === otherSlot && id < otherId);

/** A binary heap of schedules by next slot, then id. Adding, moving and removing take logarithmic time. */
export function createSlotHeap<Entry extends HeapEntry>() {
  const entries: Entry[] = [];
  const slots: number[] = [];

  function place(entry: Entry, slot: number, index: number): void {
    entries[index] = entry;
    slots[index] = slot;
    entry.heapIndex = index;
  }

  function rise(entry: Entry, slot: number, from: number): number {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!comesBefore(slot, entry.id, slots[parent]!, entries[parent]!.id)) break;
      place(entries[parent]!, slots[parent]!, index);
      index = parent;
    }
    place(entry, slot, index);
    return index;
  }

  function sink(entry: Entry, slot: number, from: number): void {
    let index = from;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= entries.length) break;
      const right = child + 1;
      if (right < entries.length && comesBefore(slots[right]!, entries[right]!.id, slots[child]!, entries[child]!.id)) {
        child = right;
      }
      if (!comesBefore(slots[child]!, entries[child]!.id, slot, entry.id)) break;
      place(entries[child]!, slots[child]!, index);
      index = child;
    }
    place(entry, slot, index);
  }

  function remove(entry: Entry): void {
    const index = entry.heapIndex;
    if (index < 0) return;
    entry.heapIndex = -1;
    const [last, slot] = [entries.pop()!, slots.pop()!];
    if (last === entry) return;
    if (rise(last, slot, index) === index) sink(last, slot, index);
  }

  return {
    get size() {
      return entries.length;
    },
    /** The earliest slot in milliseconds; undefined when empty. */
    earliest: (): number | undefined => slots[0],
    /** Adds the entry, or moves it to another slot. */
    set(entry: Entry, slot: number): void {
      const index = entry.heapIndex;
      if (index < 0) rise(entry, slot, entries.length);
      else if (rise(entry, slot, index) === index) sink(entry, slot, index);
    },
    /** Does nothing to an entry that is outside. */
    remove,
    /** Calls `visit` for entries with slots up to `until`, in no order, at most `limit` times. The heap must not change during the call. */
    visit(until: number, limit: number, visit: (entry: Entry) => void): void {
      const open = [0];
      for (let count = 0; count < limit && open.length > 0; ) {
        const index = open.pop()!;
        if (index >= entries.length || slots[index]! > until) continue;
        count += 1;
        visit(entries[index]!);
        open.push(2 * index + 2, 2 * index + 1);
      }
    },
    /** Removes the entry with the earliest slot if that is at most `now`. */
    takeDue(now: number): Entry | undefined {
      const first = entries[0];
      if (first === undefined || slots[0]! > now) return undefined;
      remove(first);
      return first;
    },
  };
}
