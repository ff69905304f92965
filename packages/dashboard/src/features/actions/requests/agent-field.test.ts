import { expect, test } from "vitest";
import { requiredAgent } from "./AgentField.tsx";

const a = { id: "a" };
const b = { id: "b" };
const missing = "The chosen agent is offline or can't do this. Choose another";

test("a required agent is the chosen one, or the first by default", () => {
  expect(requiredAgent({ agents: [a, b], reason: null }, "")).toEqual({ agentId: "a", reason: null });
  expect(requiredAgent({ agents: [a, b], reason: null }, "b")).toEqual({ agentId: "b", reason: null });
});

test("a chosen agent that went offline is not replaced: the user chooses again", () => {
  for (const agents of [[a], [a, { id: "c" }]]) {
    expect(requiredAgent({ agents, reason: null }, "b")).toEqual({ agentId: undefined, reason: missing });
    expect(requiredAgent({ agents, reason: null }, "a")).toEqual({ agentId: "a", reason: null });
  }
  expect(requiredAgent({ agents: [], reason: "No agent is online" }, "b").reason).toBe("No agent is online");
});
