import { startFaultyNetwork, waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { migratedDatabaseUrl, testDialects } from "@svc/testkit/databases";
import { connectRaw, openRawSocket } from "@svc/testkit/raw-agent";
import { describe, expect, onTestFinished, test } from "vitest";

/** Opens the hub of one brain with a session of another one, and subscribes. */
async function watch(brain: TestBrain, cookie: string, projectId: string) {
  const hub = openRawSocket(`${brain.url}/ws/dashboard`, { cookie, origin: brain.url });
  await hub.opened;
  hub.send(JSON.stringify({ type: "subscribe", project_id: projectId, topics: ["task.changed"] }));
  await waitFor(() => hub.messages.some((text) => text.includes('"ready"')), { that: "ready" });
  return hub;
}

describe.runIf(testDialects.includes("postgres"))("a brain that lost its connection to database notifications", () => {
  test("checks every connection that may have lost its access, as soon as it reconnects", async () => {
    const { url, drop } = await migratedDatabaseUrl("postgres");
    const direct = new URL(url);
    const network = await startFaultyNetwork({ host: direct.hostname, port: Number(direct.port) });
    const through = new URL(url);
    through.host = `127.0.0.1:${network.port}`;
    const near = await startTestBrain({ databaseUrl: url });
    const far = await startTestBrain({ databaseUrl: through.href, home: near.home });
    onTestFinished(async () => {
      network.heal();
      await far.stop();
      await near.stop();
      await network.close();
      await drop();
    });
    const { root } = near.as;
    const { body: doomed } = await root.post("/projects", { slug: "doomed", name: "Doomed" });
    const { body: late } = await root.post("/projects/doomed/agents", { name: "late" });
    const revoked = await near.mintAgent();
    const agents = {
      ofArchived: await connectRaw({ url: far.url, token: late.token, hmacSecret: late.hmac_secret }),
      revoked: await connectRaw({ url: far.url, ...revoked }),
      untouched: await connectRaw({ url: far.url, ...(await near.mintAgent()) }),
    };
    const hubs = {
      signedOut: await watch(far, near.as.operator.cookie, near.project.id),
      removed: await watch(far, near.as.viewer.cookie, near.project.id),
      untouched: await watch(far, near.as.admin.cookie, near.project.id),
    };

    network.down();
    expect((await root.delete("/projects/doomed")).status).toBe(204);
    expect((await root.delete(`/projects/${near.project.slug}/agents/${revoked.agentId}`)).status).toBe(204);
    expect((await near.as.operator.post("/auth/logout")).status).toBe(204);
    await near.running.brain.database.write((tx) =>
      tx.deleteFrom("memberships").where("project_id", "=", near.project.id).where("role", "=", "viewer").execute(),
    );
    network.heal();

    const codes = await Promise.all(
      [agents.ofArchived, agents.revoked, hubs.signedOut, hubs.removed].map(async ({ closed }) => (await closed).code),
    );
    expect(codes).toEqual([4003, 4003, 4401, 4403]);
    expect(doomed.slug).toBe("doomed");
    for (const { socket } of [agents.untouched, hubs.untouched]) expect(socket.readyState).toBe(socket.OPEN);
    await waitFor(() => hubs.untouched.messages.some((text) => text.includes('"refetch":true')));
  });
});
