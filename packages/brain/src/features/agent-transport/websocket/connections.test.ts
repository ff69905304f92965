import { describe, expect, test } from "vitest";
import { type AgentConnection, Connections } from "./connections.ts";

function fakeConnection(
  agentId: string,
  workerId: string | null,
  closed: number[] = [],
  projectId = "p",
): AgentConnection {
  return {
    agentId,
    projectId,
    workerId,
    connectedAt: new Date(0),
    capabilities: {},
    canTake: () => true,
    deliver: async () => "sent",
    lastActiveMs: () => 0,
    close: (code) => closed.push(code),
  };
}

describe("the connections of a process", () => {
  test("a reconnect of the same worker displaces the older connection with 4002", () => {
    const connections = new Connections(64);
    const closed: number[] = [];
    const older = fakeConnection("a", "w1", closed);
    const newer = fakeConnection("a", "w1");
    expect([connections.register(older), connections.register(newer)]).toEqual([true, true]);
    expect(closed).toEqual([4002]);
    expect(connections.unregister(older)).toBe(false);
    expect(connections.ofAgent("a")).toEqual([newer]);
  });

  test("a missing worker id is a connection of its own", () => {
    const connections = new Connections(64);
    connections.register(fakeConnection("a", null));
    connections.register(fakeConnection("a", "w1"));
    expect(connections.ofAgent("a")).toHaveLength(2);
  });

  test("refuses a further worker over the cap, and none when the cap is 0", () => {
    const capped = new Connections(1);
    expect([capped.register(fakeConnection("a", "w1")), capped.register(fakeConnection("a", "w2"))]).toEqual([
      true,
      false,
    ]);
    const open = new Connections(0);
    expect([open.register(fakeConnection("a", "w1")), open.register(fakeConnection("a", "w2"))]).toEqual([true, true]);
  });

  test("closes all connections of an agent or of a project and no others", () => {
    const connections = new Connections(64);
    const first: number[] = [];
    const second: number[] = [];
    connections.register(fakeConnection("a", "w1", first, "p1"));
    connections.register(fakeConnection("b", "w1", second, "p2"));
    connections.closeAgent("a", 4003, "revoked");
    connections.closeProject("p2", 4003, "archived");
    expect([first, second]).toEqual([[4003], [4003]]);
  });
});
