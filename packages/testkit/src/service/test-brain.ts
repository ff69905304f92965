import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Agent, type AgentOptions, startAgent } from "@svc/agent";
import { type RunningBrain, type StartOptions, startBrain } from "@svc/brain";
import { freshDatabaseUrl, migratedDatabaseUrl, type TestDialect } from "../databases.ts";
import type { FakeClock } from "../fake-clock.ts";
import { freePort } from "../free-port.ts";
import { mintedSecrets, refuseLeaks } from "../no-leaks.ts";
import { createScriptedAdapter } from "../peer/scripted-adapter.ts";
import { waitFor } from "../wait-for.ts";
import { type ApiClient, anonymous, clientOf } from "./test-client.ts";

const adminEmail = "admin@example.org";
export const testPassword = "correct horse battery";

export interface TestBrainOptions {
  readonly dialect?: TestDialect;
  /** SVC_ settings that override those of tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** URL of the caller's own database; it is not removed at the end. */
  readonly databaseUrl?: string;
  /** The caller's own home folder, for a second start on the same data. */
  readonly home?: string;
  /** The test's own clock; default: the system's. */
  readonly clock?: FakeClock;
  /** Preferred port, if it is free; default: any free port. */
  readonly port?: number;
  /** Starts the embedded scheduler; by default none runs. */
  readonly startScheduler?: StartOptions["startScheduler"];
}

export type TestRole = "viewer" | "operator" | "admin" | "auditor";

export interface MintedAgent {
  readonly agentId: string;
  readonly token: string;
  readonly hmacSecret: string;
}

export type TestBrain = Awaited<ReturnType<typeof startTestBrain>>;

const maxLogLines = 2000;

/** Settings of all test brains: cheap password hashes, no sign-in delays, and commits without a sync. */
const quickSettings = {
  SVC_LOG_LEVEL: "warn",
  SVC_SQLITE_SYNCHRONOUS: "normal",
  SVC_ARGON2_TIME_COST: "1",
  SVC_ARGON2_MEMORY_COST: "8192",
  SVC_ARGON2_PARALLELISM: "1",
  SVC_LOGIN_MIN_DURATION_MS: "0",
};

