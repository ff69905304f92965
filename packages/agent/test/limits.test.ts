import { createScriptedAdapter, type Peer, startPeer, waitFor } from "@svc/testkit/peer";
import { afterEach, describe, expect, test } from "vitest";
import { startTestAgent, type TestAgent } from "./start-test-agent.ts";

const peers: Peer[] = [];
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.stop();
});

async function peerOf(options: Parameters<typeof startPeer>[0] = {}): Promise<Peer> {
  const peer = await startPeer(options);
  peers.push(peer);
  return peer;
}

async function online({ agent }: TestAgent): Promise<void> {
  await waitFor(() => agent.status().state === "online");
}

const kilobyte = { note: "x".repeat(1_024) };

describe("a brain with small frames", () => {
  test("receives batches split to its announced size, each event once", async () => {
    const peer = await peerOf({ behaviour: { maxFrameBytes: 16_384 } });
    await using test = await startTestAgent(peer);
    await online(test);

    test.adapter.emitTasks(100, kilobyte);
    test.settle();

    await waitFor(() => peer.record.events.length >= 100);
    expect(new Set(peer.record.events.map((event) => event.task_id)).size).toBe(100);
    expect(peer.record.events).toHaveLength(100);
    expect(peer.record.refusals).toEqual([]);
  });

  test("does not get a single larger event, which is counted, and gets the others", async () => {
    const peer = await peerOf({ behaviour: { maxFrameBytes: 16_384 } });
    await using test = await startTestAgent(peer);
    await online(test);

    test.adapter.emitTasks(1, { many: Array.from({ length: 20 }, () => "x".repeat(1_024)) });
    test.adapter.emitTasks(2);
    test.settle();

    await waitFor(() => peer.record.events.length === 2);
    await waitFor(() => test.agent.status().loss?.content_rejected_frames === 1);
    expect(test.agent.status().loss).toMatchObject({ event_records: 1, capacity_evicted_frames: 0 });
  });
});

describe("the result of a command that is larger", () => {
  const command = { action: "dlq.list", target: {}, parameters: {}, timeout_seconds: 60, delivery_claim_token: "t" };
  const tooLarge = {
    status: "failed",
    error: expect.stringMatching(/^the command finished with success, but its result of \d+ bytes is larger than/),
    outcome: "unknown",
    delivery_claim_token: "t",
  };

  test.each([
    ["than the announced frame", "ws", { maxFrameBytes: 16_384 }],
    [
      "than the service accepts",
      "longpoll",
      { uploadStatus: (_: number, bytes: number) => (bytes > 20_000 ? 413 : undefined) },
    ],
  ] as const)("%s arrives as a failure that says so, and nothing counts as lost", async (_, transport, behaviour) => {
    const peer = await peerOf({ behaviour });
    await using test = await startTestAgent(peer, { transport, capabilities: ["list_dead_letters"] });
    await online(test);
    test.adapter.answerCommands(() =>
      Promise.resolve({ status: "success", result: { entries: Array.from({ length: 100 }, () => kilobyte) } }),
    );

    peer.send("command", command, "c");

    const results = () => peer.record.frames.filter(({ type }) => type === "command_result");
    await waitFor(() => {
      test.clock.advance(1_000);
      return results().length === 1;
    });
    expect(results()[0]?.payload).toEqual(tooLarge);
    expect(test.agent.status().loss).toMatchObject({ content_rejected_frames: 0, command_results: 0 });
  });
});

test("a close with 1009 drops the offending entry, counts it, and makes later frames smaller", async () => {
  const peer = await peerOf({ behaviour: { maxMessageBytes: 65_536 } });
  await using test = await startTestAgent(peer);
  await online(test);
  test.adapter.emitTasks(100, kilobyte);
  test.settle();
  await waitFor(() => test.agent.status().code === 1009);
  test.adapter.emitTasks(100, kilobyte);
  test.settle();

  await waitFor(() => {
    test.clock.advance(1_000);
    return peer.record.events.length >= 100;
  });

  expect(test.agent.status().loss).toMatchObject({ content_rejected_frames: 1, event_records: 100 });
  expect(peer.record.events.map((event) => event.task_id)).toContain("task-199");
});

