/** The features of accounts, projects and agents behind the real server, on a database of the test. */
import { createFakeClock, enrollSecondFactor, type FakeClock } from "@svc/testkit";
import { afterEach, beforeEach, expect } from "vitest";
import { agentRoutes, createAgents } from "../src/features/agents/index.ts";
import { apiKeyRoutes, createApiKeys, revokeKeysOf } from "../src/features/api-keys/index.ts";
import { createAudit } from "../src/features/audit/index.ts";
import { cancelPending, forgetIssuer } from "../src/features/commands/index.ts";
import { createHealth, healthRoutes } from "../src/features/health/index.ts";
import {
  createInvitations,
  forgetInviter,
  invitationPublicRoutes,
  invitationRoutes,
} from "../src/features/invitations/index.ts";
import { createMemberAdministration, createMemberships, membershipRoutes } from "../src/features/memberships/index.ts";
import { createMfa, mfaRoutes } from "../src/features/mfa/index.ts";
import { createPasswordReset, passwordResetRoutes } from "../src/features/password-reset/index.ts";
import { createProjects, projectRoutes } from "../src/features/projects/index.ts";
import { createSecurityHistory, securityHistoryRoutes } from "../src/features/security-history/index.ts";
import { createSessions, sessionRoutes } from "../src/features/sessions/index.ts";
import { createSetup, setupPageRoutes, setupRoutes } from "../src/features/setup/index.ts";
import { createUserAdministration, createUsers, userRoutes } from "../src/features/users/index.ts";
import { createKeyring } from "../src/platform/crypto/keyring.ts";
import { createPasswords, passwordLimits } from "../src/platform/crypto/passwords.ts";
import type { Database } from "../src/platform/database/database.ts";
import type { Role } from "../src/platform/http/actor.ts";
import { mount } from "../src/platform/http/app.ts";
import { fixtureSettings } from "../src/platform/http/http-fixture.ts";
import { createServer } from "../src/platform/http/server.ts";
import { createLog } from "../src/platform/log.ts";
import { createMail } from "../src/platform/mail/mail.ts";
import { createMetrics } from "../src/platform/metrics.ts";
import type { Tables } from "../src/schema/tables/index.ts";
import { type FixtureSettings, featureSettings } from "./access-settings.ts";

export const adminEmail = "Mira@Example.org";
export const adminPassword = "Violet-Harbour-71";

export type Fixture = Awaited<ReturnType<typeof startAccess>>;

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  body: any;
  cookies: { name: string; value: string; [attribute: string]: unknown }[];
}

