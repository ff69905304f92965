import { createRedactor, rawJson } from "@svc/protocol";
import { describe, expect, test } from "vitest";
import { createMasking } from "./mask.ts";

const { answer } = createMasking(createRedactor());
const email = "bob@example.com";

test("returns the same object when nothing needs masking", () => {
  const page = { items: [{ task_id: "mail:7", at: new Date(0), n: rawJson("12345678901234567890"), none: null }] };
  expect(answer(page)).toBe(page);
});

test("masks names at any depth, in texts and in keys, and shares the rest", () => {
  const plain = { queue: "mail" };
  const given = { items: [plain, { name: `to ${email}` }], results: { [`a ${email}`]: 1, [`b ${email}`]: [email] } };
  const shown = answer(given) as typeof given;
  expect(shown).toEqual({
    items: [plain, { name: "to [REDACTED]" }],
    results: { "a [REDACTED]": 1, "b [REDACTED]": ["[REDACTED]"] },
  });
  expect(shown.items[0]).toBe(plain);
});

test("keeps members apart whose names are equal after masking", () => {
  expect(answer({ "a@example.com": 1, "b@example.com": 2 })).toEqual({ "[REDACTED]": 1, "[REDACTED] (2)": 2 });
});

test("leaves inputs and failures to redaction, and keeps the addresses of people", () => {
  const given = {
    task: { args: [email], kwargs: { email }, result: email, exception: email, traceback: email },
    command: { payload: { override_args: [email] } },
    member: { user_email: email, display_name: email },
    next_cursor: email,
  };
  expect(answer(given)).toBe(given);
});

test.each([
  [{ worker: email }],
  [{ worker_name: email }],
  [{ hostname: "host", name: email, last_heartbeat: null }],
  [{ target_type: "worker", target_id: email }],
  [{ field: "worker", values: [{ value: email, count: 1 }] }],
  [{ workers: { [email]: { name: email } } }],
])("lets a worker have the form of an email address: %j", (given) => {
  expect(answer(given)).toBe(given);
});

test.each([
  [{ queue: email }, { queue: "[REDACTED]" }],
  [
    { target_type: "task", target_id: email },
    { target_type: "task", target_id: "[REDACTED]" },
  ],
  [{ worker: "w-4111111111111111" }, { worker: "w-[REDACTED]" }],
  [
    { id: email, name: `mail ${email}`, hostname: email },
    { id: "[REDACTED]", name: "mail [REDACTED]", hostname: email },
  ],
  [
    { id: email, name: email, filters: {} },
    { id: "[REDACTED]", name: "[REDACTED]", filters: {} },
  ],
])("masks %j", (given, shown) => {
  expect(answer(given)).toEqual(shown);
});

describe("a message about a worker", () => {
  const about = (worker: unknown, message: string) =>
    (answer({ message, evidence: { worker } }) as { message: string }).message;

  test("masks its name as in other members", () => {
    const name = "celery@host.example.com";
    expect(about(name, `Worker ${name} is offline.`)).toBe(`Worker ${name} is offline.`);
    expect(about("w-4111111111111111@a.example.com", "Worker w-4111111111111111@a.example.com is offline.")).toBe(
      "Worker w-[REDACTED]@a.example.com is offline.",
    );
  });

  test("masks other names as usual", () => {
    expect(about("celery@host.example.com", `Worker celery@host.example.com holds ${email}.`)).toBe(
      "Worker celery@host.example.com holds [REDACTED].",
    );
    expect(about("celery@host.example.com", `Agent ${email} is offline.`)).toBe("Agent [REDACTED] is offline.");
    expect(about(null, `Worker ${email} is offline.`)).toBe("Worker [REDACTED] is offline.");
  });
});

test("leaves saved views and schedules unmasked, because their authors write them back", () => {
  const view = { name: `of ${email}`, filters: { q: "worker:celery@web1.example.com", queue: email } };
  const page = { items: [{ id: "1", ...view, created_at: "now", updated_at: "now" }] };
  expect(answer(page)).toBe(page);
  const schedule = { name: email, expression: "sunset:52.52000:13.40500", timezone: "UTC", kwargs: {}, queue: email };
  expect(answer({ items: [schedule] })).toEqual({ items: [schedule] });
  expect(answer({ result: view.filters, filters: view.filters })).not.toHaveProperty("filters.queue", email);
});

describe("extra patterns that match generated values", () => {
  const wide = createMasking(createRedactor({ extraValuePatterns: ["[0-9a-f]{32}", "\\d{6,}", "[0-9a-f]{12}"] }));
  const hash = "5f0c3a97e1b24d688b1e2f7a90c4d3e6";
  const uuid = "3f0c7d1e-5b7a-4f0e-9d53-0f6a2f6a1b11";
  const at = "2026-01-02T03:04:05.123456Z";

  test.each([
    { id: uuid, agent_id: uuid, project_id: uuid, worker_id: uuid, fingerprint: hash },
    { occurred_at: at, since: at, t: at, first_seen: "2026-01-02T03:04:05Z" },
    { newest_cursor: `${at}|${hash}`, next_before_cursor: hash, cursor: hash, next_cursor: hash },
    { slug: "shop-20260102", project_slug: "shop-20260102", state: "failure" },
    { target_type: "project", target_id: uuid },
  ])("leave %j", (given) => {
    expect(wide.answer(given)).toBe(given);
  });

  test.each([
    ["task_id", uuid],
    ["parent_task_id", uuid],
    ["root_task_id", uuid],
    ["task_id", hash],
    ["id", hash],
    ["id", "order-1234567"],
    ["fingerprint", `x${hash}`],
    ["name", hash],
    ["queue", "1234567"],
    ["created_at", "order-1234567"],
    ["slug", "Order 1234567"],
    ["state", "1234567"],
  ])("still mask %s %j", (key, value) => {
    expect((wide.answer({ [key]: value }) as Record<string, string>)[key]).toContain("[REDACTED]");
  });

  test.each(["task", "queue", "worker"])("still mask the name of a %s that is a target", (target_type) => {
    expect(wide.answer({ target_type, target_id: uuid })).not.toHaveProperty("target_id", uuid);
  });
});
