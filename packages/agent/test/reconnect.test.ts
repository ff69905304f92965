import { createManualClock, type Peer, startPeer, waitFor } from "@svc/testkit/peer";
import { afterEach, describe, expect, test } from "vitest";
import { startTestAgent } from "./start-test-agent.ts";

const peers: Peer[] = [];
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.stop();
});

async function peerOf(options: Parameters<typeof startPeer>[0] = {}): Promise<Peer> {
  const peer = await startPeer(options);
  peers.push(peer);
  return peer;
}

const pauses = { transient: [1_000, 2_000, 4_000], protocol: [1_000, 2_000, 4_000], auth: [10_000, 20_000, 40_000] };

describe("a WebSocket closed by the brain", () => {
  test.each([
    [1000, "transient"],
    [1001, "transient"],
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
  ] as const)("with %i is dialled again at the %s pace", async (code, family) => {
    const peer = await peerOf({ behaviour: { refuseWith: code } });
    await using test = await startTestAgent(peer);

    for (const [attempt, pauseMs] of pauses[family].entries()) {
      await waitFor(() => peer.record.connects === attempt + 1 && test.agent.status().retryInMs === pauseMs);
      expect(test.agent.status()).toMatchObject({ state: "waiting", code });
      test.clock.advance(pauseMs - 1);
      expect(test.agent.status().state).toBe("waiting");
      test.clock.advance(1);
    }
  });

  test("after a stable session is retried with the first delay, with all streaks at zero", async () => {
    const peer = await peerOf({ behaviour: { refuseWith: 1011 } });
    await using test = await startTestAgent(peer);
    await waitFor(() => test.agent.status().retryInMs === 1_000);
    test.clock.advance(1_000);
    await waitFor(() => test.agent.status().retryInMs === 2_000);
    peer.behaviour.refuseWith = undefined;
    test.clock.advance(2_000);
    await waitFor(() => peer.record.frames.length >= 2);
    expect(peer.record.frames[1]?.payload).toMatchObject({ connection_failure_streak: 0, auth_failure_streak: 0 });
    test.clock.advance(10_000);

    peer.close(4408);

    await waitFor(() => test.agent.status().retryInMs === 1_000);
  });

  test("right after every hello_ack is not retried every second", async () => {
    const peer = await peerOf();
    await using test = await startTestAgent(peer);

    for (const pauseMs of [10_000, 20_000, 40_000]) {
      await waitFor(() => test.agent.status().state === "online");
      peer.close(4003);
      await waitFor(() => test.agent.status().retryInMs === pauseMs);
      test.clock.advance(pauseMs);
    }
  });
});

test.each([
  [401, 10_000],
  [403, 10_000],
  [302, 1_000],
  [503, 1_000],
] as const)(
  "an upgrade refused with %i is retried after %i ms, and no redirect is followed",
  async (status, pauseMs) => {
    const peer = await peerOf({ behaviour: { answerStatus: status } });
    await using test = await startTestAgent(peer);

    await waitFor(() => test.agent.status().retryInMs === pauseMs);
    expect(test.agent.status()).toMatchObject({ state: "waiting", code: status });
    expect(peer.record.connects).toBe(0);
  },
);

test("a brain that does not answer hello is disconnected after 10 s", async () => {
  const peer = await peerOf({ behaviour: { answersHello: false } });
  await using test = await startTestAgent(peer);
  await waitFor(() => peer.record.connects === 1);

  test.clock.advance(9_999);
  expect(test.agent.status().state).toBe("connecting");
  test.clock.advance(1);

  await waitFor(() => test.agent.status().reason === "no hello_ack within 10 s");
});

test("a brain that answers for another agent or project is refused with the auth backoff", async () => {
  const peer = await peerOf();
  const elsewhere = "00000000-0000-4000-8000-000000000000";
  for (const options of [{ agentId: elsewhere }, { projectId: elsewhere }]) {
    await using test = await startTestAgent(peer, options);
    await waitFor(() => test.agent.status().retryInMs === 10_000);
    expect(test.agent.status().reason).toContain("the token does not belong");
  }
});

test("an unreachable brain is retried without end with the transient backoff", async () => {
  const peer = await peerOf();
  await peer.stop();
  await using test = await startTestAgent(peer);

  for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    await waitFor(() => test.agent.status().retryInMs === pauseMs);
    test.clock.advance(pauseMs);
  }
});

test("a silent connection ends after a ping without pong for 60 s", async () => {
  const clock = createManualClock();
  const peer = await peerOf({ clock });
  await using test = await startTestAgent(peer, { clock });
  await waitFor(() => test.agent.status().state === "online");
  test.clock.advance(59_999);
  expect(test.agent.status().state).toBe("online");

  test.clock.advance(60_001); // both the ping and its limit pass before the pong can be read

  await waitFor(() => test.agent.status().reason === "no pong within 60 s");
});

describe("long-poll", () => {
  test.each([
    [401, 10_000],
    [403, 10_000],
    [302, 1_000],
    [429, 1_000],
    [503, 1_000],
  ] as const)("answered with %i connects again after %i ms", async (status, pauseMs) => {
    const peer = await peerOf({ behaviour: { answerStatus: status } });
    await using test = await startTestAgent(peer, { transport: "longpoll" });

    await waitFor(() => test.agent.status().retryInMs === pauseMs);
    expect(test.agent.status()).toMatchObject({ state: "waiting", code: status });
  });

  test("recovers from an invalidated session by a probe with a new nonce", async () => {
    const peer = await peerOf();
    await using test = await startTestAgent(peer, { transport: "longpoll" });
    await waitFor(() => test.agent.status().state === "online");
    const nonce = await waitFor(() => peer.record.pollHeaders["x-svc-session-nonce"]);

    peer.close(0);
    await waitFor(() => test.agent.status().code === 409);
    test.adapter.emitTasks(1);
    test.clock.advance(1_000);

    await waitFor(() => peer.record.events.length === 1);
    expect(peer.record.connects).toBe(2);
    await waitFor(() => peer.record.pollHeaders["x-svc-session-nonce"] !== nonce);
    expect(nonce).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });
});
