import { startFaultyNetwork } from "@svc/testkit";
import { type Peer, startPeer, waitFor } from "@svc/testkit/peer";
import { expect, onTestFinished, test } from "vitest";
import { startTestAgent } from "./start-test-agent.ts";

const command = { action: "retry_task", target: {}, parameters: {}, timeout_seconds: 60, delivery_claim_token: "one" };

async function peerOf(options: Parameters<typeof startPeer>[0] = {}): Promise<Peer> {
  const peer = await startPeer(options);
  onTestFinished(() => peer.stop());
  return peer;
}

const resultsOf = ({ record }: Peer) => record.frames.filter(({ type }) => type === "command_result");

/** Waits until written data has reached the socket of the peer, or of a proxy before it. */
async function settleSockets(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

test.each(["ws", "longpoll"] as const)(
  "over %s a result lost with its connection is sent again, once, on the next one",
  async (transport) => {
    const peer = await peerOf();
    const network = await startFaultyNetwork({ port: Number(new URL(peer.url).port) });
    onTestFinished(() => network.close());
    const brainUrl = `http://127.0.0.1:${network.port}`;
    await using test = await startTestAgent(peer, { transport, brainUrl, capabilities: ["retry_task"] });
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    test.adapter.answerCommands(async () => {
      await ended;
      return { status: "success", result: { task_id: "a" } };
    });
    await waitFor(() => test.agent.status().state === "online");
    peer.send("command", command, "c-1");
    await waitFor(() => peer.record.frames.some(({ type }) => type === "command_ack"));

    network.blackhole();
    end();
    await settleSockets();
    network.down();
    await waitFor(() => test.agent.status().state === "waiting");
    network.heal();
    await waitFor(() => {
      test.clock.advance(1_000);
      return resultsOf(peer).length > 0;
    });
    await waitFor(() => {
      test.clock.advance(100);
      return test.agent.status().bufferDepth === 0;
    });

    const payload = { status: "success", result: { task_id: "a" }, delivery_claim_token: "one" };
    expect(resultsOf(peer).map((frame) => frame.payload)).toEqual([payload]);
  },
);

test("a result that a proxy finds too big becomes a failure with an explanation", async () => {
  const peer = await peerOf({ behaviour: { maxMessageBytes: 65_536 } });
  await using test = await startTestAgent(peer, { capabilities: ["retry_task"] });
  const result = { note: "x".repeat(100_000) };
  test.adapter.answerCommands(() => Promise.resolve({ status: "success", result }));
  await waitFor(() => test.agent.status().state === "online");

  peer.send("command", command, "c-1");
  await waitFor(() => {
    test.clock.advance(1_000);
    return resultsOf(peer).length > 0;
  });

  expect(resultsOf(peer).map(({ payload }) => payload)).toEqual([
    {
      status: "failed",
      error: expect.stringMatching(/^the command finished with success, but its result of 1000\d\d bytes is larger/),
      outcome: "unknown",
      delivery_claim_token: "one",
    },
  ]);
});
