import type { HubEvent } from "@svc/client";
import { QueryClient, QueryObserver, type QueryObserverOptions } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { keepLive, type Live } from "./declared.ts";
import { patchOwnRow, patchRows } from "./row-patches.ts";

let client: QueryClient;
let push: (event: Pick<HubEvent, "topic"> & { [Part in keyof HubEvent]?: unknown }) => void;
let resume: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient({ defaultOptions: { queries: { retry: false, gcTime: Number.POSITIVE_INFINITY } } });
  keepLive(
    client,
    {
      listen: (listener) => {
        push = (event) => listener({ type: "event", ...event } as HubEvent);
        return () => {};
      },
      onResume: (run) => {
        resume = run;
        return () => {};
      },
    },
    "shop",
  );
});
afterEach(() => {
  client.clear();
  vi.useRealTimers();
});

/** An observed query that answers after `answerMs` and counts its reads. */
async function show(live: Live | undefined, given: Partial<QueryObserverOptions> & { answerMs?: number } = {}) {
  const { answerMs = 0, ...options } = given;
  const queryKey = options.queryKey ?? ["queues"];
  let reads = 0;
  const observer = new QueryObserver(client, {
    queryKey,
    async queryFn() {
      reads += 1;
      const read = reads;
      await new Promise((resolve) => setTimeout(resolve, answerMs));
      return { read, items: [{ id: "q-1", depth: 1, name: "emails" }] };
    },
    ...(live && { meta: { live } }),
    ...options,
  });
  const hide = observer.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(answerMs);
  return { reads: () => reads, items: () => client.getQueryData<{ items: unknown[] }>(queryKey)?.items, hide };
}

const patched: Live = { project: "shop", on: { "queue.changed": { patch: patchRows } } };

describe("a change event", () => {
  test("patches queries of its topic and project only", async () => {
    const mine = await show(patched, { queryKey: ["mine"] });
    const others = [
      await show({ ...patched, project: "mill" }, { queryKey: ["another project"] }),
      await show({ project: "shop", on: { "worker.changed": { patch: patchRows } } }, { queryKey: ["another topic"] }),
      await show(undefined, { queryKey: ["undeclared"] }),
    ];

    push({ topic: "queue.changed", rows: [{ id: "q-1", depth: 2 }, { id: "q-2" }], removed: ["q-3"] });

    expect(mine.items()).toEqual([{ id: "q-1", depth: 2, name: "emails" }, { id: "q-2" }]);
    expect(others.map((one) => one.items()?.length)).toEqual([1, 1, 1]);
    push({ topic: "queue.changed", removed: ["q-1"] });
    expect(mine.items()).toEqual([{ id: "q-2" }]);
    expect([mine, ...others].map((one) => one.reads())).toEqual([1, 1, 1, 1]);
  });

  test("without rows has the query read again", async () => {
    const query = await show(patched);
    push({ topic: "queue.changed", refetch: true });
    await vi.advanceTimersByTimeAsync(0);
    expect(query.reads()).toBe(2);
  });

  test("has a query read if declared, once for all events within its delay", async () => {
    const query = await show({
      project: "shop",
      on: { "queue.changed": { isStale: ({ rows = [] }) => rows.length > 0, delayMs: 1_000 } },
    });
    push({ topic: "queue.changed", refetch: true });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(query.reads()).toBe(1);

    push({ topic: "queue.changed", rows: [{ id: "q-1" }] });
    await vi.advanceTimersByTimeAsync(900);
    push({ topic: "queue.changed", rows: [{ id: "q-1" }] });
    expect(query.reads()).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(query.reads()).toBe(2);
  });

  test("does not cancel a read in flight, and has the query read again after it", async () => {
    const query = await show(patched, { answerMs: 5_000 });
    push({ topic: "queue.changed", refetch: true });
    for (let second = 0; second < 4; second += 1) {
      push({ topic: "queue.changed", refetch: true });
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(query.reads()).toBe(2);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(query.reads()).toBe(3);
  });

  test("only marks a query that is not shown as stale", async () => {
    const query = await show(patched);
    query.hide();
    push({ topic: "queue.changed", refetch: true });
    await vi.advanceTimersByTimeAsync(1_000);
    expect([query.reads(), client.getQueryState(["queues"])?.isInvalidated]).toEqual([1, true]);
  });

  test("keeps the data when it concerns another row", async () => {
    const one = { id: "q-1", depth: 1 };
    client.setQueryData(["one"], one);
    const query = client.getQueryCache().find({ queryKey: ["one"] });
    query?.setOptions({ meta: { live: { project: "shop", on: { "queue.changed": { patch: patchOwnRow } } } } });
    push({ topic: "queue.changed", rows: [{ id: "q-2", depth: 5 }] });
    expect(client.getQueryData(["one"])).toBe(one);
    push({ topic: "queue.changed", rows: [{ id: "q-1", depth: 5 }] });
    expect(client.getQueryData(["one"])).toEqual({ id: "q-1", depth: 5 });
  });
});

test("when the stream opens, declared queries are read again, figures only if stale", async () => {
  const declared = await show(patched, { queryKey: ["declared"], staleTime: 60_000 });
  const fresh = await show({ onResume: "read-if-stale" }, { queryKey: ["fresh"], staleTime: 60_000 });
  const old = await show({ onResume: "read-if-stale" }, { queryKey: ["old"], staleTime: 0 });
  const ignored = await show({ ...patched, onResume: "ignore" }, { queryKey: ["ignored"] });
  const undeclared = await show(undefined, { queryKey: ["undeclared"] });

  resume();
  await vi.advanceTimersByTimeAsync(0);

  expect([declared, fresh, old, ignored, undeclared].map((one) => one.reads())).toEqual([2, 1, 2, 1, 1]);
});
