import { describe, expect, test } from "vitest";
import { FactsMemory, JobFacts } from "../jobs/job-facts.ts";
import { failureOf, type JobHash, parentOf, readInputs, retriedFromOption } from "../jobs/job-hash.ts";
import { defaultPriorityTable, priorityOf } from "../options.ts";
import { queueNames, queueOfMetaKey, taskIdIn, taskIdOf } from "../redis/names.ts";
import { readEntry, type StreamEntry } from "../stream/stream-entry.ts";
import { taskEventOf } from "./task-events.ts";

const names = queueNames("bull", "emails", "");

function entry(event: string, fields: Record<string, string> = {}, id = "1767323045678-0"): StreamEntry {
  const flat = Object.entries({ event, jobId: "42", ...fields }).flat();
  const read = readEntry([id, flat]);
  if (!read) throw new Error(`${event} is not read`);
  return read;
}

function running(more: Partial<JobFacts> = {}): JobFacts {
  return { ...new JobFacts("bull:emails", "42"), name: "send", starts: 1, attemptsMade: 0, maxAttempts: 3, ...more };
}

const eventOf = (stream: StreamEntry, facts: JobFacts, hash?: JobHash) =>
  taskEventOf(stream, { engine: "bullmq", names, taskId: taskIdOf(names, "42"), facts, hash, inputs: undefined });

describe("an entry that comes from active", () => {
  test("is a retry when the failures in the hash grew", () => {
    const event = eventOf(entry("waiting", { prev: "active" }), running(), { ats: "1", atm: "1", failedReason: "no" });
    expect(event).toMatchObject({ kind: "task.retried", data: { attempt: 0, exception: "no", retry_count: 1 } });
  });

  test("is waiting again when a rate limit pushed it back, even after an earlier failure", () => {
    const pushedBack = running({ attemptsMade: 1, starts: 2 });
    const event = eventOf(entry("waiting", { prev: "active" }), pushedBack, { ats: "2", atm: "1", failedReason: "no" });
    expect(event).toMatchObject({ kind: "task.received", data: { attempt: 2 } });
  });

  test("of a removed job counts as a retry while attempts were left", () => {
    expect(eventOf(entry("waiting", { prev: "active" }), running(), {})?.kind).toBe("task.retried");
    expect(eventOf(entry("waiting", { prev: "active" }), running({ maxAttempts: 1 }), {})?.kind).toBe("task.received");
  });

  test("is not a retry when the hash's last attempt is the end of the job", () => {
    const ended = { ats: "2", atm: "1", finishedOn: "1767323099000", failedReason: "later", stacktrace: '["later"]' };
    expect(eventOf(entry("waiting", { prev: "active" }), running(), ended)?.kind).toBe("task.received");
    expect(eventOf(entry("delayed", { delay: "1767323099000" }), running(), ended)?.kind).toBe("task.sent");
    expect(eventOf(entry("waiting", { prev: "active" }), running(), { ...ended, atm: "2" })?.kind).toBe("task.retried");
  });

  test("is pending again when the job delayed itself", () => {
    const event = eventOf(entry("delayed", { delay: "1767323099000" }), running(), { ats: "1" });
    expect(event).toMatchObject({ kind: "task.sent", data: { attempt: 1, eta: "2026-01-02T03:04:59.000Z" } });
  });
});

