import { describe, expect, test } from "vitest";
import { taskRow } from "../../../../test/traffic/task-rows.ts";
import { matchesFilters } from "./filter-match.ts";

describe("matchesFilters", () => {
  const row = taskRow({ name: "emails.Send_receipt", priority: "high" });

  test.each([
    {},
    { state: "success" },
    { priority: "critical,high" },
    { queue: "emails" },
    { worker: "mailer-1" },
    { name: "Send_" },
    { search: "SEND_RECEIPT" },
    { search: "mailer" },
    { q: "runtime:>30s" },
    { since: "2026-11-20T10:00:00.000Z", until: "2026-11-20T10:00:00.000Z" },
  ] as const)("takes the row for %o", (filters) => {
    expect(matchesFilters(row, filters)).toBe(true);
  });

  test.each([
    { state: "failure" },
    { priority: "low" },
    { queue: "email" },
    { name: "send%receipt" },
    { search: "send?receipt" },
    { since: "2026-11-20T10:00:00.001Z" },
    { until: "2026-11-20T09:59:59.999Z" },
    { state: "success", queue: "media" },
    { q: "queue:emails waiting:>5m" },
  ] as const)("refuses the row for %o", (filters) => {
    expect(matchesFilters(row, filters)).toBe(false);
  });
});
