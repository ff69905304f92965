import { describe, expect, test } from "vitest";
import { type OperationFacts, verdictOf } from "./verdict.ts";

const now = new Date("2026-01-02T03:04:05.000Z");
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
type Command = NonNullable<OperationFacts["command"]>;
const facts = (command: Partial<Command>, more: Partial<OperationFacts> = {}): OperationFacts => ({
  desired: false,
  command: { status: "dispatched", error: null, result: null, dispatched_at: ago(10), completed_at: null, ...command },
  isAgentOnline: true,
  schedule: { is_enabled: true },
  ...more,
});
const confirmed = { schedule: { is_enabled: false } };
const completed = (seconds: number) => ({ status: "completed", completed_at: ago(seconds) });
const of = (given: OperationFacts) => verdictOf(given, now);

describe("an operation", () => {
  test.each<[string, OperationFacts]>([
    ["its command waits for its agent", facts({ status: "pending", dispatched_at: null }, { isAgentOnline: false })],
    ["its command is being carried out, although the scheduler already reports the state", facts({}, confirmed)],
    ["its scheduler has up to 60 seconds to report the state", facts(completed(59))],
  ])("is pending while %s", (_what, given) => {
    expect(of(given)).toBeNull();
  });

  test("succeeds when its command succeeded and its scheduler reports the state", () => {
    expect(of(facts(completed(5), confirmed))).toEqual({ status: "succeeded", error: null, isExecutorLost: false });
  });

  test.each<[string, OperationFacts, string]>([
    ["its command failed", facts({ status: "failed", error: "no such scheduler" }), "no such scheduler"],
    ["its command was cancelled", facts({ status: "cancelled", error: "the agent was revoked" }), "revoked"],
    ["its agent never received the command", facts({ status: "timeout", dispatched_at: null }), "did not receive"],
    ["its scheduler does not report the state in 60 seconds", facts(completed(60)), "60 seconds"],
    ["its schedule was deleted", facts(completed(1), { schedule: undefined }), "no longer exists"],
  ])("fails when %s", (_what, given, error) => {
    expect(of(given)).toMatchObject({ status: "failed", error: expect.stringContaining(error), isExecutorLost: false });
  });

  test.each<[string, OperationFacts]>([
    ["disconnects while it carries out the command", facts({}, { isAgentOnline: false })],
    ["sends no result in time and is offline", facts({ status: "timeout" }, { isAgentOnline: false })],
    ["disconnects before the scheduler reports the state", facts(completed(60), { isAgentOnline: false })],
  ])("is ambiguous, and its executor lost, when its agent %s", (_what, given) => {
    expect(of(given)).toMatchObject({ status: "ambiguous", isExecutorLost: true });
  });

  test.each<[string, OperationFacts]>([
    ["the agent does not know the outcome", facts({ status: "failed", result: '{"outcome":"unknown"}' })],
    ["its command was deleted", facts({}, { command: undefined })],
    ["its agent is online and sends no result in time", facts({ status: "timeout" })],
  ])("is ambiguous when %s", (_what, given) => {
    expect(of(given)).toMatchObject({ status: "ambiguous", isExecutorLost: false });
  });
});
