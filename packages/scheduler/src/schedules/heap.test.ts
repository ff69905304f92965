import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSlotHeap, type HeapEntry } from "./heap.ts";

const entry = (id: string): HeapEntry => ({ id, heapIndex: -1 });

describe("the heap of next slots", () => {
  test("returns due entries by slot, then by id", () => {
    const heap = createSlotHeap<HeapEntry>();
    for (const [id, slot] of [
      ["c", 5],
      ["b", 5],
      ["a", 9],
      ["d", 1],
    ] as const)
      heap.set(entry(id), slot);

    const taken = Array.from({ length: 4 }, () => heap.takeDue(8)?.id);

    expect(taken).toEqual(["d", "b", "c", undefined]);
    expect(heap.earliest()).toBe(9);
    expect(heap.size).toBe(1);
  });

  test("ignores the removal of an entry that is outside", () => {
    const heap = createSlotHeap<HeapEntry>();
    const [a, b] = [entry("a"), entry("b")];
    heap.set(a, 1);
    heap.remove(b);
    heap.remove(a);
    heap.remove(a);
    expect(heap.size).toBe(0);
    expect(heap.earliest()).toBeUndefined();
  });

  test("visits entries with slots up to a limit, and no more than requested", () => {
    const heap = createSlotHeap<HeapEntry>();
    for (let index = 0; index < 50; index += 1) heap.set(entry(String(index).padStart(2, "0")), (index * 37) % 50);
    const visited: string[] = [];
    heap.visit(9, 100, ({ id }) => void visited.push(id));
    const due = Array.from({ length: 10 }, () => heap.takeDue(9)?.id);
    expect(visited.sort()).toEqual(due.sort());
    let count = 0;
    heap.visit(50, 3, () => {
      count += 1;
    });
    expect(count).toBe(3);
    heap.visit(0, 3, () => expect.unreachable());
  });

  test("has the order of a sorted list after any adding, moving and removing", () => {
    const change = fc.tuple(fc.integer({ min: 0, max: 30 }), fc.option(fc.integer({ min: 0, max: 50 })));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const heap = createSlotHeap<HeapEntry>();
        const entries = Array.from({ length: 31 }, (_, index) => entry(String(index).padStart(2, "0")));
        const expected = new Map<string, number>();
        for (const [index, slot] of changes) {
          const one = entries[index]!;
          if (slot === null) heap.remove(one);
          else heap.set(one, slot);
          if (slot === null) expected.delete(one.id);
          else expected.set(one.id, slot);
        }
        const taken: string[] = [];
        for (let next = heap.takeDue(100); next !== undefined; next = heap.takeDue(100)) taken.push(next.id);
        const sorted = [...expected].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1)).map(([id]) => id);
        expect(taken).toEqual(sorted);
        expect(entries.every(({ heapIndex }) => heapIndex === -1)).toBe(true);
      }),
    );
  });
});
