import type { BulkRetryRequest, Command } from "@svc/client";
import { expect, test } from "vitest";
import { mergedList } from "./merged-list.ts";

const at = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, "0")}:00.000Z`;
const commands = (...minutes: number[]) => minutes.map((one) => ({ id: `c${one}`, issued_at: at(one) }) as Command);
const retries = (...minutes: number[]) =>
  minutes.map((one) => ({ id: `b${one}`, created_at: at(one) }) as BulkRetryRequest);
const merged = (
  [ofCommands, moreCommands]: [Command[], boolean],
  [ofRetries, moreRetries]: [BulkRetryRequest[], boolean],
) => {
  const list = mergedList({ rows: ofCommands, hasMore: moreCommands }, { rows: ofRetries, hasMore: moreRetries });
  return [list.entries.map(({ key }) => key).join(" "), list.next.commands, list.next.bulkRetries];
};

test("commands and bulk retries are one list, newest first", () => {
  expect(merged([commands(9, 5, 1), false], [retries(8, 3), false])).toEqual(["c9 b8 c5 b3 c1", false, false]);
  expect(merged([[], false], [[], false])).toEqual(["", false, false]);
});

test("the list ends where the shorter one does, which is loaded next", () => {
  expect(merged([commands(9, 5), true], [retries(8, 3), false])).toEqual(["c9 b8 c5", true, false]);
  expect(merged([commands(9, 5, 1), true], [retries(8, 3), true])).toEqual(["c9 b8 c5 b3", false, true]);
  expect(merged([commands(9, 5), true], [retries(8, 5), true])).toEqual(["c9 b8 c5 b5", true, true]);
});
