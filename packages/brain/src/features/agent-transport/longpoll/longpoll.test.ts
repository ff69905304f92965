import { createSigner, type Frame } from "@svc/protocol";
import { createFakeClock, waitFor } from "@svc/testkit";
import { rawEvents, spoilt } from "@svc/testkit/raw-agent";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../../platform/http/error-codes.ts";
import type { Log } from "../../../platform/log.ts";
import { createAgentLogs } from "../agent-logs.ts";
import type { FrameOutcome } from "../dispatch.ts";
import { createLongpoll, type LongpollDeps } from "./longpoll.ts";
import { SessionRegistry } from "./session-registry.ts";

const secret = new Uint8Array(32).fill(7);
const identity = {
  agent_id: "11111111-2222-4333-8444-000000000001",
  project_id: "11111111-2222-4333-8444-000000000002",
  name: "agent",
  project_is_active: true,
};
const nonce = "nonce";
const confirmed: FrameOutcome = { kind: "confirmed" };

/** Long-poll without HTTP, with storage and ingest capacity that the test controls. */
function build(changes: Partial<LongpollDeps> = {}) {
  const clock = createFakeClock(new Date());
  const said: { event: string; frames: unknown }[] = [];
  const log: Log = {
    debug() {},
    info() {},
    warn: (event, fields) => void said.push({ event, frames: fields?.frames ?? fields?.times }),
    error() {},
    child: () => log,
  };
  const registry = new SessionRegistry({ clock, secretOf: () => secret });
  const handled: Frame["type"][] = [];
  const { dispatch = async () => confirmed, ...rest } = changes;
  const longpoll = createLongpoll({
    agentLogs: createAgentLogs({ clock, log }),
    announce() {},
    claim: async () => [],
    unsigned: async () => {},
    clock,
    dispatch(source, frame, text) {
      handled.push(frame.type);
      return dispatch(source, frame, text);
    },
    log,
    polled: async () => {},
    probed: async () => {},
    registry,
    admissionStatus: async () => "admitted",
    uploaded: async () => {},
    verified: () => {},
    waitForWork: async () => "over",
    wakePolls: () => {},
    whenIngestHasCapacity: () => null,
    ...rest,
  });
  const session = { agentId: identity.agent_id, projectId: identity.project_id, sessionId: nonce };
  const { sign } = createSigner({ secret, session, now: () => clock.now() });
  const heartbeat = () => sign("heartbeat", {}, "hb_1");
  const batch = () => sign("event_batch", { events: rawEvents(1) }, "ev_1");
  const disconnected = new AbortController();
  const upload = (...frames: string[]) =>
    longpoll.upload(identity, nonce, frames, disconnected.signal).catch((error: unknown) => {
      if (error instanceof ApiError) return error;
      throw error;
    });
  const poll = () =>
    longpoll.poll(identity, nonce, {
      waitSeconds: 30,
      maxFrames: 10,
      reach: { retryContracts: new Set() },
      signal: disconnected.signal,
    });
  return { clock, said, registry, handled, heartbeat, batch, upload, poll, hangUp: () => disconnected.abort() };
}

