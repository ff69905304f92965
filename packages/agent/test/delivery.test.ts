import { createManualClock, type Peer, startPeer, waitFor } from "@svc/testkit/peer";
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

function taskIds(peer: Peer): string[] {
  return peer.record.events.map((event) => event.task_id);
}

function names(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => `task-${from + index}`);
}

async function online({ agent }: TestAgent): Promise<void> {
  await waitFor(() => agent.status().state === "online");
}

describe.each(["ws", "longpoll"] as const)("over %s", (transport) => {
  test("events arrive in order, sealed, redacted, and leave the buffer", async () => {
    const peer = await peerOf();
    await using test = await startTestAgent(peer, { transport });
    await online(test);

    test.adapter.emitTasks(3, { kwargs: { password: "hunter2" } });
    test.settle();

    await waitFor(() => peer.record.events.length === 3);
    expect(taskIds(peer)).toEqual(names(0, 3));
    expect(JSON.stringify(peer.record.events)).not.toContain("hunter2");
    const batch = peer.record.frames.find(({ type }) => type === "event_batch");
    expect(batch?.id).toMatch(/^ev_[0-9a-f]{12}$/);
    expect(batch?.payload?.sealed_at).toMatch(/^\d{4}-.*Z$/);
    await waitFor(() => {
      test.clock.advance(100);
      return test.agent.status().bufferDepth === 0;
    });
  });

  test("an unacknowledged batch is sent again with the same frame id and sealed_at", async () => {
    let refusals = 1;
    const acknowledges = ({ type }: { type: string }): boolean => type !== "event_batch" || refusals-- <= 0;
    const clock = createManualClock();
    const peer = await peerOf({ clock, behaviour: { acknowledges } });
    await using test = await startTestAgent(peer, { transport, clock });
    await online(test);
    test.adapter.emitTasks(2);
    test.settle();
    const batches = () => peer.record.frames.filter(({ type }) => type === "event_batch");
    await waitFor(() => batches().length === 1);

    await waitFor(() => {
      test.clock.advance(2_000); // until the 90 s of the ack deadline have passed
      return peer.record.events.length === 2;
    });

    const [first, second] = batches();
    expect(second?.id).toBe(first?.id);
    expect(second?.payload).toEqual(first?.payload);
    expect(second?.nonce).not.toBe(first?.nonce);
  });

  test("a brain that was down gets everything afterwards, in order", async () => {
    const first = await peerOf();
    await using test = await startTestAgent(first, { transport });
    await online(test);
    test.adapter.emitTasks(2);
    test.settle();
    await waitFor(() => first.record.events.length === 2);
    await first.stop();
    await waitFor(() => test.agent.status().state === "waiting");
    for (let at = 0; at < 5; at += 1) {
      test.adapter.emitTasks(300);
      test.settle();
    }

    const second = await peerOf({ port: first.port, identity: first.identity });
    await waitFor(() => {
      test.clock.advance(1_000);
      return new Set(taskIds(second)).size >= 1_500;
    });

    expect(taskIds(second).filter((id) => !["task-0", "task-1"].includes(id))).toEqual(names(2, 1_502));
  });

  test("an agent that starts while the brain is down keeps its events for the next process", async () => {
    const away = await peerOf();
    await away.stop();
    const first = await startTestAgent(away, { transport });
    first.adapter.emitTasks(3);
    first.settle();
    const stopped = first.agent.stop();
    first.clock.advance(5_000);
    await stopped;

    const peer = await peerOf({ port: away.port, identity: away.identity });
    await using test = await startTestAgent(peer, { transport, bufferPath: first.directory });
    expect(test.adapter.context.cursors.get("position")).toBe("3");
    await waitFor(() => peer.record.events.length === 3);
    expect(taskIds(peer)).toEqual(names(0, 3));
  });

  test("a heartbeat and a status are sent on connect and every interval", async () => {
    const peer = await peerOf();
    await using test = await startTestAgent(peer, { transport });
    const vitals = () => peer.record.frames.filter(({ type }) => type !== "event_batch");
    await waitFor(() => vitals().length === 2);
    test.adapter.context.sink.lost(4, "stream trimmed");

    test.clock.advance(10_000);

    await waitFor(() => vitals().length === 4);
    const [, , heartbeat, status] = vitals();
    expect(heartbeat?.type).toBe("heartbeat");
    expect(heartbeat?.id).toMatch(/^hb_[0-9a-f]{12}$/);
    expect(heartbeat?.payload).toMatchObject({
      buffer_size: 0,
      dropped_events: 4,
      adapter_health: { "scripted.queue_depths": '{"default":0}' },
      telemetry_loss: { adapter_events: { scripted: 4 }, capacity_evicted_frames: 0 },
    });
    expect(status?.id).toMatch(/^st_[0-9a-f]{12}$/);
    expect(status?.payload).toMatchObject({ engines: ["scripted"], protocol_version: "2", buffer_depth: 0 });
  });

  test("no status is sent when it is disabled, but the heartbeat has the loss counters", async () => {
    const peer = await peerOf();
    await using test = await startTestAgent(peer, { transport, agentStatusDisabled: true });
    await waitFor(() => peer.record.frames.length === 1);

    test.clock.advance(10_000);
    await waitFor(() => peer.record.frames.length === 2);

    expect(peer.record.frames.map(({ type }) => type)).toEqual(["heartbeat", "heartbeat"]);
    expect(peer.record.frames[1]?.payload).toHaveProperty("telemetry_loss.buffer_id");
  });

  test("heartbeats are never sent after a disconnect", async () => {
    const first = await peerOf();
    await using test = await startTestAgent(first, { transport });
    await waitFor(() => first.record.frames.length === 2);
    await first.stop();
    await waitFor(() => test.agent.status().state === "waiting");
    const second = await peerOf({ port: first.port, identity: first.identity });

    await waitFor(() => {
      test.clock.advance(1_000);
      return second.record.frames.length >= 2;
    });

    expect(second.record.frames.slice(0, 2).map(({ type }) => type)).toEqual(["heartbeat", "agent_status"]);
    const heartbeats = second.record.frames.filter(({ type }) => type === "heartbeat");
    expect(new Set(heartbeats.map(({ ts }) => ts)).size).toBe(heartbeats.length);
  });

  test("a command is acknowledged, then reported as unsupported, and a repeated one with its newest token", async () => {
    const peer = await peerOf();
    await using test = await startTestAgent(peer, { transport });
    await online(test);
    const target = { type: "task", id: "t1", engine: "scripted" };
    const command = (token: string) => ({
      action: "retry_task",
      target,
      parameters: {},
      timeout_seconds: 60,
      delivery_claim_token: token,
    });
    const answers = () => peer.record.frames.filter(({ type }) => type.startsWith("command_"));

    peer.send("command", command("one"), "c-1");
    await waitFor(() => answers().length === 2);
    peer.send("command", command("two"), "c-1");
    await waitFor(() => answers().length === 4);

    expect(answers().map(({ id, type }) => `${type} ${id}`)).toEqual([
      "command_ack c-1",
      "command_result c-1",
      "command_ack c-1",
      "command_result c-1",
    ]);
    expect(answers().map(({ payload }) => payload?.delivery_claim_token)).toEqual(["one", "one", "two", "two"]);
    expect(answers()[1]?.payload).toMatchObject({
      status: "failed",
      error: "unsupported: the scripted adapter does not support retry_task as it runs here",
    });
  });

  test("a stop waits for a running command, then reports its outcome as unknown before it disconnects", async () => {
    const peer = await peerOf();
    await using test = await startTestAgent(peer, { transport, capabilities: ["retry_task"] });
    await online(test);
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    test.adapter.answerCommands(() => {
      resolve();
      return new Promise(() => {});
    });
    const command = { action: "retry_task", target: {}, parameters: {}, timeout_seconds: 60 };
    peer.send("command", { ...command, delivery_claim_token: "one" }, "c-1");
    await begun;

    const stopped = test.agent.stop();
    peer.send("command", { ...command, delivery_claim_token: "two" }, "c-2");
    const results = () => peer.record.frames.filter(({ type }) => type === "command_result");
    await waitFor(() => results().length === 1);
    test.clock.advance(5_000);
    await waitFor(() => results().length === 2);
    await waitFor(() => {
      test.clock.advance(100);
      return test.agent.status().state === "stopped";
    });
    await stopped;

    expect(results().map(({ id, payload }) => [id, payload])).toEqual([
      [
        "c-2",
        {
          status: "failed",
          error: "not carried out: the agent is shutting down",
          delivery_claim_token: "two",
        },
      ],
      [
        "c-1",
        {
          status: "failed",
          error: expect.stringMatching(/^outcome unknown: the agent stopped while the command was running/),
          outcome: "unknown",
          delivery_claim_token: "one",
        },
      ],
    ]);
  });

  test("a frame from the brain with a wrong signature ends the session with the auth backoff", async () => {
    const peer = await peerOf();
    await using test = await startTestAgent(peer, { transport });
    await online(test);

    peer.sendText(
      `{"hmac":"${"0".repeat(64)}","id":"c","nonce":"AAAAAAAAAAAAAAAAAAAAAA","payload":{},"seq":1,"ts":"${new Date().toISOString()}","type":"command","v":2}`,
    );

    await waitFor(() => test.agent.status().state === "waiting");
    expect(test.agent.status()).toMatchObject({ retryInMs: 10_000, reason: expect.stringContaining("signature") });
  });

  test("on scheduler_upgrade_required the schedule events without position are dropped, and the rest arrives", async () => {
    let isOld = true;
    const peer = await peerOf({
      behaviour: {
        errorCode: "scheduler_upgrade_required",
        acknowledges: (frame) => !isOld || !JSON.stringify(frame.payload).includes('"schedule.created"'),
      },
    });
    await using test = await startTestAgent(peer, { transport });
    await online(test);
    const schedule = (name: string, data: Record<string, unknown>) => ({
      kind: "schedule.created",
      engine: "scripted",
      task_id: name,
      data,
    });
    test.adapter.context.sink.emit([
      schedule("without", {}),
      schedule("with", { stream: { epoch: 1, sequence: 1 } }),
      { kind: "task.sent", engine: "scripted", task_id: "t", data: {} },
    ]);
    test.settle();
    await waitFor(() => peer.record.frames.some(({ type }) => type === "event_batch"));
    isOld = false;
    if (transport === "ws") {
      peer.send("error", { code: "scheduler_upgrade_required", message: "too old", fatal: true }, "e1");
    }

    await waitFor(() => {
      test.clock.advance(1_000);
      return peer.record.events.length >= 2;
    });
    expect(taskIds(peer)).toEqual(["with", "t"]);
    expect(test.messages.some((message) => message.includes("update the scheduler adapter"))).toBe(true);
  });
});