test("a message from the brain that is too big for the agent loses no entry", async () => {
  const peer = await peerOf({ behaviour: { acknowledges: ({ type }) => type !== "event_batch" } });
  await using test = await startTestAgent(peer);
  await online(test);
  test.adapter.emitTasks(3);
  test.settle();
  await waitFor(() => peer.record.frames.some(({ type }) => type === "event_batch"));

  peer.sendText("x".repeat(1_048_577));

  await waitFor(() => test.agent.status().state === "waiting");
  expect(test.agent.status()).toMatchObject({ bufferDepth: 1, loss: { content_rejected_frames: 0 } });
});

describe("long-poll uploads", () => {
  test("are halved while the brain answers 413, without loss", async () => {
    const peer = await peerOf({ behaviour: { uploadStatus: (frames) => (frames > 3 ? 413 : undefined) } });
    const test = await emittedOffline(peer, 20);
    await using _ = test;

    await waitFor(() => peer.record.events.length >= 20);

    expect(peer.record.events).toHaveLength(20);
    expect(Math.max(...peer.record.uploadSizes)).toBeLessThanOrEqual(3);
    expect(test.agent.status().loss?.event_records).toBe(0);
  });

  test("drop and count a single refused frame", async () => {
    const peer = await peerOf({ behaviour: { uploadStatus: (_, bytes) => (bytes > 20_000 ? 413 : undefined) } });
    await using test = await startTestAgent(peer, { transport: "longpoll" });
    await online(test);

    test.adapter.emitTasks(1, { many: Array.from({ length: 30 }, () => "x".repeat(1_024)) });
    test.settle();
    test.adapter.emitTasks(2);
    test.settle();

    await waitFor(() => peer.record.events.length === 2);
    expect(test.agent.status().loss).toMatchObject({ content_rejected_frames: 1, event_records: 1 });
  });

  test("list the engines that retry by reference, and separately those that only resubmit, on every poll", async () => {
    const peer = await peerOf();
    await using test = await startTestAgent(peer, {
      transport: "longpoll",
      engines: [
        createScriptedAdapter("scripted", ["retry_by_reference_v1"]),
        createScriptedAdapter("again", ["retry_task", "retry_resubmits"]),
        createScriptedAdapter("both", ["retry_task", "retry_by_reference_v1", "retry_resubmits"]),
        createScriptedAdapter("never", ["retry_task"]),
      ],
    });
    await online(test);

    const headers = await waitFor(() => peer.record.pollHeaders["x-svc-retry-contracts"] && peer.record.pollHeaders);
    expect(headers).toMatchObject({
      "x-svc-retry-contracts": "scripted=1",
      "x-svc-retry-resubmits": "again=1,both=1",
    });
  });
});

test("30,000 events emitted at once arrive whole, in order, and in few frames", async () => {
  const peer = await peerOf();
  await using test = await startTestAgent(peer);
  await online(test);

  test.adapter.emitTasks(30_000);
  await waitFor(() => {
    test.settle();
    return peer.record.events.length === 30_000;
  });

  const batches = peer.record.frames.filter(({ type }) => type === "event_batch");
  expect(batches).toHaveLength(60);
  expect(peer.record.events.at(0)?.task_id).toBe("task-0");
  expect(peer.record.events.at(-1)?.task_id).toBe("task-29999");
});

/** An agent with `count` entries that were buffered before it connected. */
async function emittedOffline(peer: Peer, count: number): Promise<TestAgent> {
  peer.behaviour.answerStatus = 503;
  const test = await startTestAgent(peer, { transport: "longpoll" });
  await waitFor(() => test.agent.status().state === "waiting");
  for (let at = 0; at < count; at += 1) {
    test.adapter.emitTasks(1);
    test.settle();
  }
  peer.behaviour.answerStatus = undefined;
  test.clock.advance(2_000);
  return test;
}
