import { useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, expect, test } from "vitest";
import { adminPassword, type Browser, useAccess } from "../../../test/fixtures/access-fixture.ts";

const email = "mira@example.org";
const notEnrolled = { status: 409, body: { error: "conflict", details: { reason: "not_enrolled" } } };
const device = "/auth/mfa/trusted-devices/00000000-0000-4000-8000-000000000000";
const mutations = [
  ["POST", "/auth/mfa/enroll-start"],
  ["POST", "/auth/mfa/enroll-complete"],
  ["POST", "/auth/mfa/verify"],
  ["POST", "/auth/mfa/disable"],
  ["POST", "/auth/mfa/recovery-codes/regenerate"],
  ["POST", "/auth/mfa/trusted-devices"],
  ["POST", `${device}/revoke`],
  ["PATCH", device],
] as const;

const opened = useTestDatabase("sqlite");
const fixture = useAccess(opened);
let browser: Browser;

beforeEach(async () => {
  await fixture.addUser(email);
  browser = await fixture.signIn(email);
});

const post = (path: string, body?: unknown) => browser.send("POST", `/auth/mfa/${path}`, body);

test("without a factor verify, disable, regenerate and trusting a device answer 409 not_enrolled", async () => {
  expect(await post("verify", { code: "123456" })).toMatchObject(notEnrolled);
  expect(await post("disable", { password: adminPassword, code: "123456" })).toMatchObject(notEnrolled);
  expect(await post("recovery-codes/regenerate")).toMatchObject(notEnrolled);
  expect(await post("trusted-devices")).toMatchObject(notEnrolled);
});

test.each(mutations)("%s %s requires the CSRF token, in header and cookie", async (method, path) => {
  const headers = { "x-csrf-token": "x".repeat(43) };
  const answer = await browser.send(method, path, { code: "123456", label: "x", password: "x" }, headers);
  expect(answer).toMatchObject({ status: 403, body: { error: "csrf_failed" } });
  expect(await fixture.browser().send(method, path, {})).toMatchObject({ status: 401 });
});

test.each(["status", "trusted-devices"])("GET %s answers 401 without a session", async (path) => {
  expect((await fixture.browser().get(`/auth/mfa/${path}`)).status).toBe(401);
});

test("one rate limit per address covers enroll-start, enroll-complete, verify and disable, and nothing else", async () => {
  const body = { code: "123456", password: "x" };
  const throttled = ["enroll-start", "enroll-complete", "verify", "disable"];
  for (let index = 0; index < 10; index += 1)
    expect((await post(throttled[index % 4] ?? "", body)).status).not.toBe(429);
  for (const path of throttled) {
    const refused = await post(path, body);
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited", details: { bucket: "mfa" } } });
    expect(refused.body.detail).toMatch(/^too many requests; retry in \d+ seconds \(mfa\)$/);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(60);
  }
  for (const path of ["recovery-codes/regenerate", "trusted-devices"])
    expect(await post(path)).toMatchObject(notEnrolled);
  expect((await browser.get("/auth/mfa/status")).status).toBe(200);
  fixture.clock.advance(60_000);
  expect((await post("enroll-start")).status).toBe(200);
});

test.each([
  ["verify", {}],
  ["verify", { code: 123_456 }],
  ["verify", { code: "12345" }],
  ["verify", { code: "x".repeat(21) }],
  ["verify", { code: "123456", remember_device: "yes" }],
  ["enroll-complete", { code: "12345" }],
  ["disable", { code: "123456" }],
  ["disable", { code: "123456", password: "" }],
  ["disable", { code: "123456", password: "x".repeat(257) }],
  ["trusted-devices", { label: "" }],
  ["trusted-devices", { label: "x".repeat(201) }],
])("POST %s answers 422 for %j", async (path, body) => {
  const answer = await post(path, body);
  expect(answer).toMatchObject({ status: 422, body: { error: "validation_error" } });
  expect(answer.body.details).not.toHaveProperty("reason");
});
