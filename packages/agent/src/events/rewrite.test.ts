import { canonicalizeText } from "@svc/protocol";
import { expect, test } from "vitest";
import type { BufferEntry } from "../buffer/entry.ts";
import { splitBatch, withoutUnsequencedSchedules } from "./rewrite.ts";

function entryOf(events: string[]): BufferEntry {
  const payload = canonicalizeText(`{"events":[${events.join(",")}],"sealed_at":"2026-01-01T00:00:00.000Z"}`);
  const sizeBytes = Buffer.byteLength(payload);
  return { seq: 1, type: "event_batch", frameId: "ev_1", records: events.length, payload, sizeBytes };
}

test("halves keep the order, the sealing time and every digit of a number", () => {
  const entry = entryOf(['{"n":1}', '{"n":12345678901234567890123}', '{"n":1e+300}']);

  const halves = splitBatch(entry);

  expect(halves?.map(({ payload, records }) => [payload, records])).toEqual([
    ['{"events":[{"n":1},{"n":12345678901234567890123}],"sealed_at":"2026-01-01T00:00:00.000Z"}', 2],
    ['{"events":[{"n":1e+300}],"sealed_at":"2026-01-01T00:00:00.000Z"}', 1],
  ]);
  expect(halves?.every(({ payload, sizeBytes }) => Buffer.byteLength(payload) === sizeBytes)).toBe(true);
});

test("neither a single event nor a command reply can be split", () => {
  expect(splitBatch(entryOf(["{}"]))).toBeUndefined();
  expect(splitBatch({ ...entryOf(["{}", "{}"]), type: "command_result" })).toBeUndefined();
});

const created = (data: string) => `{"data":${data},"kind":"schedule.created"}`;

test("schedule events without a complete stream position are removed, the rest stays", () => {
  const kept = [created('{"stream":{"epoch":1,"sequence":2}}'), '{"data":{},"kind":"task.sent"}'];
  const entry = entryOf([created("{}"), kept[0] ?? "", created('{"stream":{"epoch":1}}'), kept[1] ?? ""]);

  const stripped = withoutUnsequencedSchedules(entry);

  expect(stripped?.removed).toBe(2);
  expect(stripped?.rest.map(({ payload }) => JSON.parse(payload))).toEqual([
    { events: kept.map((text) => JSON.parse(text)), sealed_at: "2026-01-01T00:00:00.000Z" },
  ]);
});

test("a batch of nothing else leaves no entry, and one without them is not touched", () => {
  expect(withoutUnsequencedSchedules(entryOf([created("{}")]))).toEqual({ rest: [], removed: 1 });
  expect(withoutUnsequencedSchedules(entryOf(['{"data":{},"kind":"task.sent"}']))).toBeUndefined();
  expect(withoutUnsequencedSchedules(entryOf([created('{"stream":{"epoch":1,"sequence":2}}')]))).toBeUndefined();
});
