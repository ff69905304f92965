import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { bothDialects, onDatabases, type Place } from "../harness/databases.ts";
import { quantile } from "../harness/quantile.ts";
import { atMost, type BenchContext, type BenchMode, type BenchRow, type BenchSuite, note } from "../harness/suite.ts";
import { seedTasks } from "./task-seed.ts";

const rowsOf: Record<BenchMode, number> = { quick: 5000, standard: 100_000, full: 1_000_000 };
const roundsOf: Record<BenchMode, number> = { quick: 250, standard: 1500, full: 4000 };
const warmUpRounds = 200;
/** Maximum ratio of the times with and without authentication and authorization. */
const target = 1.25;
/** The fastest tenth of requests is judged, since other load on the machine did not affect it. */
const heldShare = 0.1;
/** Marks a request that is served without authentication. */
const bareHeader = "x-bench-bare";

/** Sends one request over the open connection and returns the server's time in milliseconds. */
type Ask = (headers: IncomingHttpHeaders) => Promise<number>;

/**
 * Skips the access check for requests with `bareHeader`: they reach the same handler through the same server, with the caller and project
 * of an earlier checked request.
 */
async function setJudgeAside(brain: TestBrain, learn: () => Promise<unknown>): Promise<void> {
  const { access } = brain.running.brain;
  const judge = access.judge.bind(access);
  type Request = Parameters<typeof judge>[0];
  let learnt: Pick<Request, "caller" | "projectAccess"> | null = null;
  Object.assign(access, {
    judge(request: Request, policy: Parameters<typeof judge>[1]): void | Promise<void> {
      if (learnt !== null && request.headers[bareHeader] !== undefined) {
        request.caller = learnt.caller;
        request.projectAccess = learnt.projectAccess;
        return;
      }
      const judged = judge(request, policy);
      if (learnt !== null) return judged;
      return Promise.resolve(judged).then(() => {
        learnt = { caller: request.caller, projectAccess: request.projectAccess };
      });
    },
  });
  await learn();
}

/** Times are measured in the server, from the parsed request to the last byte sent, which leaves out the cost of the client. */
function createAsk(brain: TestBrain, path: string): { ask: Ask; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let servedMs = 0;
  brain.running.brain.app.server.prependListener("request", (_request, response) => {
    const startedAt = performance.now();
    response.once("finish", () => {
      servedMs = performance.now() - startedAt;
    });
  });
  const ask: Ask = (headers) =>
    new Promise((resolve, reject) => {
      const sent = request(`${brain.url}${path}`, { agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => void chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode !== 200) return reject(new Error(`${path} answered ${response.statusCode}: ${text}`));
          if (JSON.parse(text).items.length !== 50) return reject(new Error(`${path} gave no 50 rows`));
          resolve(servedMs);
        });
      });
      sent.on("error", reject);
      sent.end();
    });
  return { ask, close: () => agent.destroy() };
}

async function measure(
  { mode, signal }: BenchContext,
  { dialect, label, home, databaseUrl }: Place,
): Promise<BenchRow[]> {
  const options = { home, databaseUrl, env: { SVC_API_IP_ALLOWLIST: "127.0.0.0/8,10.0.0.0/8,192.0.2.0/24" } };
  const first = await startTestBrain(options);
  await first.stop();
  await seedTasks({ dialect, databaseUrl }, { projectId: first.project.id, rows: rowsOf[mode] });

  await using brain = await startTestBrain(options);
  const { body: key } = await brain.as.viewer.post("/api-keys", {
    name: "bench",
    scopes: ["tasks:read", "home:read", "queues:read"],
    project_id: brain.project.id,
    allowed_cidrs: ["10.0.0.0/8", "172.16.0.0/12", "2001:db8::/32", "192.0.2.0/24", "127.0.0.1"],
  });
  const kinds = {
    bare: { [bareHeader]: "1" },
    session: { cookie: brain.as.viewer.cookie },
    key: { authorization: `Bearer ${key.token}` },
  };
  const { ask, close } = createAsk(brain, `/api/v1/projects/${brain.project.slug}/tasks?limit=50`);
  try {
    await setJudgeAside(brain, () => ask(kinds.session));
    const names = Object.keys(kinds) as (keyof typeof kinds)[];
    const times: Record<keyof typeof kinds, number[]> = { bare: [], session: [], key: [] };
    const warmUp = Math.min(warmUpRounds, roundsOf[mode]);
    for (let round = -warmUp; round < roundsOf[mode]; round += 1) {
      signal.throwIfAborted();
      // Alternating in random order, so that temporary load slows all of them.
      for (const name of names.toSorted(() => Math.random() - 0.5)) {
        const ms = await ask(kinds[name]);
        if (round >= 0) times[name].push(ms);
      }
    }
    const held = (name: keyof typeof kinds) => quantile(times[name], heldShare);
    return [
      ...names.map((name) => note(`${label}: ${name}, median`, quantile(times[name], 0.5), "ms")),
      note(`${label}: 50-row task list without authentication`, held("bare"), "ms"),
      ...(["session", "key"] as const).map((name) =>
        atMost(
          `${label}: with ${name === "session" ? "a session" : "an API key (ranges, scope, project)"}`,
          held(name),
          "ms",
          { limit: held("bare"), target },
        ),
      ),
    ];
  } finally {
    close();
  }
}

export const suite: BenchSuite = {
  name: "auth-overhead",
  about: "the cost of session or API key, ranges, scope and role for the 50-row task list, on both databases",
  diskBytes: { quick: 5e8, standard: 2e9, full: 10e9 },
  run: (context) => onDatabases(context, bothDialects, (place) => measure(context, place)),
};
