import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FaultyNetwork, freePort, startFaultyNetwork, waitFor } from "@svc/testkit";
import { signIn } from "@svc/testkit/brain";
import { type BrainProcess, startAgentOf, startBrainProcess } from "@svc/testkit/brain-process";
import { migratedDatabaseUrl } from "@svc/testkit/databases";
import { describe, expect, onTestFinished, test } from "vitest";

const workers = 2;
const email = "root@example.org";
const password = "Violet-Harbour-71";
const settings = {
  SVC_ARGON2_TIME_COST: "1",
  SVC_ARGON2_MEMORY_COST: "8192",
  SVC_DATABASE_POOL_SIZE: "3",
  SVC_DATABASE_MAX_OVERFLOW: "2",
  SVC_LOG_LEVEL: "info",
  SVC_METRICS_PUBLIC: "true",
};
const administrator = { SVC_BOOTSTRAP_ADMIN_EMAIL: email, SVC_BOOTSTRAP_ADMIN_PASSWORD: password };

async function startWorkers(env: Readonly<Record<string, string>> = administrator) {
  const home = await mkdtemp(join(tmpdir(), "svc-workers-"));
  const { url, drop } = await migratedDatabaseUrl("postgres");
  const direct = new URL(url);
  const network = await startFaultyNetwork({ host: direct.hostname, port: Number(direct.port) });
  direct.host = `127.0.0.1:${network.port}`;
  const databaseUrl = direct.href;
  const port = await freePort();
  const options = { home, databaseUrl, port, args: ["--workers", String(workers)], env: { ...settings, ...env } };
  const brain = await startBrainProcess(options);
  onTestFinished(async () => {
    await brain.kill();
    await waitFor(() => isUnreachable(brain.url), { that: "the end of the workers" });
    await network.close();
    await drop();
    await rm(home, { recursive: true, force: true });
  });
  return { brain, network, startAgain: () => startBrainProcess(options) };
}

/** Every request uses its own connection, and the workers receive connections in turn. */
const ask = (url: string) => fetch(url, { headers: { connection: "close" } });

/** The process that answered, from a header of the agent routes. */
async function answering({ url }: BrainProcess): Promise<number> {
  const answer = await ask(`${url}/api/v1/agent/commands`);
  return Number(answer.headers.get("x-svc-longpoll-worker")?.split("-")[0]);
}

async function answeringAll(brain: BrainProcess): Promise<number[]> {
  const seen = new Set<number>();
  await waitFor(async () => seen.add(await answering(brain)).size >= workers);
  return [...seen];
}

const isUnreachable = (url: string) =>
  ask(`${url}/health`).then(
    () => false,
    () => true,
  );

async function figure({ url }: BrainProcess, pattern: RegExp): Promise<number> {
  const answer = await ask(`${url}/metrics`);
  expect(answer.status).toBe(200);
  return Number((await answer.text()).match(pattern)?.[1] ?? Number.NaN);
}

