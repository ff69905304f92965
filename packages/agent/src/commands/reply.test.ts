import { canonicalText, createRedactor, rawJson } from "@svc/protocol";
import { describe, expect, test } from "vitest";
import type { BufferEntry } from "../buffer/entry.ts";
import type { CommandOutcome } from "./command.ts";
import { ackEntry, encodeOutcome, resultEntry, shortenOutcome, smallerResult } from "./reply.ts";

const redactor = createRedactor();

function sent(outcome: CommandOutcome, token: string | null = null): Record<string, unknown> {
  return JSON.parse(resultEntry("c", encodeOutcome(outcome, redactor), token).payload);
}

function buffered(outcome: CommandOutcome, token: string | null): BufferEntry {
  return { ...resultEntry("c", encodeOutcome(outcome, redactor), token), seq: 1 };
}

describe("a result", () => {
  test.each([
    { status: "success" },
    { status: "success", result: { task_id: "é✓", new_task_id: 'a"b' } },
    { status: "failed", error: "no" },
    { status: "failed", error: "no", result: { results: [] } },
    { status: "failed", error: "no", outcome: "unknown" },
  ] as const)("%j is canonical with and without a token", (outcome) => {
    for (const token of [null, 'to"ken\\', "é"]) {
      const { payload, sizeBytes, type, frameId } = resultEntry("c", encodeOutcome(outcome, redactor), token);

      const whole = { ...outcome, ...(token === null ? {} : { delivery_claim_token: token }) };
      expect(payload).toBe(canonicalText(whole));
      expect({ type, frameId, sizeBytes }).toEqual({
        type: "command_result",
        frameId: "c",
        sizeBytes: Buffer.byteLength(payload),
      });
    }
  });

  test("that fits no frame becomes a failure with an explanation", () => {
    expect(sent({ status: "success", result: { text: "x ".repeat(400_000) } }, "t")).toEqual({
      status: "failed",
      error: "the command finished with success, but its result of 800041 bytes is too large to send",
      outcome: "unknown",
      delivery_claim_token: "t",
    });
    const result = { text: "x ".repeat(400_000) };
    expect(sent({ status: "failed", error: "no", result })).not.toHaveProperty("outcome");
    expect(sent({ status: "failed", error: "no", outcome: "unknown", result })).toMatchObject({ outcome: "unknown" });
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  test.each([
    ["a cycle", cycle],
    ["a number that is NaN", { depth: Number.NaN }],
    [
      "a getter that throws",
      {
        get task_id(): string {
          throw new Error("no");
        },
      },
    ],
  ])("with %s becomes a failure with an explanation", (_, result) => {
    expect(sent({ status: "success", result })).toEqual({
      status: "failed",
      error: "the command finished with success, but its result is not JSON and cannot be sent",
      outcome: "unknown",
    });
  });

  test("has no secret in engine texts, and unchanged ids", () => {
    const secret = "Bearer abcdefghijklmnop1234";
    const result = {
      entries: [{ task_id: "mail:ada@example.org", error_excerpt: `${"x".repeat(600)} ${secret}` }],
      results: [{ task_id: "1", status: "failed", error: secret }],
      exception: "no secret",
    };

    expect(sent({ status: "success", result }).result).toEqual({
      entries: [{ task_id: "mail:ada@example.org", error_excerpt: "[REDACTED]" }],
      results: [{ task_id: "1", status: "failed", error: "[REDACTED]" }],
      exception: "no secret",
    });
  });

  test("may contain dates, and numbers that keep their digits", () => {
    const result = { finished_at: new Date(0), purged: rawJson("9007199254740993") };

    expect(encodeOutcome({ status: "success", result }, redactor)).toBe(
      '{"result":{"finished_at":"1970-01-01T00:00:00.000Z","purged":9007199254740993},"status":"success"}',
    );
  });

  test("of a dead letter keeps the last 512 characters of the failure, cut before redaction", () => {
    const entries = [{ error_excerpt: `ada@example.org ${"b".repeat(512)}` }];

    expect(sent({ status: "success", result: { entries } }).result).toEqual({
      entries: [{ error_excerpt: "b".repeat(512) }],
    });
  });

  test("that failed has no secret in its error, of which 8192 characters are sent", () => {
    expect(sent({ status: "failed", error: "cannot reach redis://user:hunter2@localhost:6379" }).error).toBe(
      "[REDACTED]",
    );
    expect(sent({ status: "failed", error: "x ".repeat(8_000) }).error).toBe("x ".repeat(4_096));
  });
});

test("an ack carries its token and nothing else", () => {
  expect(ackEntry("c", "t")).toEqual({
    type: "command_ack",
    frameId: "c",
    records: 0,
    payload: '{"delivery_claim_token":"t"}',
    sizeBytes: 28,
  });
  expect(ackEntry("c", null).payload).toBe("{}");
});

test("an outcome that is shortened keeps its status and 200 characters of its error", () => {
  const success = encodeOutcome({ status: "success", result: { task_id: "1" } }, redactor);
  const failure = encodeOutcome({ status: "failed", error: "x ".repeat(300), result: { results: [] } }, redactor);

  expect(shortenOutcome(success)).toBe('{"status":"success"}');
  expect(JSON.parse(shortenOutcome(failure))).toEqual({ status: "failed", error: "x ".repeat(100) });
  const unknown = { status: "failed", error: "no", outcome: "unknown" } as const;
  expect(JSON.parse(shortenOutcome(encodeOutcome(unknown, redactor)))).toEqual(unknown);
});

describe("on a connection with a lower limit", () => {
  test("a result becomes a failure with an explanation, with its token", () => {
    const entry = buffered({ status: "success", result: { text: "x ".repeat(10_000) } }, "t");

    const smaller = smallerResult(entry);

    expect(smaller).toMatchObject({ type: "command_result", frameId: "c" });
    expect(JSON.parse(smaller?.payload ?? "")).toEqual({
      status: "failed",
      error: `the command finished with success, but its result of ${entry.sizeBytes} bytes is larger than the connection to the service allows`,
      outcome: "unknown",
      delivery_claim_token: "t",
    });
  });

  test("so does a result without token", () => {
    const smaller = smallerResult(buffered({ status: "failed", error: "x ".repeat(2_000) }, null));

    expect(JSON.parse(smaller?.payload ?? "")).toEqual({
      status: "failed",
      error: expect.stringMatching(/^the command finished with failed, but/),
    });
    const unknown = smallerResult(buffered({ status: "failed", error: "x ".repeat(2_000), outcome: "unknown" }, null));
    expect(JSON.parse(unknown?.payload ?? "")).toMatchObject({ outcome: "unknown" });
  });

  test("a small result, and a frame that is not a result, is dropped", () => {
    expect(smallerResult(buffered({ status: "success" }, "t"))).toBeUndefined();
    expect(smallerResult({ ...ackEntry("c", "t"), seq: 1 })).toBeUndefined();
  });
});
