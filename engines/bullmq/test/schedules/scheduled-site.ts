import { freePort, waitFor } from "@svc/testkit";
import { type ApiClient, signIn } from "@svc/testkit/brain";
import { type BrainProcess, startBrainProcess } from "@svc/testkit/brain-process";
import { migratedDatabaseUrl, type TestDialect } from "@svc/testkit/databases";
import { mintSchedulerConnection, type SchedulerProcess, startSchedulerProcess } from "@svc/testkit/scheduler-process";
import { type Sidecar, startSidecar } from "@svc/testkit/sidecar-process";
import { expect, inject } from "vitest";
import { type Application, startApplication } from "../applications.ts";
import { temporaryFolder } from "../folders.ts";

const account = { email: "root@example.org", password: "correct horse battery" };
const queue = "mail";
const base = "/projects/default/schedules";

export interface SiteOptions {
  readonly dialect: TestDialect;
  /** `separate`: in processes of their own, with certificates. `embedded`: whatever `svc serve` does with nothing configured. */
  readonly schedulers: "separate" | "embedded";
  readonly brainEnv?: Readonly<Record<string, string>>;
}

/** A process that a test kills and starts again. */
export interface Part {
  start(): Promise<void>;
  kill(): Promise<void>;
}

export interface AgentPart extends Part {
  /** Stops it with SIGTERM; resolves when it has ended. */
  stop(): Promise<void>;
}

export interface Scheduler extends Part {
  isLeader(): Promise<boolean>;
}

/** A fire, as the service lists it. */
export interface Fire {
  readonly fire_id: string;
  readonly status: string;
  readonly scheduled_for: string;
  readonly fired_at: string;
  readonly dispatched_at: string | null;
  readonly latency_ms: number | null;
  readonly task_id: string | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
}

/** A schedule, as the service returns it when it is created. */
export interface Created {
  readonly id: string;
  readonly next_run_at: string;
}

/** A run of a job. */
export interface Ran {
  readonly id: string | undefined;
  readonly data: unknown;
}

export type Site = Awaited<ReturnType<typeof startSite>>;

/**
 * A service, its schedulers, the side-car of a BullMQ application, each in a process of its own, and a worker in this one. Nothing but the
 * service has been started.
 */
