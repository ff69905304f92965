import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactionMarker } from "./markers.ts";
import { createRedactor } from "./redactor.ts";

const { mask, redactEvent, redactSnapshot, redactWorker } = createRedactor();
const token = (length: number) => "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0z".repeat(3).slice(0, length);

describe("a masked name", () => {
  test.each([
    ["invoice:bob@example.com", "invoice:[REDACTED]"],
    ["invoice:bob@mail.example.com:7", "invoice:[REDACTED]:7"],
    ["mail bob@example.com and al@example.org now", "mail [REDACTED] and [REDACTED] now"],
    ["pay-4111 1111 1111 1111-retry", "pay-[REDACTED]-retry"],
    ["pay-DE89 3704 0044 0532 0130 00 x", "pay-[REDACTED] x"],
    ["pay?card%3D4111111111111111%26x", "pay?card%3D[REDACTED]%26x"],
    ["a%204111111111111111 4111 1111 1111 1111", "a%20[REDACTED] [REDACTED]"],
    ["a\\nDE89370400440532013000\\n", "a\\n[REDACTED]\\n"],
    ["%B4111111111111111^DOE", "%B[REDACTED]^DOE"],
    ["redis://user:pw@cache/0", "redis://[REDACTED]@cache/0"],
    ["postgres://user:pw@db.example.com/x", "postgres://[REDACTED]/x"],
    [`key sk_live_${token(30)}.`, "key [REDACTED]."],
    [`eyJhbGciOi.${token(20)}.${token(43)} x`, "[REDACTED] x"],
    [`Bearer ${token(40)}, x`, "[REDACTED], x"],
    [`-----BEGIN ${"PRIVATE"} KEY-----\nMIIE\n`, "[REDACTED]"],
    ["n 123-45-6789", "n [REDACTED]"],
    ["4111111111111111 4111 1111 1111 1111 12 5555555555554444", "[REDACTED] [REDACTED] 12 [REDACTED]"],
    ["1 4111111111111111 41 11 11 11 11 11 11 11", "1 [REDACTED] [REDACTED]"],
    ["task:ee804a8a-340f-4a44-87ea-841117e7882d", "task:ee804a8a-340f-4a44-87ea-841117e7882d"],
    ["app.tasks.send_welcome", "app.tasks.send_welcome"],
    ["[REDACTED]", "[REDACTED]"],
  ])("%j is shown as %j", (name, shown) => {
    expect(mask(name)).toBe(shown);
    expect(mask(shown)).toBe(shown);
  });

  test("keeps an email address, and nothing else, where names have that form", () => {
    expect(mask("celery@host.example.com", { keepsEmail: true })).toBe("celery@host.example.com");
    expect(mask("celery@host.example.com 4111111111111111", { keepsEmail: true })).toBe(
      "celery@host.example.com [REDACTED]",
    );
  });

  test("follows extra patterns", () => {
    const extra = createRedactor({ extraValuePatterns: ["acme-[0-9]{4}", "x?"] });
    expect(extra.mask("see ACME-1234.")).toBe(redactionMarker);
    expect(createRedactor({ extraValuePatterns: ["acme-[0-9]{4}"] }).mask("see ACME-1234.")).toBe("see [REDACTED].");
    expect(createRedactor({ extraValuePatterns: ["redacted"] }).mask("redacted twice")).toBe(redactionMarker);
  });

  test("holds nothing that would be redacted, and masking it again changes nothing", () => {
    const piece = fc.constantFrom(
      "bob@example.com",
      "4111111111111111",
      "://a:b@",
      "DE89370400440532013000",
      "%3D",
      "%20",
      "\\n",
      " ",
      "-",
      "x",
      ".",
      "@",
    );
    const { redact } = createRedactor();
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 8 }), (pieces) => {
        const masked = mask(pieces.join(""));
        expect(mask(masked)).toBe(masked);
        expect(redact(masked.toWellFormed().replaceAll("\u0000", ""))).not.toBe(
          masked === redactionMarker ? "" : redactionMarker,
        );
      }),
    );
  });
});

