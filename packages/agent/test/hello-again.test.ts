import { type Peer, startPeer, waitFor } from "@svc/testkit/peer";
import { expect, onTestFinished, test } from "vitest";
import { startTestAgent, type TestAgent } from "./start-test-agent.ts";

async function peerOf(): Promise<Peer> {
  const peer = await startPeer();
  onTestFinished(() => peer.stop());
  return peer;
}

const beatsOf = ({ record }: Peer) => record.frames.filter(({ type }) => type === "heartbeat").length;

/** Advances through heartbeats, each received by the peer. */
async function beat(peer: Peer, { clock }: TestAgent): Promise<void> {
  const before = beatsOf(peer);
  clock.advance(10_000);
  await waitFor(() => beatsOf(peer) > before);
}

test("sends a new hello when the capabilities of its adapters have changed for a whole interval", async () => {
  const peer = await peerOf();
  const capabilities = ["retry_task", "cancel_task"];
  await using test = await startTestAgent(peer, { capabilities });
  await waitFor(() => beatsOf(peer) === 1);

  capabilities.pop();
  await beat(peer, test);
  capabilities.push("cancel_task");
  await beat(peer, test);
  expect(peer.record.hellos).toHaveLength(1);
  capabilities.pop();
  await beat(peer, test);
  test.clock.advance(10_000);

  await waitFor(() => peer.record.hellos.length === 2);
  expect(test.messages).toContainEqual(expect.stringContaining("the capabilities of the adapters changed"));
  expect(peer.record.hellos.map((hello) => hello.capabilities)).toEqual([
    { scripted: ["retry_task", "cancel_task"] },
    { scripted: ["retry_task"] },
  ]);
});

test("executes a command that arrives while it reconnects", async () => {
  const peer = await peerOf();
  const capabilities = ["retry_task"];
  await using test = await startTestAgent(peer, { capabilities });
  test.adapter.answerCommands(() => Promise.resolve({ status: "success" }));
  await waitFor(() => beatsOf(peer) === 1);
  capabilities.push("cancel_task");
  await beat(peer, test);

  test.clock.advance(10_000);
  peer.send("command", { action: "retry_task", target: {}, parameters: {}, timeout_seconds: 60 }, "c-1");

  const results = () => peer.record.frames.filter(({ type }) => type === "command_result");
  await waitFor(() => results().length > 0);
  expect(peer.record.hellos).toHaveLength(2);
  expect(results()[0]?.payload).toEqual({ status: "success" });
});
