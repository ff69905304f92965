import { describe, expect, test } from "vitest";
import { createSlots, type Slot } from "./connections.ts";

function slot(agentId: string, workerId: string | null, closed: number[] = [], projectId = "p"): Slot {
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

describe("connection slots", () => {
  test("a reconnect of the same worker displaces the older connection with 4002", () => {
    const slots = createSlots(64);
    const closed: number[] = [];
    const older = slot("a", "w1", closed);
    const newer = slot("a", "w1");
    expect([slots.register(older), slots.register(newer)]).toEqual([true, true]);
    expect(closed).toEqual([4002]);
    expect(slots.unregister(older)).toBe(false);
    expect(slots.ofAgent("a")).toEqual([newer]);
  });

  test("a missing worker id is one slot of its own", () => {
    const slots = createSlots(64);
    slots.register(slot("a", null));
    slots.register(slot("a", "w1"));
    expect(slots.ofAgent("a")).toHaveLength(2);
  });

  test("refuses a further worker over the cap, and none when the cap is 0", () => {
    const capped = createSlots(1);
    expect([capped.register(slot("a", "w1")), capped.register(slot("a", "w2"))]).toEqual([true, false]);
    const open = createSlots(0);
    expect([open.register(slot("a", "w1")), open.register(slot("a", "w2"))]).toEqual([true, true]);
  });

  test("closes all connections of an agent or of a project and no others", () => {
    const slots = createSlots(64);
    const first: number[] = [];
    const second: number[] = [];
    slots.register(slot("a", "w1", first, "p1"));
    slots.register(slot("b", "w1", second, "p2"));
    slots.closeAgent("a", 4003, "revoked");
    slots.closeProject("p2", 4003, "archived");
    expect([first, second]).toEqual([[4003], [4003]]);
  });
});
