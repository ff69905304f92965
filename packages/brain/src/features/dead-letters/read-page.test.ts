import { createRedactor, parseJson } from "@svc/protocol";
import { describe, expect, test } from "vitest";
import { readPage } from "./read-page.ts";

const redactor = createRedactor();
const read = (result: unknown, limit = 10) => readPage(result, { engine: "bullmq", limit, redactor });
const entry = (more: object = {}) => ({
  task_id: "mail:7",
  task_name: "mail",
  queue: "emails",
  failed_at: "2026-04-01T10:00:00Z",
  error_excerpt: "timed out",
  attempts: 3,
  ...more,
});
const page = (entries: unknown, more: object = {}) => ({
  entries,
  next_cursor: null,
  total: 1,
  engine: "bullmq",
  ...more,
});
const first = (more: object) => read(page([entry(more)]))?.entries[0];

describe("a page of dead letters", () => {
  test("is returned as the agent sent it", () => {
    expect(read(page([entry()], { next_cursor: "c1" }))).toEqual({
      entries: [entry({ failed_at: "2026-04-01T10:00:00.000Z" })],
      next_cursor: "c1",
      total: 1,
      engine: "bullmq",
    });
  });

  test("may contain only the total", () => {
    expect(read({ entries: [], total: 12, engine: "bullmq" })).toEqual({
      entries: [],
      next_cursor: null,
      total: 12,
      engine: "bullmq",
    });
  });

  test("may lack what the engine does not record", () => {
    const bare = { task_id: "t", queue: "q" };
    const empty = { ...bare, task_name: "", failed_at: null, error_excerpt: "", attempts: null };
    const expected = { ...bare, task_name: null, failed_at: null, error_excerpt: null, attempts: null };
    expect(read(page([bare, empty], { total: null }))).toMatchObject({ entries: [expected, expected], total: null });
  });

  test.each([
    ["task_name", 7],
    ["failed_at", "yesterday"],
    ["error_excerpt", { text: "x" }],
    ["attempts", -1],
    ["attempts", 1.5],
    ["attempts", "3"],
  ])("leaves out a %s that is %j", (name, value) => {
    expect(first({ [name]: value })).toMatchObject({ [name]: null });
  });

  test.each<[string, unknown]>([
    ["nothing", null],
    ["a list", []],
    ["text", "entries"],
    ["without entries", { engine: "bullmq", total: 0 }],
    ["with entries that are no list", page({ 0: entry() })],
    ["with an entry that is none", page([null])],
    ["with an entry without id", page([entry({ task_id: "" })])],
    ["with an id of another type", page([entry({ task_id: 7 })])],
    ["with an id that no task has", page([entry({ task_id: "x".repeat(201) })])],
    ["with an entry without queue", page([entry({ queue: null })])],
    ["with more entries than requested", page(Array.from({ length: 11 }, () => entry()))],
    ["of another engine", page([], { engine: "celery" })],
    ["without engine", page([], { engine: undefined })],
    ["with a cursor of another type", page([], { next_cursor: 7 })],
    ["with an empty cursor", page([], { next_cursor: "" })],
    ["with a cursor that cannot come back", page([], { next_cursor: "c".repeat(2049) })],
    ["with a total that is no count", page([], { total: -1 })],
    ["with a total of another type", page([], { total: "12" })],
  ])("is not an answer that is %s", (_what, result) => {
    expect(read(result)).toBeNull();
  });

  test("contains the last 512 characters of the failure, with secrets redacted", () => {
    const long = `${"😀".repeat(600)}the end`;
    const shown = first({ error_excerpt: long })?.error_excerpt ?? "";
    expect([Array.from(shown).length, shown.endsWith("😀the end"), shown.isWellFormed()]).toEqual([512, true, true]);
    expect(first({ error_excerpt: "failed with sk_live_4eC39HqLyjWDarjtT1zdp7dc" })?.error_excerpt).toBe("[REDACTED]");
  });

  test("contains only storable text, cut to the length of its columns", () => {
    expect(first({ task_name: `a\u0000${"n".repeat(600)}`, queue: `\ud83d${"q".repeat(300)}` })).toMatchObject({
      task_name: `a\ufffd${"n".repeat(498)}`,
      queue: `\ufffd${"q".repeat(199)}`,
    });
  });

  test("reads a number that is kept as its digits", () => {
    const total = (text: string) => read(parseJson(`{"entries":[],"engine":"bullmq","total":${text}}`));
    expect([total("12.0")?.total, total("9007199254740993")]).toEqual([12, null]);
  });
});
