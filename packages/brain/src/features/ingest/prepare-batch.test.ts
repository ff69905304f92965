import { createRedactor } from "@svc/protocol";
import { createFakeClock } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { createPreparer } from "./prepare-batch.ts";

const frameTs = "2026-01-02T03:04:05.000Z";
const prepare = createPreparer({
  clock: createFakeClock(frameTs),
  redactor: createRedactor(),
  eventRetentionDays: 30,
});

/** Payload and projected values of one event with this data. */
function prepared(data: Record<string, unknown>, kind = "task.failed") {
  const record = { kind, engine: "bullmq", task_id: "t", occurred_at: frameTs, data };
  const { events } = prepare({ projectId: "p", agentId: "a", frameTs, events: [record] });
  const [event] = events;
  return { payload: JSON.parse(event?.payload ?? "null"), task: event?.task };
}

describe("the failure of an event", () => {
  const traceback = "TypeError: x is not a function\n    at charge (/srv/app/charge.js:4:2)";
  const whole = "TypeError: x is not a function";

  test.each(["task.failed", "task.retried", "task.rejected"])(
    "has class and message in the payload and in the row, of %s",
    (kind) => {
      const { payload, task } = prepared({ attempt: 1, exception: "x is not a function", traceback }, kind);
      expect(payload).toEqual({ attempt: 1, exception: whole, traceback });
      expect(task?.exception).toBe(whole);
    },
  );

  test("has the message that is carried next to a class", () => {
    const { payload, task } = prepared({ exception: "TypeError", exception_message: "x is not a function" });
    expect(payload).toEqual({ exception: whole, exception_message: "x is not a function" });
    expect(task?.exception).toBe(whole);
  });

  test("has one fingerprint, whatever part of it is reported, except for its numbers", () => {
    const prints = [
      prepared({ exception: "card refused for order 679" }),
      prepared({ exception: "card refused for order 680" }),
      prepared({ exception_message: "card refused for order 12345678" }),
    ];
    expect(new Set(prints.map(({ task }) => task?.fingerprint)).size).toBe(1);
  });

  test("is unchanged in events without a failure, and where it is not a text", () => {
    expect(prepared({ exception: "lost", traceback }, "task.succeeded").payload).toEqual({
      exception: "lost",
      traceback,
    });
    expect(prepared({ exception: { code: 5 }, traceback }).payload).toEqual({ exception: { code: 5 }, traceback });
  });
});