describe("a long-poll upload", () => {
  test("ends at a heartbeat of a revoked agent: frames after it are not judged", async () => {
    const { batch, handled, heartbeat, upload } = build({
      dispatch: async (_source, { type }) => (type === "heartbeat" ? { kind: "revoked" } : confirmed),
    });
    const answer = await upload(batch(), heartbeat(), batch(), "no frame");
    expect(answer).toMatchObject({
      code: "unauthenticated",
      details: { accepted: 1, rejected: 3, errors: [], error_code: null },
    });
    expect(handled).toEqual(["event_batch", "heartbeat"]);
  });

  test("passes on one frame at a time while ingest is full", async () => {
    const waiting: (() => void)[] = [];
    const { batch, handled, upload } = build({
      whenIngestHasCapacity: () => new Promise((resolve) => waiting.push(resolve)),
    });
    const uploading = upload(batch(), batch());
    for (const frames of [0, 1]) {
      await waitFor(() => waiting.length > 0);
      expect(handled).toHaveLength(frames);
      waiting.shift()?.();
    }
    expect(await uploading).toMatchObject({ accepted: 2 });
  });

  test("of a client that disconnects while ingest is full is not judged further, so that no stale frame ends the session", async () => {
    const { promise: capacity, resolve: open } = Promise.withResolvers<void>();
    const capacities = [null, capacity];
    const { batch, clock, handled, hangUp, upload } = build({
      whenIngestHasCapacity: () => capacities.shift() ?? null,
    });
    const uploading = upload(batch(), batch());
    await waitFor(() => capacities.length === 0);
    clock.advance(61_000);
    hangUp();
    open();
    expect(await uploading).toMatchObject({ accepted: 1, rejected: 1 });
    expect(await upload(batch())).toMatchObject({ accepted: 1 });
    expect(handled).toHaveLength(2);
  });

  test.each([
    ["invalidated the session", "conflict", { reason: "session_invalidated" }],
    ["continued while the agent was revoked", "unauthenticated", {}],
  ] as const)("that waited for one which %s takes nothing", async (what, code, details) => {
    const { promise: gate, resolve: open } = Promise.withResolvers<FrameOutcome>();
    const { batch, handled, registry, upload } = build({ dispatch: () => gate });
    const isInvalidating = what.startsWith("invalidated");
    const first = isInvalidating ? upload(batch(), spoilt(batch())) : upload(batch());
    const second = upload(batch());
    await waitFor(() => handled.length === 1);
    if (!isInvalidating) registry.forgetAgent(identity.agent_id);
    open(confirmed);
    expect(await first).toMatchObject(isInvalidating ? { code: "conflict" } : { accepted: 1 });
    expect(await second).toMatchObject({ code, details });
    expect(handled).toEqual(["event_batch"]);
  });

  test("logs junk and invalidations at intervals with a count", async () => {
    const { batch, clock, said, upload } = build();
    await upload(...Array.from({ length: 50 }, () => "junk"));
    expect(said).toEqual([{ event: "agent_transport.frame_dropped", frames: 1 }]);
    clock.advance(60_000);
    await upload("junk", "junk");
    expect(said.slice(1)).toEqual([{ event: "agent_transport.frame_dropped", frames: 50 }]);
    await upload(spoilt(batch()), batch());
    await upload(batch());
    expect(said.slice(2)).toEqual([{ event: "agent_transport.signature_failed", frames: 1 }]);
  });

  test.each([
    ["signature_failed", (frame: string) => [spoilt(frame)]],
    ["replay_refused", (frame: string) => [frame, frame]],
  ])("logs %s once a minute with a count, also over new sessions", async (event, framesOf) => {
    const { batch, clock, registry, said, upload } = build();
    const invalidate = async () => {
      expect(await upload(...framesOf(batch()))).toMatchObject({ code: "conflict" });
      registry.forgetAgent(identity.agent_id);
    };
    for (let round = 0; round < 100; round += 1) await invalidate();
    expect(said).toEqual([{ event: `agent_transport.${event}`, frames: 1 }]);
    clock.advance(60_000);
    await invalidate();
    expect(said.slice(1)).toEqual([{ event: `agent_transport.${event}`, frames: 100 }]);
  });

  test("logs junk once a minute with a count, also over new sessions", async () => {
    const { clock, registry, said, upload } = build();
    for (let round = 0; round < 100; round += 1) {
      await upload("junk");
      registry.forgetAgent(identity.agent_id);
    }
    clock.advance(60_000);
    await upload("junk");
    expect(said).toEqual([1, 100].map((frames) => ({ event: "agent_transport.frame_dropped", frames })));
  });
});

test("logs failed writes once a minute with a count while the database is unavailable", async () => {
  const isAway = async () => {
    throw new Error("the database is unavailable");
  };
  const { batch, clock, poll, registry, said, upload } = build({
    polled: isAway,
    uploaded: isAway,
  });
  const round = async () => {
    await upload(batch());
    await poll();
    await upload(spoilt(batch()));
    registry.forgetAgent(identity.agent_id);
  };
  for (let n = 0; n < 10; n += 1) await round();
  const lines = () => said.splice(0).filter(({ event }) => event !== "agent_transport.signature_failed");
  expect(lines()).toEqual([{ event: "agent_transport.contact_not_noted", frames: 1 }]);
  clock.advance(60_000);
  await round();
  expect(lines()).toEqual([{ event: "agent_transport.contact_not_noted", frames: 20 }]);
});

describe("a poll", () => {
  const command = (id: string, text = "") => ({ id, payload: { action: "cancel_task", parameters: { text } } });

  test("starts waiting before it claims, so that no notification is lost, and stops waiting when it is done", async () => {
    const steps: string[] = [];
    const { poll } = build({
      waitForWork({ signal }) {
        steps.push("waits");
        return new Promise((resolve) => {
          // A notification comes during the first claim; the second wait ends with the claim that finds the command.
          if (steps.length === 1) resolve("work");
          signal.addEventListener("abort", () => {
            steps.push("waits no more");
            resolve("over");
          });
        });
      },
      async claim() {
        steps.push("claims");
        return steps.filter((step) => step === "claims").length === 2 ? [command("one")] : [];
      },
    });
    expect((await poll()).frames).toHaveLength(1);
    expect(steps).toEqual(["waits", "claims", "waits", "claims", "waits no more"]);
  });

  test("stops waiting when its claim failed", async () => {
    let isWaiting = false;
    const { poll } = build({
      waitForWork: ({ signal }) =>
        new Promise((resolve) => {
          isWaiting = true;
          signal.addEventListener("abort", () => {
            isWaiting = false;
            resolve("over");
          });
        }),
      claim: () => Promise.reject(new Error("the database is unavailable")),
    });
    await expect(poll()).rejects.toThrow("the database is unavailable");
    expect(isWaiting).toBe(false);
  });

  test("returns what can be signed, and the rest has failed", async () => {
    const failed: string[] = [];
    const { poll } = build({
      claim: async () => [command("good"), command("bad", "\ud800"), command("good too")],
      unsigned: async ({ id }) => void failed.push(id),
    });
    const ids = (await poll()).frames.map((frame) => JSON.parse(frame).id);
    expect([ids, failed]).toEqual([["good", "good too"], ["bad"]]);
  });
});
