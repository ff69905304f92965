import { describe, expect, test } from "vitest";
import { capabilityOfAction, commandActions, idempotentActions, redeliverableActions } from "./commands/actions.ts";
import { closeReaction } from "./frames/close-codes.ts";
import {
  capabilityTokens,
  eventKinds,
  isTaskKind,
  schedulerCapabilityTokens,
  stateOfKind,
  taskKinds,
} from "./vocabulary.ts";

describe("kinds", () => {
  test("are in the order of their rank", () => {
    expect(taskKinds.map((kind) => stateOfKind[kind])).toEqual([
      ...["pending", "received", "started", "retry", "rejected", "revoked", "failure", "success"],
    ]);
  });

  test("are nineteen, and the task kinds start with task.", () => {
    expect(new Set(eventKinds).size).toBe(19);
    expect(eventKinds.filter(isTaskKind)).toEqual(eventKinds.filter((kind) => kind.startsWith("task.")));
  });
});

describe("close codes", () => {
  test.each([
    [1000, "transient"],
    [1009, "transient"],
    [1011, "transient"],
    [4002, "transient"],
    [4003, "auth"],
    [4400, "protocol"],
    [4401, "auth"],
    [4403, "auth"],
    [4408, "transient"],
    [4426, "protocol"],
    [4427, "protocol"],
    [4429, "transient"],
    [4999, "transient"],
  ])("%i causes the reaction %s", (code, reaction) => {
    expect(closeReaction(code)).toBe(reaction);
  });
});

describe("actions", () => {
  test("need a capability that adapters can list", () => {
    const tokens: readonly string[] = [...capabilityTokens, ...schedulerCapabilityTokens];
    for (const action of commandActions) expect(tokens).toContain(capabilityOfAction[action]);
    for (const action of redeliverableActions) expect(commandActions).toContain(action);
    // A service that does not send them again would not expect a repetition.
    for (const action of idempotentActions) expect(redeliverableActions).toContain(action);
  });
});