/** Starts a complete brain on a free port with a new database, one project, and a signed-in caller for each role. */
export async function startTestBrain(options: TestBrainOptions = {}) {
  // Migrations store the real time, which may differ from the test's clock.
  const newDatabase = options.clock === undefined ? migratedDatabaseUrl : freshDatabaseUrl;
  const fresh = options.databaseUrl === undefined ? await newDatabase(options.dialect ?? "sqlite") : null;
  const databaseUrl = options.databaseUrl ?? fresh?.url ?? "";
  const home = options.home ?? (await mkdtemp(join(tmpdir(), "svc-test-home-")));
  const logLines: string[] = [];
  const startOptions = {
    cwd: home,
    ...(options.clock !== undefined && { clock: options.clock }),
    writeLog(line: string) {
      if (logLines.length < maxLogLines) logLines.push(line);
    },
    announce: () => {},
    ...(options.startScheduler !== undefined && { startScheduler: options.startScheduler }),
    env: {
      SVC_HOME: home,
      SVC_DATABASE_URL: databaseUrl,
      ...quickSettings,
      SVC_BOOTSTRAP_ADMIN_EMAIL: adminEmail,
      SVC_BOOTSTRAP_ADMIN_PASSWORD: testPassword,
      ...options.env,
    },
  };
  const running = await startBrain({ ...startOptions, port: options.port ?? 0 }).catch(
    (fault: NodeJS.ErrnoException) => {
      if (fault.code !== "EADDRINUSE") throw fault;
      return startBrain({ ...startOptions, port: 0 });
    },
  );
  const url = `http://127.0.0.1:${running.port}`;
  const agents: Agent[] = [];
  const shownOnce: string[] = [];

  const members = await makeMembers(running);
  const projectIds = [members.project.id];
  const callers = await openSessions(running, url, members.emails);

  async function mintAgent(
    name = `agent-${agents.length}-${Math.random().toString(36).slice(2, 8)}`,
  ): Promise<MintedAgent> {
    const root = callers.root as ApiClient;
    const { body, status } = await root.post(`/projects/${members.project.slug}/agents`, { name });
    if (status !== 201) throw new Error(`minting answered ${status}`);
    shownOnce.push(body.token, body.hmac_secret);
    return { agentId: body.agent.id, token: body.token, hmacSecret: body.hmac_secret };
  }

  /** @throws when a log line contains a secret. */
  async function stop(): Promise<void> {
    await Promise.all(agents.map((agent) => agent.stop()));
    await running.stop();
    const secrets = [...(await mintedSecrets(home)), ...shownOnce, testPassword];
    if (options.home === undefined) await rm(home, { recursive: true, force: true });
    await fresh?.drop();
    refuseLeaks(logLines, secrets);
  }

  return {
    running,
    /** `http://127.0.0.1:<port>`, without a trailing slash. */
    url,
    home,
    /** For a second brain on the same database; with the same `home` it has the same secrets. */
    databaseUrl,
    /** The default project: the administrator created it, and each role below is a member. */
    project: members.project,
    /** Signed-in callers, by project role; `root` is the instance admin, `stranger` is no project's member, `anonymous` is signed out. */
    as: { ...callers, anonymous: anonymous(url) } as Record<TestRole | "root" | "stranger" | "anonymous", ApiClient>,
    logLines: logLines as readonly string[],
    /** A new signed-in account that has only this role, in all current projects. (`as.admin` is also the instance's administrator.) */
    async addMember(name: string, role: TestRole) {
      const { database, features } = running.brain;
      const passwordHash = (await features.users.findByEmail(adminEmail))?.password_hash ?? "";
      const email = `${name}@example.org`;
      await database.write(async (tx) => {
        const user = await features.users.add(tx, { email, displayName: name, passwordHash, isAdmin: false });
        for (const projectId of projectIds) await features.memberships.add(tx, { userId: user.id, projectId, role });
      });
      features.projects.forget();
      return (await openSessions(running, url, [[name, email]]))[name] as ApiClient;
    },
    /** Another project with the current members of the test's project. */
    async addProject(slug: string, name: string) {
      const { body, status } = await (callers.root as ApiClient).post("/projects", { slug, name });
      if (status !== 201) throw new Error(`creating the project answered ${status}`);
      const { database, features } = running.brain;
      // The creator of a project is already a member.
      const there = new Set((await features.memberships.list(body.id)).map((member) => member.user_id));
      const missing = (await features.memberships.list(members.project.id)).filter(
        ({ user_id }) => !there.has(user_id),
      );
      await database.write(async (tx) => {
        for (const { user_id: userId, role } of missing)
          await features.memberships.add(tx, { userId, projectId: body.id, role });
      });
      features.projects.forget();
      projectIds.push(body.id);
      return { id: body.id as string, slug };
    },
    mintAgent,
    /** A real agent with a scripted adapter, over WebSocket by default. Resolves when the service shows it online. */
    async connectAgent(agentOptions: Partial<AgentOptions> = {}) {
      const minted = await mintAgent();
      const adapter = createScriptedAdapter();
      const agent = startAgent({
        brainUrl: url,
        token: minted.token,
        hmacSecret: minted.hmacSecret,
        agentId: minted.agentId,
        devMode: true,
        engines: [adapter],
        bufferPath: join(home, "agents"),
        log: { debug() {}, info() {}, warn() {}, error() {} },
        ...agentOptions,
      });
      agents.push(agent);
      await agent.ready;
      const agentId = agentOptions.agentId ?? minted.agentId;
      await waitFor(() => showsOnline(running, agentId), { that: "the agent online" });
      return { agent, minted, adapter };
    },
    /** Runs one round of a background loop now. */
    runLoop: (name: string): Promise<unknown> => running.brain.loops.runOnce(name),
    /** Writes pending reports of queues and workers now; otherwise it takes up to a second. */
    async flushNotes() {
      const { queues, workers } = running.brain.features;
      await Promise.all([queues.flush(), workers.flush()]);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** A brain on SQLite before its setup, listening at the address of its setup link. */
export async function startNewBrain(
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly link: URL; stop(): Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), "svc-test-home-"));
  const links: string[] = [];
  const running = await startBrain({
    cwd: home,
    writeLog: () => {},
    announce: (url) => void links.push(url),
    env: { SVC_HOME: home, SVC_BIND_PORT: String(await freePort()), ...quickSettings, ...env },
  });
  return {
    link: new URL(links[0] ?? ""),
    async stop() {
      await running.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** The test project with one member per role; all have the administrator's password. */
async function makeMembers(running: RunningBrain) {
  const { database, features } = running.brain;
  const admin = await features.users.findByEmail(adminEmail);
  if (admin === undefined) throw new Error("the bootstrap administrator is missing");
  const origin = { user_id: admin.id, api_key_id: null, source_ip: null, user_agent: null };
  const known = (await features.projects.list(asRoot(admin.id), { includeArchived: false })).find(
    ({ slug }) => slug === "shop",
  );
  const project =
    known ?? (await features.projects.create({ body: { slug: "shop", name: "Shop" }, creatorId: admin.id, origin }));
  const roles = ["viewer", "operator", "admin", "auditor", "stranger"] as const;
  for (const role of roles) {
    if ((await features.users.findByEmail(`${role}@example.org`)) !== undefined) continue;
    await database.write(async (tx) => {
      const user = await features.users.add(tx, {
        email: `${role}@example.org`,
        displayName: role,
        passwordHash: admin.password_hash,
        isAdmin: false,
      });
      if (role !== "stranger") await features.memberships.add(tx, { userId: user.id, projectId: project.id, role });
    });
  }
  features.projects.forget();
  const emails = [["root", adminEmail], ...roles.map((role) => [role, `${role}@example.org`] as const)] as const;
  return { project: { id: project.id, slug: project.slug }, emails };
}

/** Sessions like those of sign-ins, without the cost of checking a password. */
async function openSessions(running: RunningBrain, url: string, emails: readonly (readonly [string, string])[]) {
  const { access, database, features } = running.brain;
  const { session, csrf } = access.cookies;
  return database.write(async (tx) => {
    const callers: Record<string, ApiClient> = {};
    for (const [name, email] of emails) {
      const userId = (await features.users.findByEmail(email))?.id ?? "";
      const origin = { user_id: userId, api_key_id: null, source_ip: "127.0.0.1", user_agent: "node" };
      const { isSpared } = await features.mfa.signIn(tx, { userId, trustCookie: undefined, origin });
      const given = { userId, isRemembered: false, isMfaSpared: isSpared, origin };
      const issued = await features.sessions.issue(tx, { ...given, presentedCookie: undefined, device: null });
      const entry = { action: "auth.login", target_type: "session", target_id: issued.id, ...origin };
      await features.audit.append(tx, [entry]);
      const { cookie, csrfToken } = issued;
      callers[name] = clientOf(url, `${session.name}=${cookie}; ${csrf.name}=${csrfToken}`, csrfToken);
    }
    return callers;
  });
}

/** Whether the agent is online and, over WebSocket, its capabilities are known. */
async function showsOnline({ brain }: RunningBrain, agentId: string): Promise<boolean> {
  const agent = await brain.database.read
    .selectFrom("agents as a")
    .leftJoin("agent_workers as w", (join) => join.onRef("w.agent_id", "=", "a.id").on("w.state", "=", "online"))
    .select(["a.state", "a.transport", "w.id as session"])
    .where("a.id", "=", agentId)
    .executeTakeFirst();
  return agent?.state === "online" && (agent.transport === "longpoll" || agent.session !== null);
}

const asRoot = (id: string) =>
  ({
    kind: "session",
    user: { id, email: adminEmail, display_name: null, is_admin: true },
    sessionId: "",
    csrfToken: "",
    provedAt: null,
    mfa: { enrolled: false, pending: false, verifiedAt: null, overdueSince: null },
  }) as const;

export { type ApiAnswer, type ApiClient, anonymous, signIn } from "./test-client.ts";
