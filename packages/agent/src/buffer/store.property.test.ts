import fc from "fast-check";
import { expect, test } from "vitest";
import { countLost, type NewEntry, noLoss } from "./entry.ts";
import { BufferStore, type StoreLimits } from "./store.ts";

const limits: StoreLimits = { maxEntries: 6, maxBytes: 100 };

const types = fc.constantFrom("event_batch" as const, "command_ack" as const, "command_result" as const);
const additions = fc.array(fc.record({ type: types, records: fc.nat(9), sizeBytes: fc.integer({ min: 1, max: 60 }) }), {
  maxLength: 4,
});
const changes = fc.array(fc.record({ add: additions, removeOldest: fc.nat(3) }), { maxLength: 25 });

test("for any history the store equals a plain list with the same limits, and counts every loss", () => {
  fc.assert(
    fc.property(changes, (history) => {
      const store = new BufferStore(":memory:", limits, undefined);
      let model: (NewEntry & { seq: number })[] = [];
      let loss = { ...noLoss };
      let serial = 0;
      for (const { add, removeOldest } of history) {
        const entries = add.map((given) => ({ ...given, frameId: `f${serial++}`, payload: "{}" }));
        const remove = model.slice(0, removeOldest).map(({ seq }) => seq);
        store.apply({ remove, add: entries }, 0);

        model = model.slice(removeOldest);
        for (const [index, entry] of entries.entries()) {
          const isOver = (): boolean =>
            model.length >= limits.maxEntries || bytesOf(model) + entry.sizeBytes > limits.maxBytes;
          while (model.length > 0 && isOver()) {
            const evicted = model.shift() as NewEntry;
            loss = countLost(loss, evicted.type, evicted.records, "capacity_evicted_frames");
          }
          model.push({ ...entry, seq: serial - entries.length + index + 1 });
        }
        expect({ depth: store.depth, sizeBytes: store.sizeBytes, loss: store.loss }).toEqual({
          depth: model.length,
          sizeBytes: bytesOf(model),
          loss,
        });
      }
      const everything = { maxEntries: 100, maxBytes: 10_000 };
      const held = [...store.read("control", 0, everything), ...store.read("events", 0, everything)];
      held.sort((a, b) => a.seq - b.seq);
      expect(held.map(({ seq, frameId }) => [seq, frameId])).toEqual(model.map(({ seq, frameId }) => [seq, frameId]));
      store.close();
    }),
    { numRuns: 200 },
  );
});

function bytesOf(entries: readonly NewEntry[]): number {
  return entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
