import { enrollSecondFactor } from "@svc/testkit";
import { type ApiAnswer, anonymous, signIn, startTestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { startMailServer } from "@svc/testkit/services/mail";
import { expect, test } from "vitest";

const settings = {
  SVC_SECRET: "planted-master-0123456789-0123456789",
  SVC_SESSION_SECRET: "planted-session-master-0123456789-0123",
  SVC_AUDIT_CHAIN_SECRET: "planted-audit-master-0123456789-012345",
  SVC_METRICS_AUTH_TOKEN: "planted-metrics-token-0123",
  SVC_LOG_LEVEL: "debug",
};
const passwords = {
  wrong: "Planted-Wrong-Password-1",
  malformed: "Planted-Malformed-Password-2",
  typed: "Planted-Typed-Password-3",
  first: "Planted-First-Password-4",
  second: "Planted-Second-Password-5",
  third: "Planted-Third-Password-6",
  invited: "Planted-Invited-Password-7",
};
const email = "pia@example.org";
/** The unpadded base64url form of 32 bytes, like the tokens of links. */
const foreignToken = "planted-foreign-token-0123456789-0123456789".slice(0, 43);

test.each(routeDialects)(
  "no secret, token or digest is in a log, an error, an export, a response or an audit row (%s)",
  async (dialect) => {
    const server = await startMailServer();
    const mail = { SVC_MAIL_URL: server.url, SVC_MAIL_FROM: "svc@example.org" };
    await using brain = await startTestBrain({ dialect, env: { ...settings, ...mail } });
    const { root, anonymous: guest } = brain.as;
    const project = `/projects/${brain.project.slug}`;
    const secrets = new Map<string, string>(Object.entries(passwords));
    for (const [name, value] of Object.entries(settings)) if (value.startsWith("planted")) secrets.set(name, value);
    secrets.set("mail password", server.password).set("foreign token", foreignToken);
    const seen: string[] = [];
    /** Keeps the response for the search at the end. */
    const keep = async (answer: Promise<ApiAnswer>, status: number): Promise<ApiAnswer> => {
      const got = await answer;
      expect(got.status, got.text).toBe(status);
      seen.push(got.text, JSON.stringify([...got.headers].filter(([name]) => name !== "set-cookie")));
      return got;
    };
    /** Responses that show a secret once: the search includes the secret, but not the response. */
    const take = async (answer: Promise<ApiAnswer>, names: readonly string[]): Promise<ApiAnswer> => {
      const got = await answer;
      expect(got.status, got.text).toSatisfy((status: number) => status === 200 || status === 201);
      for (const name of names) secrets.set(`${name} ${secrets.size}`, got.body[name]);
      return got;
    };

    // Successful and failed sign-ins.
    await keep(guest.post("/auth/login", { email, password: passwords.wrong }), 401);
    await keep(guest.post("/auth/login", `{"email":"${email}","password":"${passwords.malformed}`), 422);
    await keep(guest.post("/auth/login", { email, password: [passwords.typed] }), 422);
    await keep(root.post("/users", { email, password: passwords.first, first_name: "Pia" }), 201);
    const pia = await signIn(brain.url, email, passwords.first);
    for (const cookie of pia.cookie.split("; ")) secrets.set(`cookie ${secrets.size}`, cookie.split("=")[1] as string);
    const bodies = { current_password: passwords.wrong, new_password: passwords.second };
    await keep(pia.post("/auth/change-password", bodies), 422);
    await keep(pia.post("/auth/change-password", { ...bodies, current_password: passwords.first }), 200);

    // Second factor.
    const factor = await enrollSecondFactor(root);
    secrets.set("factor", factor.secret);
    for (const code of factor.recoveryCodes) secrets.set(`recovery code ${secrets.size}`, code);
    await keep(root.post("/auth/mfa/verify", { code: factor.recoveryCodes[0] }), 200);
    await keep(root.post("/auth/mfa/verify", { code: factor.recoveryCodes[0] }), 422);

    // Keys and agents.
    const key = await take(
      root.post("/api-keys", { name: "report", scopes: ["tasks:read"], allowed_cidrs: ["10.0.0.0/8"] }),
      ["token"],
    );
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    await keep(guest.get(`${project}/tasks`, bearer(key.body.token)), 403);
    await keep(guest.get(`${project}/tasks`, bearer(`svk_${foreignToken}`)), 401);
    await keep(root.delete(`/api-keys/${key.body.id}`), 204);
    const agent = await take(root.post(`${project}/agents`, { name: "shop" }), ["token", "hmac_secret"]);
    await keep(guest.post("/agent/events", { frames: [] }, bearer(agent.body.token)), 422);
    await keep(guest.post("/agent/events", { frames: [] }, bearer(foreignToken)), 401);

    // Links.
    const invited = "ines@example.org";
    const invitation = await take(root.post(`${project}/invitations`, { email: invited }), ["token"]);
    await server.takeAbout("Invitation to Shop");
    const { token } = invitation.body;
    await keep(guest.post("/invitations/preview", { token: foreignToken }), 404);
    await keep(guest.post("/invitations/preview", { token }), 200);
    await keep(guest.post("/invitations/accept", { token, display_name: "Ines", password: "short" }), 422);
    await keep(guest.post("/invitations/accept", { token, display_name: "Ines", password: passwords.invited }), 201);
    const askReset = async (): Promise<string> => {
      await keep(guest.post("/auth/password-reset/request", { email }), 200);
      const mailed = /#token=([\w-]+)/.exec((await server.takeAbout("Reset your password")).text)?.[1] ?? "";
      expect(mailed).toHaveLength(43);
      secrets.set(`reset token ${secrets.size}`, mailed);
      return mailed;
    };
    const reset = await askReset();
    const confirm = (of: string, new_password: string) =>
      guest.post("/auth/password-reset/confirm", { token: of, new_password });
    await keep(confirm(foreignToken, passwords.third), 404);
    await keep(confirm(reset, passwords.third.toLowerCase().slice(0, 11)), 422);
    await keep(confirm(reset, passwords.third), 200);
    await keep(confirm(reset, passwords.third), 404);
    // Another request, unused, whose row stays for the search.
    await askReset();
    await keep(guest.get(`//setup?token=${foreignToken}`), 404);
    await keep(guest.get(`/nothing?token=${foreignToken}`), 404);

    // Pages that users and programs read.
    for (const path of ["/users", "/api-keys", "/auth/me", "/auth/sessions", "/auth/security-history"])
      await keep(root.get(path), 200);
    for (const path of ["/auth/mfa/status", "/admin/settings"]) await keep(root.get(path), 200);
    for (const path of ["/activity?limit=200", "/health/system", "/health/deep", "/openapi.json", `${project}/agents`])
      await keep(root.get(path), 200);
    for (const format of ["csv", "json"]) await keep(root.get(`${project}/audit?format=${format}`), 200);
    await keep(root.get(`${project}/memberships`), 200);
    await keep(anonymous(brain.url).get("//metrics", bearer(settings.SVC_METRICS_AUTH_TOKEN)), 200);

    const { read } = brain.running.brain.database;
    const users = await read.selectFrom("users").select(["password_hash", "mfa_secret"]).execute();
    for (const { password_hash, mfa_secret } of users) {
      secrets.set(`password hash ${secrets.size}`, password_hash);
      if (mfa_secret !== null) secrets.set("sealed factor", mfa_secret);
    }
    const tables = ["sessions", "api_keys", "agents", "invitations", "password_reset_tokens"] as const;
    for (const table of tables) {
      const rows = await read.selectFrom(table).select("token_hash").execute();
      expect(rows.length, table).toBeGreaterThan(0);
      for (const { token_hash } of rows) secrets.set(`${table} digest ${secrets.size}`, token_hash);
    }
    const audit = await read.selectFrom("audit_log").selectAll().execute();
    const places = { answers: seen.join("\n"), logs: brain.logLines.join("\n"), audit: JSON.stringify(audit) };
    await server.stop();

    // Control: the places contain the user and the actions.
    expect(places.answers).toContain(email);
    expect(places.logs.length).toBeGreaterThan(1000);
    const actions = new Set(audit.map(({ action }) => action));
    for (const action of ["auth.login_failed", "api_key.created", "invitation.accept", "auth.password_reset_completed"])
      expect(actions).toContain(action);
    expect(secrets.size).toBeGreaterThan(40);
    const found = [...secrets].flatMap(([name, value]) =>
      Object.entries(places).flatMap(([place, text]) => (text.includes(value) ? [`${name} in ${place}`] : [])),
    );
    expect(found).toEqual([]);
  },
);