describe("the data of an event", () => {
  test("keeps what names tasks, queues and workers, and redacts the rest", () => {
    const names = {
      task_name: "mail bob@example.com",
      queue: "q-4111111111111111",
      worker: "celery@host.example.com",
      parent_task_id: "p:bob@example.com",
      root_task_id: "r:bob@example.com",
      retried_from: "f:bob@example.com",
    };
    const data = { ...names, args: ["bob@example.com"], kwargs: { queue: "bob@example.com", db_password: 1 } };
    expect(redactEvent(data)).toEqual({
      ...names,
      args: [redactionMarker],
      kwargs: { queue: redactionMarker, db_password: redactionMarker },
    });
    expect(redactEvent(names)).toBe(names);
  });

  test("keeps what names schedules, in schedule events only, and redacts their inputs", () => {
    const names = {
      name: "to bob@example.com",
      task_name: "mail a@b.com",
      queue: "q a@b.com",
      external_id: "x a@b.com",
    };
    const schedule = { ...names, kwargs: { to: "bob@example.com" }, source: "a@b.com" };
    const shown = { ...names, kwargs: { to: redactionMarker }, source: redactionMarker };
    const data = { name: names.name, schedule, schedules: [schedule] };
    expect(redactEvent(data, "schedule.snapshot")).toEqual({ name: names.name, schedule: shown, schedules: [shown] });
    expect(redactEvent(data, "task.sent")).not.toHaveProperty("name", names.name);
  });

  test("keeps names in any form that storage takes, and only texts that can be names", () => {
    expect(
      redactEvent({ queue: "a\u0000@b.com", task_name: ["bob@example.com"], worker: `${"w".repeat(1_000)} a@b.com` }),
    ).toEqual({
      queue: "a\ufffd@b.com",
      task_name: [redactionMarker],
      worker: redactionMarker,
    });
  });

  test("keeps the names of queues in reports of depths", () => {
    const depths = { "bob@example.com": 3, token: 4, other: "bob@example.com" };
    expect(redactEvent({ depths })).toEqual({ depths: { ...depths, other: redactionMarker } });
    expect(
      redactSnapshot({ queue_depths: depths, worker_details: { "celery@a.example.com": { password: 1 } } }),
    ).toEqual({
      queue_depths: { ...depths, other: redactionMarker },
      worker_details: { "celery@a.example.com": { password: redactionMarker } },
    });
  });
});

describe("the report of a worker", () => {
  const names = {
    hostname: "celery@host.example.com",
    active: [
      "invoice:bob@example.com",
      { id: "invoice:al@example.com", name: "mail al@example.com", hostname: "celery@host.example.com" },
    ],
    active_queues: ["pay-DE89370400440532013000", { name: "pay-GB29NWBK60161331926819" }],
    registered: ["mail bob@example.com"],
    stats: { total: { "mail bob@example.com": 3, "mail al@example.com": 4, refresh_token: 5 } },
    conf: { task_default_queue: "pay-DE89370400440532013000" },
  };

  test("keeps what names tasks, queues and workers, in the agent and in the service", () => {
    expect(redactWorker(names)).toBe(names);
    const snapshot = { worker_details: { "celery@host.example.com": names } };
    expect(redactSnapshot(snapshot)).toBe(snapshot);
  });

  test("has the rest redacted, inputs of tasks in hand above all", () => {
    const email = "bob@example.com";
    const report = {
      active: [
        { id: "a", args: [email], kwargs: { id: email, name: email, password: 1 }, delivery_info: { name: email } },
        [email],
        `${"x".repeat(1_000)} ${email}`,
      ],
      active_queues: { mail: email },
      registered: [{ name: "app.mail", about: email }],
      stats: { broker: email, total: { "app.mail": email } },
      conf: { timezone: email },
      [email]: email,
    };
    const redacted = {
      active: [
        {
          id: "a",
          args: [redactionMarker],
          kwargs: { id: redactionMarker, name: redactionMarker, password: redactionMarker },
          delivery_info: { name: redactionMarker },
        },
        [redactionMarker],
        redactionMarker,
      ],
      active_queues: { mail: redactionMarker },
      registered: [{ name: "app.mail", about: redactionMarker }],
      stats: { broker: redactionMarker, total: { "app.mail": redactionMarker } },
      conf: { timezone: redactionMarker },
      [redactionMarker]: redactionMarker,
    };
    expect(redactWorker(report)).toEqual(redacted);
    expect(redactSnapshot({ worker_details: { w: report } })).toEqual({ worker_details: { w: redacted } });
  });

  test("follows extra key patterns also where names stand", () => {
    const extra = createRedactor({ extraKeyPatterns: ["registered"] });
    expect(extra.redactWorker({ registered: ["app.mail"], active_queues: ["mail"] })).toEqual({
      registered: [redactionMarker],
      active_queues: ["mail"],
    });
  });
});