describe("svc serve --workers on PostgreSQL", () => {
  test("serves one port with several processes and one setup link, and drains all of them on SIGTERM", async () => {
    const { brain, startAgain } = await startWorkers({});
    expect(brain.printed()).toMatch(/^svc is ready at http:\/\/localhost:\d+ with 2 workers$/m);
    expect(await answeringAll(brain)).not.toContain(brain.pid);
    const links = [...brain.printed().matchAll(/Create the first administrator: (\S+)/g)];
    expect(links).toHaveLength(1);
    for (let asked = 0; asked < workers; asked += 1) expect((await ask(links[0]?.[1] ?? "")).status).toBe(200);
    await expect(startAgain()).rejects.toThrow(/ended with 1: .*svc: port \d+ on 127\.0\.0\.1 is in use/s);

    expect(await brain.stop()).toBe(0);

    expect(await isUnreachable(brain.url)).toBe(true);
  });

  test("restarts a killed worker, and leaves none running when it is killed itself", async () => {
    const { brain } = await startWorkers();
    const before = await answeringAll(brain);
    const victim = before[0] as number;
    process.kill(victim, "SIGKILL");

    await waitFor(() => brain.printed().includes("svc: a worker exited (SIGKILL). Starting another one"));
    const after = await waitFor(async () => {
      const now = await answeringAll(brain);
      return !now.includes(victim) && now;
    });
    expect(before.filter((pid) => after.includes(pid))).toHaveLength(workers - 1);
    expect(brain.printed().match(/svc is ready/g)).toHaveLength(1);
    expect(brain.log()).not.toContain("svc is ready");

    await brain.kill();
    await waitFor(() => after.every((pid) => !isRunning(pid)));
  });

  test("exposes the figures of all workers from any worker", async () => {
    const { brain } = await startWorkers();
    const root = await signIn(brain.url, email, password);
    const { body } = await root.post("/projects/default/agents", { name: "till" });
    const home = await mkdtemp(join(tmpdir(), "svc-workers-agent-"));
    const { agent, adapter } = startAgentOf({
      url: brain.url,
      token: body.token,
      hmacSecret: body.hmac_secret,
      bufferPath: home,
    });
    onTestFinished(async () => {
      await agent.stop();
      await rm(home, { recursive: true, force: true });
    });
    adapter.emitTasks(5, { task_name: "mail", queue: "q" });

    const ingested = () => figure(brain, /svc_events_ingested_total\{project="default".*\} (\d+)/);
    const stored = await waitFor(async () => (await ingested()) >= 5 && ingested());
    for (let asked = 0; asked < 2 * workers; asked += 1) {
      // Counted by one worker and exposed by all of them.
      expect(await ingested()).toBe(stored);
      // Summed over the workers, or read by each from the database.
      expect(await figure(brain, /svc_ws_connections (\d+)/)).toBe(1);
      expect(await figure(brain, /svc_agents_online (\d+)/)).toBe(1);
    }
    const together = await Promise.all(Array.from({ length: 12 }, ingested));
    expect(new Set(together)).toEqual(new Set([stored]));
  });

  test.each([
    ["slow", (network: FaultyNetwork) => network.delay(1200)],
    ["silent", (network: FaultyNetwork) => network.blackhole()],
  ])("exposes all figures except those of a %s database", async (_how, disturb) => {
    const { brain, network } = await startWorkers();
    const scrape = async () => {
      const answer = await ask(`${brain.url}/metrics`);
      return { status: answer.status, text: await answer.text() };
    };
    expect((await scrape()).text).toMatch(/^svc_agents_online 0$/m);
    disturb(network);
    for (let asked = 0; asked < workers; asked += 1) {
      const { status, text } = await scrape();
      expect(status).toBe(200);
      expect(text).toMatch(/^svc_background_task_error_active/m);
      expect(text).not.toMatch(/^svc_agents_online/m);
    }
    network.heal();
    await waitFor(async () => /^svc_agents_online 0$/m.test((await scrape()).text));
  });

  test("refuses metrics with 503 unready while one worker hangs, and serves them again afterwards", async () => {
    const { brain } = await startWorkers();
    const [hung] = (await answeringAll(brain)) as [number];
    process.kill(hung, "SIGSTOP");
    // Connections assigned to the hung worker get no answer.
    const scrape = () =>
      fetch(`${brain.url}/metrics`, { headers: { connection: "close" }, signal: AbortSignal.timeout(5000) });
    try {
      const refused = await waitFor(async () => {
        const answer = await scrape().catch(() => null);
        return answer?.status === 503 && answer;
      });
      expect(await refused.json()).toMatchObject({ error: "unready", details: { reason: "workers" } });
    } finally {
      process.kill(hung, "SIGCONT");
    }
    await waitFor(async () => (await scrape()).status === 200);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
