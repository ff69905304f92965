import { ApiProblem } from "@svc/client";
import { expect, test } from "vitest";
import { KeyedRequests } from "./keyed-requests.ts";

type Facts = ConstructorParameters<typeof ApiProblem>[0];
const problem = (code: string, status: number, details: Facts["details"] = {}) =>
  new ApiProblem({ code, status, message: code, details });
const lost = problem("unreachable", 0);

/** Sends a request that ends with `error`, or succeeds. @returns its key */
async function send(requests: KeyedRequests, body: object, error?: unknown): Promise<string> {
  let key = "";
  const sent = requests.send(body, async ({ idempotency_key }) => {
    key = idempotency_key;
    if (error !== undefined) throw error;
  });
  if (error === undefined) await sent;
  else await expect(sent).rejects.toBe(error);
  return key;
}

test("a repeated request keeps its key, another request gets another", async () => {
  const requests = new KeyedRequests();
  const first = await send(requests, { queue: "mail", agent_id: "a" }, lost);
  expect(first).toMatch(/^dashboard-[0-9a-f]{32}$/);
  expect(await send(requests, { queue: "mail", agent_id: "b" })).not.toBe(first);
  expect(await send(requests, { queue: "mail", agent_id: "a" })).toBe(first);
});

test.each([
  ["unauthenticated", 401],
  ["forbidden", 403],
  ["conflict", 409],
  ["validation_error", 422],
  ["rate_limited", 429],
  ["unaddressable", 0],
])("a refusal as %s leaves no unknown outcome", async (code, status) => {
  const requests = new KeyedRequests();
  await send(requests, {}, problem(code, status));
  expect(requests.isAnyLost).toBe(false);
});

test.each([
  lost,
  problem("unreadable", 202),
  problem("internal_error", 500),
  problem("unreadable", 502),
  problem("unready", 503),
  new TypeError("something else broke"),
])("after %s the outcome is unknown", async (error) => {
  const requests = new KeyedRequests();
  await send(requests, {}, error);
  expect(requests.isAnyLost).toBe(true);
});

test.each([
  problem("rate_limited", 429),
  problem("unauthenticated", 401),
  problem("mfa_reverify_required", 403),
  problem("unreadable", 403),
  problem("not_found", 404, { resource: "project" }),
  problem("conflict", 409, { reason: "project_archived" }),
  problem("conflict", 409, { reason: "idempotency_key_in_use" }),
])("an unknown outcome stays unknown after %s, which the service returns without checking the key", async (error) => {
  const requests = new KeyedRequests();
  await send(requests, {}, lost);
  await send(requests, {}, error);
  expect(requests.isAnyLost).toBe(true);
});

test.each([
  problem("not_found", 404, { resource: "agent" }),
  problem("conflict", 409, { reason: "overrides_required" }),
  problem("validation_error", 422, { reason: "agent_offline" }),
  problem("validation_error", 400, { reason: "engine_not_advertised" }),
  undefined,
])("an unknown outcome is settled by %s", async (end) => {
  const requests = new KeyedRequests();
  await send(requests, {}, lost);
  await send(requests, {}, end);
  expect(requests.isAnyLost).toBe(false);
});

test("an unknown outcome is not settled by another request", async () => {
  const requests = new KeyedRequests();
  await send(requests, { rate: "10/m" }, lost);
  await send(requests, { rate: "ten" }, problem("validation_error", 422));
  await send(requests, { rate: "20/m" });
  expect(requests.isAnyLost).toBe(true);
  await send(requests, { rate: "10/m" });
  expect(requests.isAnyLost).toBe(false);
});
