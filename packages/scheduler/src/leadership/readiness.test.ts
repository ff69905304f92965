import { expect, test } from "vitest";
import { createReadiness } from "./readiness.ts";

/** Events are counted: 1 is the begin of the first snapshot. */
function started(projects: string[]) {
  const state = { ledSince: null as number | null, snapshotBegan: null as number | null, requests: 0, changes: 0 };
  const readiness = createReadiness({
    leadership: { ledSince: () => state.ledSince, isLeader: () => state.ledSince !== null },
    projectIds: () => projects,
    snapshotBegan: () => state.snapshotBegan,
    requestSnapshot: () => {
      state.requests += 1;
    },
    onChange: () => {
      state.changes += 1;
    },
  });
  return { state, readiness };
}

test("a snapshot that began before leadership makes nothing ready, the requested one does, and both are noted", () => {
  const { state, readiness } = started(["p1"]);
  state.ledSince = 2;
  readiness.onLeadership();
  expect(state).toMatchObject({ requests: 1, changes: 1 });
  state.snapshotBegan = 1;
  readiness.onSnapshot();
  expect([readiness.isReady("p1"), state.changes]).toEqual([false, 2]);
  state.snapshotBegan = 3;
  readiness.onSnapshot();
  expect([readiness.isReady("p1"), state.changes]).toEqual([true, 3]);
  state.snapshotBegan = 4;
  readiness.onSnapshot();
  expect(state).toMatchObject({ requests: 1, changes: 3 });
});

test("a leader without projects takes a snapshot too, a standby does not", () => {
  const { state, readiness } = started([]);
  readiness.onLeadership();
  expect(state.requests).toBe(0);
  state.ledSince = 2;
  readiness.onLeadership();
  expect(state.requests).toBe(1);
});
