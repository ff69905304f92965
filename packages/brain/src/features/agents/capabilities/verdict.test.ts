import { describe, expect, test } from "vitest";
import { type CommandNeeds, fitnessOf, obstacleOf, obstaclesOf, reachOf } from "./verdict.ts";

const retry = { action: "retry_task", engine: "rq", hasInputs: false };
const cancel = { action: "cancel_task", engine: "rq", hasInputs: false };
const poll = (...engines: string[]) => ({ retryContracts: new Set(engines) });

describe("What a session lacks for a command", () => {
  test.each<[string, Record<string, string[]>, CommandNeeds, string[]]>([
    ["nothing", { rq: ["cancel_task"] }, cancel, []],
    ["the engine", { bullmq: ["cancel_task"] }, cancel, ["engine_not_advertised"]],
    ["an engine with a name of every object", {}, { ...cancel, engine: "constructor" }, ["engine_not_advertised"]],
    ["the capability", { rq: ["retry_task"] }, cancel, ["capability_missing"]],
    ["the contract", { rq: ["retry_task"] }, retry, ["retry_contract_missing"]],
    ["both", { rq: [] }, retry, ["capability_missing", "retry_contract_missing"]],
    ["nothing with the contract", { rq: ["retry_task", "retry_by_reference_v1"] }, retry, []],
    ["inputs", { rq: ["retry_task", "retry_by_reference_v1", "retry_resubmits"] }, retry, ["overrides_required"]],
    ["nothing with inputs", { rq: ["retry_task", "retry_resubmits"] }, { ...retry, hasInputs: true }, []],
    ["the capability of any engine", { bullmq: ["cancel_task"] }, { ...cancel, engine: null }, []],
  ])("is %s", (_what, capabilities, needs, lacking) => {
    expect(obstaclesOf(reachOf(capabilities), needs)).toEqual(lacking);
  });
});

describe("The obstacle of an agent", () => {
  test.each<[string, Record<string, string[]>[], CommandNeeds, string | null]>([
    ["is that it is offline without a session", [], cancel, "agent_offline"],
    ["is none while one of its sessions is eligible", [{}, { rq: ["cancel_task"] }], cancel, null],
    ["is that of its nearest session", [{}, { rq: [] }], cancel, "capability_missing"],
    [
      "is the lack of inputs while a session would submit again",
      [{ rq: ["retry_task", "retry_by_reference_v1"] }, { rq: ["retry_task", "retry_resubmits"] }],
      retry,
      "overrides_required",
    ],
  ])("%s", (_name, sessions, needs, obstacle) => {
    expect(obstacleOf(sessions, needs)).toBe(obstacle);
  });
});

describe("A session that asks for work", () => {
  test("is the last choice for what it serves without the capability, and never without the contract", () => {
    expect(fitnessOf(cancel, reachOf({ rq: ["cancel_task"] }))).toBe("eligible");
    expect(fitnessOf(cancel, reachOf({ rq: [] }))).toBe("fallback");
    expect(fitnessOf(cancel, reachOf({}))).toBe("ineligible");
    expect(fitnessOf(retry, reachOf({ rq: [] }))).toBe("ineligible");
  });

  test("is given retries by its contracts alone when it polls, and of several tasks never to be submitted again", () => {
    expect(fitnessOf(cancel, poll())).toBe("eligible");
    expect(fitnessOf(retry, poll("rq"))).toBe("eligible");
    expect(fitnessOf(retry, poll("bullmq"))).toBe("ineligible");
    const resubmits = { ...poll(), resubmits: new Set(["rq"]) };
    expect(fitnessOf(retry, resubmits)).toBe("eligible");
    expect(fitnessOf({ ...retry, action: "bulk_retry" }, resubmits)).toBe("ineligible");
  });
});