export async function startSite({ dialect, schedulers, brainEnv = {} }: SiteOptions) {
  const cleanups: (() => unknown)[] = [];
  const separate: { kill(): Promise<void>; stop(): Promise<void> }[] = [];
  const killSchedulers = async () => void (await Promise.all(separate.map((scheduler) => scheduler.kill())));
  async function stop(): Promise<void> {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  }
  try {
    const database = await migratedDatabaseUrl(dialect);
    const home = await temporaryFolder();
    cleanups.push(database.drop, home.remove, killSchedulers);
    const [port, grpcPort] = [await freePort(), await freePort()];
    const connection = schedulers === "separate" ? await mintSchedulerConnection(home.folder, grpcPort) : null;

    let brainProcess: BrainProcess | undefined;
    const brain: Part = {
      async start() {
        const env = { ...brainSettings, ...connection?.brain, ...brainEnv };
        brainProcess = await startBrainProcess({ home: home.folder, databaseUrl: database.url, port, env });
      },
      kill: async () => brainProcess?.kill(),
    };
    cleanups.push(brain.kill);
    await brain.start();
    const url = `http://127.0.0.1:${port}`;
    const api = await signIn(url, account.email, account.password);

    const app = startApplication("6", inject("redisUrl"));
    cleanups.push(() => app.close());
    const ran: Ran[] = [];
    await app.worker(queue, async ({ id, data }) => void ran.push({ id, data }));
    // A worker alone does not create its queue.
    await app.queue(queue).schedulers();

    return {
      api,
      app,
      databaseUrl: database.url,
      /** Base path of schedules. */
      base,
      /** The jobs that a worker ran, in order. */
      ran: ran as readonly Ran[],
      brain,
      agent: await agentOf(api, { url, app, cleanups }),
      /** One more scheduler; it is not started. */
      async scheduler(env: Readonly<Record<string, string>> = {}): Promise<Scheduler> {
        const status = await freePort();
        let running: SchedulerProcess | undefined;
        const part = {
          async start() {
            const all = { ...connection?.scheduler, ...env };
            running = await startSchedulerProcess({ folder: home.folder, port: status, env: all });
          },
          kill: async () => running?.kill(),
          stop: async () => void (await running?.stop()),
          isLeader: async () => (await running?.info())?.leader === true,
        };
        separate.push(part);
        return part;
      },
      /** Stops all of them, after the answers to their calls. Whether there were any. */
      async stopSchedulers(): Promise<boolean> {
        await Promise.all(separate.map((scheduler) => scheduler.stop()));
        return separate.length > 0;
      },
      /** Task id of a fire's job. */
      taskOf: ({ fire_id }: Fire) => `${app.prefix}:${queue}:${jobOf(fire_id)}`,
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (fault) {
    await stop();
    throw fault;
  }
}

const brainSettings = {
  SVC_ARGON2_TIME_COST: "1",
  SVC_ARGON2_MEMORY_COST: "8192",
  SVC_ARGON2_PARALLELISM: "1",
  SVC_BOOTSTRAP_ADMIN_EMAIL: account.email,
  SVC_BOOTSTRAP_ADMIN_PASSWORD: account.password,
  SVC_PENDING_FIRES_REPLAY_INTERVAL_SECONDS: "1",
  // A fire must not time out because the machine is slow.
  SVC_COMMAND_TIMEOUT_SECONDS: "600",
};

/** `svc agent bullmq`, always with the same buffer. */
async function agentOf(
  api: ApiClient,
  { url, app, cleanups }: { url: string; app: Application; cleanups: (() => unknown)[] },
): Promise<AgentPart> {
  const { body } = await api.post("/projects/default/agents", { name: "side-car" });
  const minted = { agentId: body.agent.id, token: body.token, hmacSecret: body.hmac_secret };
  const own = await temporaryFolder();
  cleanups.push(own.remove);
  let sidecar: Sidecar | undefined;
  const part = {
    async start() {
      const args = ["--redis", inject("redisUrl"), "--prefix", app.prefix];
      sidecar = startSidecar(args, { brainUrl: url, minted, folder: own.folder });
    },
    kill: async () => sidecar?.kill(),
    stop: async () => void (await sidecar?.stop()),
  };
  cleanups.push(part.kill);
  return part;
}

/** The id of a fire's BullMQ job. */
export const jobOf = (fireId: string): string => `svc-fire-${fireId}`;

/** Creates a schedule that adds a job each second unless `given` differs. */
export async function createSchedule({ api, app }: Site, name: string, given: Readonly<Record<string, unknown>> = {}) {
  const definition = { engine: "bullmq", kind: "interval", expression: "1", task_name: "send", kwargs: { name } };
  const label = `${app.prefix}:${queue}`;
  const { status, body } = await api.post(base, { name, queue: label, ...definition, ...given });
  expect([status, body]).toEqual([201, expect.anything()]);
  return body as Created;
}

/** Its fires, oldest slot first. */
export async function firesOf({ api }: Site, id: string): Promise<Fire[]> {
  const { body } = await api.get(`${base}/${id}/fires?limit=1000`);
  return (body as Fire[]).toSorted((a, b) => a.scheduled_for.localeCompare(b.scheduled_for));
}

/** Waits until each schedule has this many more acknowledged fires than before the call. */
export async function fireMore(site: Site, schedules: readonly Created[], count: number): Promise<void> {
  const acked = (fires: readonly Fire[]) => fires.filter(({ status }) => status === "acked_success").length;
  const before = await Promise.all(schedules.map(({ id }) => firesOf(site, id)));
  for (const [index, { id }] of schedules.entries()) {
    const wanted = acked(before[index] ?? []) + count;
    await waitFor(
      async () => {
        const fires = await firesOf(site, id);
        if (acked(fires) < wanted) throw new Error(fires.slice(-5).map(describeFire).join(", "));
        return true;
      },
      { everyMs: 100, that: `${wanted} acknowledged fires` },
    );
  }
}

const describeFire = ({ scheduled_for, status, error_message }: Fire) => `${scheduled_for} ${status} ${error_message}`;

const openStatuses = ["pending", "accepted", "delivered", "buffered"];

/**
 * Ends the schedules and waits until none of their fires is open. Returns what is then stored of each. Disabling would end fires that wait in
 * the buffer for an agent, so its schedulers are stopped first, and such fires are delivered.
 */
export async function settle(site: Site, schedules: readonly Created[]) {
  const areStopped = await site.stopSchedulers();
  const ending = areStopped ? openStatuses : ["buffered"];
  for (const { id } of schedules) {
    const isAnyLeft = async () => (await firesOf(site, id)).some(({ status }) => ending.includes(status));
    await waitFor(async () => !(await isAnyLeft()), { everyMs: 100, that: "the end of fires that began" });
    await site.api.post(`${base}/${id}/disable`);
  }
  return await waitFor(
    async () => {
      const found = [];
      for (const { id } of schedules) {
        const fires = await firesOf(site, id);
        const open = fires.filter(({ status }) => openStatuses.includes(status));
        if (open.length > 0) throw new Error(open.map(describeFire).join(", "));
        found.push({ schedule: (await site.api.get(`${base}/${id}`)).body, fires });
      }
      return found;
    },
    { everyMs: 100, that: "the end of every fire" },
  );
}
