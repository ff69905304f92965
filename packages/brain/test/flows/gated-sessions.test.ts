import { enrollSecondFactor } from "@svc/testkit";
import { type ApiClient, signIn, startTestBrain, type TestBrain, testPassword } from "@svc/testkit/brain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMutating } from "../../src/platform/http/access/policy.ts";
import { routeTable } from "../../src/platform/http/access/route-table.ts";

const anyId = "00000000-0000-4000-8000-000000000000";
const logout = "POST /api/v1/auth/logout";
/** Routes that a session may call while its second factor is pending (docs/reference/second-factor.md). */
const openWhilePending = [
  "GET /api/v1/auth/me",
  "GET /api/v1/auth/mfa/status",
  logout,
  "POST /api/v1/auth/mfa/verify",
].sort();
/** Routes that a session may call after the enrollment deadline (docs/reference/second-factor.md). */
const openWhileOverdue = [
  "GET /api/v1/auth/me",
  "GET /api/v1/auth/mfa/status",
  logout,
  "POST /api/v1/auth/mfa/enroll-complete",
  "POST /api/v1/auth/mfa/enroll-start",
  // Starting an enrollment may require the password again.
  "POST /api/v1/auth/step-up",
].sort();

/** Calls every route that requires a session, signing out last. */
async function callEveryRoute(
  brain: TestBrain,
  as: ApiClient,
  gate: string,
): Promise<{ open: string[]; closed: string[] }> {
  const open: string[] = [];
  const closed: string[] = [];
  const routes = routeTable(brain.running.brain.app)
    .filter(({ policy }) => policy.public === undefined && policy.tag !== "agent-transport")
    .map(({ method, path }) => ({ method, path, name: `${method} ${path}` }));
  routes.sort((a, b) => Number(a.name === logout) - Number(b.name === logout));
  for (const [index, { method, path, name }] of routes.entries()) {
    const target = path
      .replace(":slug", brain.project.slug)
      .replaceAll(/(?<=\/):\w+/g, anyId)
      .replace("::", ":");
    const response = await fetch(`${brain.url}${target}`, {
      method,
      headers: {
        cookie: as.cookie,
        "x-csrf-token": as.csrfToken,
        // Each request uses its own address, so that no rate limit is reached.
        "x-forwarded-for": `10.1.${index >> 8}.${index & 255}`,
        ...(isMutating(method) && { "content-type": "application/json" }),
      },
      ...(isMutating(method) && { body: "{}" }),
    });
    const { error } = (await response.json().catch(() => ({}))) as { error?: string };
    if (response.status === 403 && error === gate) closed.push(name);
    else open.push(name);
  }
  return { open: open.sort(), closed };
}

describe("a session restricted by the second factor", () => {
  let brain: TestBrain;
  let enforcing: TestBrain;
  beforeAll(async () => {
    const env = { SVC_TRUSTED_PROXIES: "127.0.0.1" };
    brain = await startTestBrain({ env });
    enforcing = await startTestBrain({
      env: { ...env, SVC_MFA_ENFORCE_FOR_ADMINS: "true", SVC_MFA_ENROLLMENT_GRACE_DAYS: "0" },
    });
  });
  afterAll(() => Promise.all([brain.stop(), enforcing.stop()]));

  test("opens the four routes of a pending code, and no other route of the service", async () => {
    await enrollSecondFactor(brain.as.root);
    const pending = await signIn(brain.url, "admin@example.org", testPassword);
    const { open, closed } = await callEveryRoute(brain, pending, "mfa_reverify_required");
    expect(open).toEqual(openWhilePending);
    expect(closed.length).toBeGreaterThan(50);
  });

  test("opens the six routes of an overdue enrollment, and no other route of the service", async () => {
    const { open, closed } = await callEveryRoute(enforcing, enforcing.as.root, "mfa_enrollment_required");
    expect(open).toEqual(openWhileOverdue);
    expect(closed.length).toBeGreaterThan(50);
  });
});
