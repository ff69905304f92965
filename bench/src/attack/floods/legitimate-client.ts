import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { createSigner, decodeHmacSecret } from "@svc/protocol";
import type { BenchAgent } from "../../harness/processes.ts";
import { batchPayload } from "../../transport/load.ts";

/**
 * Runs in a separate process, so that the load generator does not slow its measurements: it signs in, reads the task list and uploads
 * batches as an agent, at a low steady rate. A request's time starts when it was due, so that a stall counts for all delayed requests.
 */
export interface LegitimateOptions {
  readonly url: string;
  readonly slug: string;
  readonly account: { readonly email: string; readonly password: string };
  readonly agent: BenchAgent;
  readonly projectId: string;
}

export type LegitimateAction = "signIn" | "list" | "upload";

/** Milliseconds of each request, and the wrong answers; a refused request counts with the time limit. */
export type LegitimateSamples = Readonly<
  Record<LegitimateAction, { readonly ms: number[]; readonly refused: string[] }>
>;

const everyMs: Readonly<Record<LegitimateAction, number>> = { signIn: 500, list: 100, upload: 100 };
const boundMs = 20_000;

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly cookies: readonly string[];
}

const kept = new Agent({ keepAlive: true, maxSockets: 16 });

function send(
  url: string,
  options: { method?: string; path: string; headers?: Record<string, string>; body?: string; isNew?: boolean },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(options.path, url), {
      method: options.method ?? "GET",
      timeout: boundMs,
      // A sign-in uses its own connection.
      ...(options.isNew === true ? {} : { agent: kept }),
      headers: {
        ...(options.body !== undefined && { "content-type": "application/json" }),
        ...options.headers,
      },
    });
    sent.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        const cookies = (response.headers["set-cookie"] ?? []).map((line) => line.split(";")[0] ?? "");
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString(), cookies });
      });
    });
    sent.once("timeout", () => sent.destroy(new Error("no answer in time")));
    sent.once("error", reject);
    sent.end(options.body);
  });
}

async function createClient({ url, slug, account, agent, projectId }: LegitimateOptions) {
  let people = 0;
  const signIn = () => {
    people += 1;
    // Users with their own addresses, distinct from all attackers.
    const headers = { "x-forwarded-for": `203.0.113.${people % 200}` };
    return send(url, {
      method: "POST",
      path: "/api/v1/auth/login",
      headers,
      body: JSON.stringify(account),
      isNew: true,
    });
  };
  const cookie = (await signIn()).cookies.join("; ");
  const nonce = randomBytes(16).toString("base64url");
  const headers = {
    authorization: `Bearer ${agent.token}`,
    "x-svc-session-nonce": nonce,
    "x-forwarded-for": "203.0.113.250",
  };
  const probe = await send(url, { path: "/api/v1/agent/commands?wait=0&max_frames=0", headers });
  if (probe.status !== 200) throw new Error(`the agent's probe answered ${probe.status}: ${probe.body}`);
  const session = { agentId: agent.agentId, projectId, sessionId: nonce };
  const signer = createSigner({ secret: decodeHmacSecret(agent.hmacSecret), session });
  let tasks = Math.floor(Math.random() * 1e9);
  let previous: Promise<unknown> = Promise.resolve();
  const actions: Readonly<Record<LegitimateAction, () => Promise<Answer>>> = {
    signIn,
    list: () =>
      send(url, {
        path: `/api/v1/projects/${slug}/tasks?limit=50`,
        headers: { cookie, "x-forwarded-for": "203.0.113.251" },
      }),
    upload() {
      // An agent has one pending upload at a time, signed when it is sent.
      const upload = previous.then(() => {
        tasks += 100;
        const frame = signer.signText("event_batch", batchPayload(tasks, Date.now() - 60_000), `ev_${tasks}`);
        return send(url, {
          method: "POST",
          path: "/api/v1/agent/events",
          headers,
          body: JSON.stringify({ frames: [frame] }),
        });
      });
      previous = upload.catch(() => {});
      return upload;
    },
  };

  return async function measure(forMs: number): Promise<LegitimateSamples> {
    const names = Object.keys(actions) as LegitimateAction[];
    const series = names.map(async (name) => {
      const ms: number[] = [];
      const refused: string[] = [];
      const running: Promise<void>[] = [];
      const startedMs = performance.now();
      for (let dueMs = 0; dueMs < forMs; dueMs += everyMs[name]) {
        await pause(Math.max(0, startedMs + dueMs - performance.now()));
        const answered = actions[name]().then(
          ({ status, body }) => {
            ms.push(status === 200 ? performance.now() - startedMs - dueMs : boundMs);
            if (status !== 200) refused.push(`${status} ${body.slice(0, 120)}`);
          },
          (fault: Error) => {
            ms.push(boundMs);
            refused.push(fault.message);
          },
        );
        running.push(answered);
      }
      await Promise.all(running);
      return [name, { ms, refused }] as const;
    });
    return Object.fromEntries(await Promise.all(series)) as LegitimateSamples;
  };
}

const client = createClient(JSON.parse(process.argv[2] ?? "{}") as LegitimateOptions);
client.then(
  () => process.send?.("ready"),
  (fault: Error) => {
    console.error(fault.message);
    process.exit(1);
  },
);
process.on("message", async (forMs: number) => process.send?.(await (await client)(forMs)));
