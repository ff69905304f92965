import { expect, test } from "vitest";
import { requiredAgent } from "./AgentField.tsx";

const a = { id: "a" };
const b = { id: "b" };
const gone = "The chosen agent has gone or cannot do this: choose one";

test("a request that must name an agent names the chosen one, and the first while none is chosen", () => {
  expect(requiredAgent({ agents: [a, b], reason: null }, "")).toEqual({ agentId: "a", reason: null });
  expect(requiredAgent({ agents: [a, b], reason: null }, "b")).toEqual({ agentId: "b", reason: null });
});

test("it names no other for the chosen one that has gone, but waits for another choice", () => {
  for (const agents of [[a], [a, { id: "c" }]]) {
    expect(requiredAgent({ agents, reason: null }, "b")).toEqual({ agentId: undefined, reason: gone });
    expect(requiredAgent({ agents, reason: null }, "a")).toEqual({ agentId: "a", reason: null });
  }
  expect(requiredAgent({ agents: [], reason: "No agent is online" }, "b").reason).toBe("No agent is online");
});
