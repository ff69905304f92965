import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAgent } from "@svc/agent";
import { purgeConfirmToken } from "@svc/protocol";
import { startPeer, waitFor } from "@svc/testkit/peer";
import { expect, test } from "vitest";
import { createDemoAdapter } from "./index.ts";

test("through an agent, a purge requires the confirmed depth, and revokes the removed tasks", async () => {
  const peer = await startPeer();
  const bufferPath = mkdtempSync(join(tmpdir(), "demo-"));
  const nowMs = Date.now();
  const agent = startAgent({
    brainUrl: peer.url,
    token: peer.identity.token,
    hmacSecret: peer.hmacSecret,
    bufferPath,
    // The clock of the shop does not advance, so its depths stay the same.
    engines: [createDemoAdapter({ historyMinutes: 60, pace: 4, now: () => nowMs })],
  });
  try {
    const answerOf = async (id: string, parameters: Record<string, unknown>) => {
      const target = { type: "queue", id: "exports", engine: "demo" };
      peer.send("command", { action: "purge_queue", target, parameters, timeout_seconds: 60 }, id);
      return await waitFor(
        () => peer.record.frames.find((frame) => frame.type === "command_result" && frame.id === id)?.payload,
      );
    };
    await agent.ready;
    await waitFor(() => agent.status().state === "online");
    const refused = await answerOf("without", { queue: "exports", force: false });
    const depth = Number(
      /has (\d+) tasks? now/.exec(
        String((await answerOf("wrong", { queue: "exports", confirm_token: "x" })).error),
      )?.[1],
    );
    const token = purgeConfirmToken(peer.identity.secret, "exports", depth);

    expect(refused).toMatchObject({
      status: "failed",
      error: expect.stringContaining("requires a confirm token of its depth"),
    });
    expect(depth).toBeGreaterThan(0);
    expect(await answerOf("right", { queue: "exports", confirm_token: token })).toEqual({
      status: "success",
      result: { purged: depth },
    });
    await waitFor(() => peer.record.events.filter(({ kind }) => kind === "task.revoked").length === depth);
    expect(peer.record.hellos[0]?.capabilities).toEqual({
      demo: expect.arrayContaining(["purge_queue", "retry_task"]),
    });
  } finally {
    await agent.stop();
    await peer.stop();
    rmSync(bufferPath, { recursive: true });
  }
});
