import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Agent, startAgent } from "@svc/agent";
import type { RunningBrain, StartOptions } from "@svc/brain";
import { defineCommand, text } from "../command-line/command.ts";
import { wholeNumber } from "../command-line/option-values.ts";
import { listenForStop } from "../terminal/stop-signal.ts";
import { embeddedScheduler } from "./embedded-scheduler.ts";
import { startBrainOrExplain, stopInTime } from "./start-brain.ts";

const email = "demo@localhost.example";

export const demo = defineCommand({
  usage: ["demo [--port PORT]"],
  options: { port: text("PORT", "port to listen on (default 7700)") },
  details: [
    "Starts the service on a temporary database with a sample shop: 48 hours of history with two releases, one of them broken, failures,",
    "retries, task trees, dead letters, a queue without workers, schedules that fire, and a stream of new tasks.",
    "Prints the login once the history is loaded, which takes a few seconds. Ctrl-C removes all data.",
  ],
  async run({ values }, terminal) {
    const port = wholeNumber("port", values.port ?? "7700", { min: 1, max: 65_535 });
    using stop = listenForStop();
    const home = mkdtempSync(join(tmpdir(), "svc-demo-"));
    const removeHome = () => rmSync(home, { recursive: true, force: true });
    // A second Ctrl-C exits without running the code below.
    process.once("exit", removeHome);
    try {
      const { createDemoAdapter, demoSchedules } = await import("@svc/demo");
      const password = randomPassword();
      const sources = {
        cwd: home,
        env: {
          SVC_HOME: home,
          SVC_BIND_PORT: String(port),
          SVC_PUBLIC_URL: `http://localhost:${port}`,
          SVC_LOG_LEVEL: "warn",
          // The database is temporary, so it need not survive a power loss.
          SVC_SQLITE_SYNCHRONOUS: "normal",
          SVC_BOOTSTRAP_ADMIN_EMAIL: email,
          SVC_BOOTSTRAP_ADMIN_PASSWORD: password,
        },
      };
      const start: StartOptions = { ...sources, startScheduler: embeddedScheduler(sources) };
      const brain = await startBrainOrExplain(start, terminal);
      const seeded = await brain.seedDemo({
        projectSlug: "demo-shop",
        projectName: "Demo shop",
        agentName: "shop-agent",
        adminEmail: email,
        schedules: demoSchedules,
      });
      const engine = createDemoAdapter();
      const shop = startAgent({
        brainUrl: `http://127.0.0.1:${brain.port}`,
        token: seeded.token,
        hmacSecret: seeded.hmacSecret,
        engines: [engine],
        agentName: "shop-agent",
        framework: "demo",
        workerRole: "task",
        bufferPath: join(home, "agent"),
        log: {
          debug() {},
          info() {},
          warn: (message) => terminal.err(message),
          error: (message) => terminal.err(message),
        },
      });
      terminal.out("Loading 48 hours of history…");
      await Promise.race([historyIsLoaded(shop, brain), stop.received]);
      terminal.out(`${engine.taskCount().toLocaleString("en")} tasks loaded. More arrive while the demo runs.`);
      terminal.out(`svc demo is ready at ${brain.publicUrl}/p/demo-shop/tasks`);
      terminal.out(`  email     ${email}`);
      terminal.out(`  password  ${password}`);
      terminal.out("Press Ctrl-C to stop the demo and remove its data.");
      await stop.received;
      await shop.stop();
      await stopInTime(brain, terminal);
    } finally {
      process.off("exit", removeHome);
      removeHome();
    }
  },
});

const historyLimitMs = 120_000;
const historyCheckMs = 50;

/** Resolves when the charts show the shop's history, or after two minutes. */
async function historyIsLoaded(shop: Agent, brain: Pick<RunningBrain, "isCounted">): Promise<void> {
  await shop.ready;
  const untilMs = performance.now() + historyLimitMs;
  const isSent = () => shop.status().waitingEvents === 0 && shop.status().bufferDepth === 0;
  while (!isSent() && performance.now() < untilMs) await setTimeout(historyCheckMs);
  while (!(await brain.isCounted()) && performance.now() < untilMs) await setTimeout(historyCheckMs);
}

const passwordCharacters = "abcdefghjkmnpqrstuvwxyz23456789";

/** Sixteen characters that are easy to type. */
function randomPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const characters = Array.from(bytes, (byte) => passwordCharacters[byte % passwordCharacters.length]);
  return [0, 4, 8, 12].map((start) => characters.slice(start, start + 4).join("")).join("-");
}
