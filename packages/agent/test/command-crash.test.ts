import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentProcess, startAgentProcess } from "@svc/testkit/agent-process";
import { type Peer, startPeer, waitFor } from "@svc/testkit/peer";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const unknown =
  "outcome unknown: the agent stopped while the command was running. Check the engine before you repeat it";

let peer: Peer;
let directory: string;
const children = new Set<AgentProcess>();
beforeEach(async () => {
  peer = await startPeer();
  directory = mkdtempSync(join(tmpdir(), "command-crash-"));
});
afterEach(async () => {
  for (const child of children) await child.kill();
  children.clear();
  await peer.stop();
  rmSync(directory, { recursive: true });
});

/** A connected agent in its own process. */
async function startProcess(transport: "ws" | "longpoll" = "ws"): Promise<AgentProcess> {
  const settings = {
    brainUrl: peer.url,
    token: peer.identity.token,
    hmacSecret: peer.hmacSecret,
    agentId: peer.identity.agentId,
    bufferPath: directory,
    transport,
    pollWaitSeconds: 1,
  };
  const before = peer.record.connects;
  const heartbeats = () => peer.record.frames.filter(({ type }) => type === "heartbeat").length;
  const beaten = heartbeats();
  const child = startAgentProcess(settings);
  children.add(child);
  await waitFor(() => peer.record.connects > before && heartbeats() > beaten);
  return child;
}

const idsOf = ({ begun }: AgentProcess) => begun.map(({ id }) => id);

function send(id: string, token: string, parameters: Record<string, unknown> = {}, action = "retry_task"): void {
  const target = { type: "task", id: "t", engine: "scripted" };
  peer.send("command", { action, target, parameters, timeout_seconds: 3_600, delivery_claim_token: token }, id);
}

function answers(type: "command_ack" | "command_result", id: string) {
  return peer.record.frames.filter((frame) => frame.type === type && frame.id === id).map(({ payload }) => payload);
}

describe.each(["ws", "longpoll"] as const)("over %s", (transport) => {
  test("kill -9 while a command runs: its outcome is unknown, and a copy is not executed", async () => {
    const first = await startProcess(transport);
    send("c", "one");
    await waitFor(() => first.begun.length === 1 && answers("command_ack", "c").length === 1);
    await first.kill();

    const second = await startProcess(transport);
    await waitFor(() => answers("command_result", "c").length === 1);
    send("c", "two", { ends: true });
    await waitFor(() => answers("command_result", "c").length === 2);

    expect(answers("command_result", "c")).toEqual([
      { status: "failed", error: unknown, outcome: "unknown", delivery_claim_token: "one" },
      { status: "failed", error: unknown, outcome: "unknown", delivery_claim_token: "two" },
    ]);
    expect(answers("command_ack", "c").at(-1)).toEqual({ delivery_claim_token: "two" });
    expect(idsOf(first)).toEqual(["c"]);
    expect(idsOf(second)).toEqual([]);
  });

  test("kill -9 while a fire runs: the next process carries it out and reports its result", async () => {
    const first = await startProcess(transport);
    send("c", "one", { fire_id: "f" }, "schedule.fire");
    await waitFor(() => first.begun.length === 1 && answers("command_ack", "c").length === 1);
    await first.kill();

    const second = await startProcess(transport);
    await waitFor(() => second.begun.length === 1);
    second.endAll();
    await waitFor(() => answers("command_result", "c").length === 1);

    expect(answers("command_result", "c")).toEqual([
      { status: "success", result: { task_id: "c" }, delivery_claim_token: "one" },
    ]);
    expect(idsOf(second)).toEqual(["c"]);
  });
});

test("kill -9 before a copy of a finished command arrives: the copy gets the result", async () => {
  const first = await startProcess();
  send("c", "one", { ends: true });
  await waitFor(() => answers("command_result", "c").length === 1);
  await first.kill();

  const second = await startProcess();
  send("c", "two", { ends: true });
  await waitFor(() => answers("command_result", "c").some((payload) => payload?.delivery_claim_token === "two"));

  const success = { status: "success", result: { task_id: "c" } };
  expect(answers("command_result", "c").at(-1)).toEqual({ ...success, delivery_claim_token: "two" });
  expect(idsOf(second)).toEqual([]);
});

test("kill -9 while other commands wait: each is reported correctly", async () => {
  const first = await startProcess();
  for (let at = 0; at < 18; at += 1) send(`c-${at}`, "t");
  await waitFor(() => answers("command_ack", "c-17").length === 1 && first.begun.length === 16);
  await first.kill();

  const second = await startProcess();
  const results = () => peer.record.frames.filter(({ type }) => type === "command_result");
  await waitFor(() => results().length === 18);

  const notBegun = "not carried out: the agent stopped before the command started";
  const texts = Object.fromEntries(results().map(({ id, payload }) => [id, payload?.error]));
  expect(texts).toEqual(
    Object.fromEntries(Array.from({ length: 18 }, (_, at) => [`c-${at}`, at < 16 ? unknown : notBegun])),
  );
  expect(idsOf(second)).toEqual([]);
});