describe("an event", () => {
  test("has an id derived from its source and entry, and the time of the entry", () => {
    const event = eventOf(entry("completed", { returnvalue: '{"big":12345678901234567890}' }), running());
    expect(event).toMatchObject({ task_id: "emails:42", occurred_at: "2026-01-02T03:04:05.678Z", engine: "bullmq" });
    expect(event?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
    expect(JSON.stringify(event?.data.result)).toBe('{"big":12345678901234567890}');
  });

  test("never exceeds the attempt in the hash for entries older than the hash", () => {
    const facts = running({ starts: 2, startsWhenRead: 2, readAtMs: 1_767_323_050_000 });
    expect(eventOf(entry("active"), facts)).toMatchObject({ data: { attempt: 1 } });
    expect(eventOf(entry("active", {}, "1767323060000-0"), facts)).toMatchObject({ data: { attempt: 2 } });
  });

  test.each(["drained", "progress", "stalled", "duplicated", "cleaned", "something-new"])(
    "is not made of %s",
    (word) => {
      expect(readEntry(["1-0", ["event", word, "jobId", "1"]])).toBeUndefined();
    },
  );

  test("is not made when a finished job is removed", () => {
    expect(eventOf(entry("removed", { prev: "completed" }), running())).toBeUndefined();
    expect(eventOf(entry("removed", { prev: "wait" }), running({ endedMs: 1 }))).toBeUndefined();
    expect(eventOf(entry("removed", { prev: "delayed" }), running())).toMatchObject({
      kind: "task.revoked",
      data: { attempt: 1 },
    });
  });
});

describe("a job hash", () => {
  test("gives plain objects as kwargs and everything else as the only argument", () => {
    expect(readInputs({ data: '{"a":1}' }, defaultPriorityTable)).toMatchObject({ args: [], kwargs: { a: 1 } });
    for (const [text, value] of [
      ["[1]", [1]],
      ["null", null],
      ['"x"', "x"],
      ["{broken", "{broken"],
    ] as const)
      expect(readInputs({ data: text }, defaultPriorityTable)).toMatchObject({ args: [value], kwargs: undefined });
  });

  test("carries the retried task and the trace", () => {
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const opts = JSON.stringify({ [retriedFromOption]: "emails:7", tm: JSON.stringify({ traceparent }), attempts: 4 });
    expect(readInputs({ data: "{}", opts }, defaultPriorityTable)).toMatchObject({
      retriedFrom: "emails:7",
      traceparent,
      maxAttempts: 4,
    });
  });

  test("with one stack per attempt gives the failure of the requested attempt", () => {
    const hash = {
      atm: "2",
      failedReason: "second",
      stacktrace: JSON.stringify(["Error: first\n at a", "Error: second\n at b"]),
    };
    expect(failureOf(hash, 0)).toEqual({ exception: "first", traceback: "Error: first\n at a" });
    expect(failureOf(hash, 1)).toEqual({ exception: "second", traceback: "Error: second\n at b" });
    expect(failureOf(hash, -1)).toEqual({ exception: "second", traceback: "Error: second\n at b" });
    expect(failureOf({ ...hash, atm: "3", finishedOn: "1" }, 0)).toEqual({
      exception: "first",
      traceback: "Error: first\n at a",
    });
    expect(failureOf({ failedReason: "x", stacktrace: "no JSON" }, -1)).toEqual({
      exception: "x",
      traceback: undefined,
    });
  });

  test("names its flow parent, whatever characters its id has", () => {
    const parent = JSON.stringify({ id: "a:b", queueKey: "bull:orders" });
    expect(parentOf({ parent })).toEqual({ id: "a:b", queueKey: "bull:orders" });
    expect(parentOf({ parentKey: "bull:orders:7" })).toEqual({ id: "7", queueKey: "bull:orders" });
    expect(parentOf({})).toBeUndefined();
  });
});

describe("names", () => {
  test("start with the namespace and a prefix other than the default", () => {
    expect(taskIdOf(queueNames("bull", "emails", ""), "1")).toBe("emails:1");
    expect(taskIdOf(queueNames("app:jobs", "emails", ""), "1")).toBe("app:jobs:emails:1");
    expect(taskIdIn("bull:emails", "1", "eu")).toBe("eu/emails:1");
  });

  test("distinguish a queue of this prefix from one of a longer prefix", () => {
    expect(queueOfMetaKey("bull:emails:meta", "bull")).toBe("emails");
    expect(queueOfMetaKey("bull:app:emails:meta", "bull")).toBeUndefined();
    expect(queueOfMetaKey("bull:app:emails:meta", "bull:app")).toBe("emails");
  });

  test.each([
    [0, "normal"],
    [1, "critical"],
    [2, "high"],
    [50, "normal"],
    [2_000_000, "low"],
  ])("priority %i is %s", (number, priority) => {
    expect(priorityOf(number, defaultPriorityTable)).toBe(priority);
  });
});

describe("the memory of facts", () => {
  test("stays within its capacity and evicts the least recently used", () => {
    const memory = new FactsMemory(1000);
    memory.set("kept", running());
    for (let n = 0; n < 3000; n += 1) {
      memory.set(`job-${n}`, running());
      memory.get("kept");
    }
    expect(memory.size).toBe(1000);
    expect(memory.get("kept")).toBeDefined();
    expect(memory.get("job-0")).toBeUndefined();
  });

  test("forgets one queue and returns its unfinished tasks", () => {
    const memory = new FactsMemory(1000);
    memory.set("emails:1", running());
    memory.set("emails:2", running({ endedMs: 1 }));
    memory.set("other:1", { ...new JobFacts("bull:other", "1") });
    expect(memory.forget("bull:emails").length).toBe(1);
    expect(memory.size).toBe(1);
  });
});
