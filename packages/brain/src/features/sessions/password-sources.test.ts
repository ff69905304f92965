import { useTestDatabase } from "@svc/testkit/databases";
import { expect, test } from "vitest";
import { adminPassword, useAccess } from "../../../test/fixtures/access-fixture.ts";

const email = "mira@example.org";
const wrong = "Wrong-Lantern-58";
const newPassword = "Cobalt-Meadow-58";
const opened = useTestDatabase("sqlite");
const fixture = useAccess(opened, () => ({ SVC_LOGIN_LOCKOUT_THRESHOLD: 3 }));

/** The sources that an action uses at the password check. */
async function sourcesOf(action: () => Promise<unknown>): Promise<string[]> {
  const before = fixture.passwordSources.length;
  await action();
  return fixture.passwordSources.slice(before);
}

test("a signed-in user's actions use that user's turn at the password check", async () => {
  const { id } = await fixture.addUser(email, { isAdmin: true });
  const other = await fixture.addUser("other@example.org");
  const browser = await fixture.signIn(email);
  const factor = await fixture.enroll(browser);
  const change = { current_password: adminPassword, new_password: newPassword };
  const actions = [
    () => browser.send("POST", "/auth/step-up", { password: adminPassword }),
    () => browser.send("POST", "/auth/mfa/disable", { password: wrong, code: factor.code() }),
    () => browser.send("POST", "/users", { email: "new@example.org", password: newPassword }),
    () => browser.send("POST", `/users/${other.id}/password`, { new_password: newPassword }),
  ];
  for (const action of actions) expect(await sourcesOf(action)).toEqual([`user:${id}`]);
  const changed = await sourcesOf(() => browser.send("POST", "/auth/change-password", change));
  expect(changed).toEqual([`user:${id}`, `user:${id}`]);
});

test("actions without a sign-in use the turn of their network", async () => {
  await fixture.setup.begin();
  const token = fixture.links[0]?.split("#token=")[1];
  const setup = { token, email, password: adminPassword };
  const stranger = fixture.browser("2001:db8:1:2::3");
  expect(await sourcesOf(() => stranger.send("POST", "~/setup/complete", setup))).toEqual(["2001:db8:1::/48"]);
  const root = await fixture.signIn(email);
  const invitation = { email: "new@example.org", role: "viewer" };
  const invited = await root.send("POST", "/projects/default/invitations", invitation);
  const accept = { token: invited.body.token, display_name: "New", password: newPassword };
  const visitor = fixture.browser("192.0.2.7");
  expect(await sourcesOf(() => visitor.send("POST", "/invitations/accept", accept))).toEqual(["192.0.2.7"]);
});

test("a session of a locked account causes no password check and no separate rows, and gets the same answer", async () => {
  await fixture.addUser(email);
  const browser = await fixture.signIn(email);
  const guess = () =>
    browser.send("POST", "/auth/change-password", { current_password: wrong, new_password: newPassword });
  const first = await guess();
  for (let count = 1; count < 3; count += 1) await guess();
  const rows = () => opened.database.read.selectFrom("audit_log").select("id").execute();
  const before = await rows();
  for (const password of [wrong, adminPassword]) {
    const body = { current_password: password, new_password: newPassword };
    expect(
      await sourcesOf(async () => {
        const { request_id: _, ...answer } = (await browser.send("POST", "/auth/change-password", body)).body;
        const { request_id: __, ...expected } = first.body;
        expect(answer).toEqual(expected);
      }),
    ).toEqual([]);
  }
  expect(await sourcesOf(() => browser.send("POST", "/auth/step-up", { password: adminPassword }))).toEqual([]);
  expect(await rows()).toEqual(before);
  const reasons = (await fixture.auditRows("auth.password_changed")).map(({ metadata }) => JSON.parse(metadata).reason);
  expect(reasons).toEqual(["wrong_password", "wrong_password", "wrong_password", "locked", "locked"]);
});

test("password changes share the rate limit of codes and step-ups", async () => {
  await fixture.addUser(email);
  const browser = await fixture.signIn(email);
  const send = () =>
    browser.send("POST", "/auth/change-password", { current_password: wrong, new_password: newPassword });
  for (let count = 0; count < 10; count += 1) expect((await send()).status).toBe(422);
  expect(await send()).toMatchObject({ status: 429, body: { error: "rate_limited" } });
});