/** Cookies of one browser and the requests it makes. */
export interface Browser {
  readonly jar: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  send(
    method: "POST" | "PATCH" | "DELETE",
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

/** Empties what these features write; opening a database of its own for every test takes longer than the test. */
export async function emptyTables(database: Database<Tables>): Promise<void> {
  const tables = ["memberships", "sessions", "first_boot_tokens", "commands", "agents", "projects", "users"] as const;
  await database.write(async (tx) => {
    for (const table of [...tables, "audit_log", "audit_chain_state", "meta"] as const)
      await tx.deleteFrom(table).execute();
  });
}

/**
 * Gives each test of the surrounding `describe` a fixture of its own on emptied tables, closed after it. Trouble in the background fails the
 * test. Settings are asked for before each test.
 */
export function useAccess(
  opened: { readonly database: Database<Tables> },
  changes: () => Partial<FixtureSettings> = () => ({}),
): Fixture {
  const fixture = {} as Fixture;
  beforeEach(async () => {
    await emptyTables(opened.database);
    Object.assign(fixture, await startAccess(opened.database, changes()));
  });
  afterEach(async () => {
    await fixture.app.close();
    expect(fixture.errors).toEqual([]);
  });
  return fixture;
}

export async function startAccess(
  database: Database<Tables>,
  changes: Partial<FixtureSettings> = {},
  limits = passwordLimits,
) {
  const settings: FixtureSettings = {
    ...fixtureSettings,
    ...featureSettings,
    SVC_METRICS_ENABLED: true,
    SVC_METRICS_PUBLIC: false,
    ...changes,
  };
  // A whole second, as sessions are remembered to the end of theirs.
  const clock: FakeClock = createFakeClock(new Date(Math.floor(Date.now() / 1000) * 1000));
  const errors: unknown[] = [];
  const logged: string[] = [];
  const links: string[] = [];
  const pauses: number[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const log = createLog({ level: "debug", json: true, write: (line) => void logged.push(line) });
  const metrics = createMetrics();
  const keyring = createKeyring("master-secret-0123456789-0123456789");
  const audit = createAudit({
    database,
    clock,
    onError,
    secrets: createKeyring("audit-secret-0123456789-01234567890"),
  });
  await audit.prepare();
  const checked = createPasswords(
    { SVC_ARGON2_TIME_COST: 1, SVC_ARGON2_MEMORY_COST: 8192, SVC_ARGON2_PARALLELISM: 1 },
    limits,
  );
  /** For whom passwords were hashed and verified, in order. */
  const passwordSources: string[] = [];
  const passwords: typeof checked = {
    ...checked,
    hash(password, source) {
      passwordSources.push(source);
      return checked.hash(password, source);
    },
    verify(stored, password, source) {
      passwordSources.push(source);
      return checked.verify(stored, password, source);
    },
  };
  const users = createUsers({ database, clock });
  const memberships = createMemberships({ database, clock, onError });
  const projects = createProjects({
    database,
    clock,
    audit,
    memberships,
    settings,
    onError,
    async cancelCommands(tx, projectId, now) {
      const of = { project_id: projectId };
      const gone = await cancelPending(tx, { of, error: "the project was archived", now });
      return { count: gone.length, tell() {} };
    },
  });
  const mail = createMail({ settings, log, clock });
  const history = createSecurityHistory({ database, clock, mail, settings });
  const owner = { history, revokeKeys: revokeKeysOf };
  const mfa = createMfa({ database, clock, audit, users, passwords, masters: keyring, settings, ...owner });
  const sessions = createSessions({
    database,
    clock,
    log,
    audit,
    keyring: createKeyring("session-secret-0123456789-012345678"),
    passwords,
    users,
    memberships,
    mfa,
    ...owner,
    settings,
    onError,
    pause: async (ms) => void pauses.push(ms),
  });
  const agents = createAgents({
    database,
    clock,
    audit,
    masters: keyring,
    brainVersion: "1.0.0",
    settings,
    publish: () => {},
    onError,
    commandsCancelled: () => {},
  });
  memberships.onChanged(() => projects.forget());
  const apiKeys = createApiKeys({ database, clock, audit, masters: keyring, projects, users, history, onError });
  const accountDeps = {
    ...owner,
    database,
    clock,
    log,
    audit,
    users,
    passwords,
    sessions,
    memberships,
    mail,
    settings,
  };
  const userAdministration = createUserAdministration({ ...accountDeps, forget: [forgetIssuer, forgetInviter] });
  const memberAdministration = createMemberAdministration(accountDeps);
  const invitations = createInvitations({ ...accountDeps, masters: keyring });
  const passwordReset = createPasswordReset({ ...accountDeps, masters: keyring });
  const setup = createSetup({
    database,
    clock,
    log,
    audit,
    users,
    projects,
    passwords,
    sessions,
    masters: keyring,
    settings,
    announce: (url) => void links.push(url),
  });
  const state = { isStarted: true };
  const health = createHealth({
    database,
    clock,
    log,
    audit,
    verifiesAudit: false,
    version: "1.0.0",
    packages: { "@svc/brain": "1.0.0" },
    schema: { applied: async () => "0003_tasks", expected: "0003_tasks" },
    isStarted: () => state.isStarted,
    writeProbe: { fault: () => null },
  });
  const { app, access } = await createServer({
    settings,
    clock,
    log,
    authenticator: { session: sessions.session, apiKey: apiKeys.apiKey },
    projects,
    onAddressDenied: () => {},
  });
  // The next test empties the tables, and must not find the rows of this one there.
  app.addHook("onClose", async () => void (await audit.stop()));
  const { cookies } = access;
  for (const prefix of ["", "/api/v1"]) mount(app, prefix, healthRoutes, { health, metrics, settings });
  mount(app, "", setupPageRoutes, { setup, cookies, clock, settings });
  mount(app, "/api/v1", setupRoutes, { setup, cookies });
  mount(app, "/api/v1", sessionRoutes, { sessions, cookies });
  mount(app, "/api/v1", mfaRoutes, { mfa, cookies });
  mount(app, "/api/v1", securityHistoryRoutes, { history, settings });
  mount(app, "/api/v1", apiKeyRoutes, { apiKeys });
  mount(app, "/api/v1", projectRoutes, { projects });
  mount(app, "/api/v1", membershipRoutes, { memberships, administration: memberAdministration });
  mount(app, "/api/v1", invitationRoutes, { invitations });
  mount(app, "/api/v1", invitationPublicRoutes, { invitations, access });
  mount(app, "/api/v1", passwordResetRoutes, { passwordReset });
  mount(app, "/api/v1", userRoutes, { administration: userAdministration });
  mount(app, "/api/v1", agentRoutes, { agents, clock, settings });
  await app.ready();

  /** A browser with an empty jar; its requests carry its cookies and CSRF token. */
  function browser(remoteAddress = "127.0.0.1"): Browser {
    const jar = new Map<string, string>();
    async function request(
      method: "GET" | "POST" | "PATCH" | "DELETE",
      path: string,
      body?: unknown,
      extra = {},
    ): Promise<Answer> {
      const csrf = jar.get("svc_csrf");
      const response = await app.inject({
        method,
        url:
          path.startsWith("/setup") || path.startsWith("/health") || path.startsWith("/metrics")
            ? path
            : `/api/v1${path.replace(/^~/, "")}`,
        remoteAddress,
        headers: {
          host: "localhost:7700",
          ...(jar.size > 0 && { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") }),
          ...(csrf !== undefined && { "x-csrf-token": csrf }),
          ...(body !== undefined && typeof body !== "string" && { "content-type": "application/json" }),
          ...extra,
        },
        ...(body !== undefined && { payload: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      for (const cookie of response.cookies) {
        if (cookie.value === "" || (cookie.expires !== undefined && cookie.expires <= new Date()))
          jar.delete(cookie.name);
        else jar.set(cookie.name, cookie.value);
      }
      const isJson = String(response.headers["content-type"]).startsWith("application/json");
      return {
        status: response.statusCode,
        headers: response.headers,
        body: isJson ? response.json() : response.body,
        cookies: response.cookies as Answer["cookies"],
      };
    }
    return {
      jar,
      get: (path, headers) => request("GET", path, undefined, headers),
      send: (method, path, body, headers) => request(method, path, body, headers),
    };
  }

  /** Makes an account without going through a route. */
  async function addUser(email: string, { isAdmin = false, password = adminPassword } = {}) {
    const passwordHash = await passwords.hash(password, "fixture");
    return database.write((tx) => users.add(tx, { email, displayName: null, passwordHash, isAdmin }));
  }

  async function signIn(email: string, password = adminPassword, remember = false): Promise<Browser> {
    const signedIn = browser();
    const answer = await signedIn.send("POST", "/auth/login", { email, password, remember_me: remember });
    if (answer.status !== 200) throw new Error(`signing in answered ${answer.status}`);
    return signedIn;
  }

  /** Gives the user of a signed-in browser a second factor. */
  const enroll = (signedIn: Browser) =>
    enrollSecondFactor({ post: (path, body) => signedIn.send("POST", path, body) }, { now: clock.now });

  async function addMember(projectId: string, email: string, role: Role) {
    const user = await addUser(email);
    await database.write((tx) => memberships.add(tx, { userId: user.id, projectId, role }));
    return user;
  }

  async function auditRows(action: string) {
    await audit.settled();
    return database.read
      .selectFrom("audit_log")
      .selectAll()
      .where("action", "=", action)
      .orderBy("occurred_us")
      .execute();
  }

  return {
    ...{ app, settings, clock, errors, logged, links, pauses, state },
    ...{
      audit,
      users,
      mfa,
      owner,
      history,
      apiKeys,
      projects,
      sessions,
      agents,
      setup,
      passwords,
      passwordSources,
      memberships,
      passwordReset,
      userAdministration,
    },
    ...{ browser, addUser, addMember, signIn, enroll, auditRows },
  };
}
