import type { BulkRetryPlan, BulkRetryRequest } from "@svc/client";
import { describe, expect, test } from "vitest";
import { slowRate, stallNotice, statusSentence } from "./sentences.ts";

const at = Date.parse("2026-05-20T08:00:00.000Z");
const request = (more: Partial<BulkRetryRequest> = {}): BulkRetryRequest => ({
  id: "r",
  status: "in_progress",
  control_state: "running",
  canonical_digest: "c",
  plan_digest: "p",
  target_agent_id: null,
  counts: { total: 20, pending: 12, claimed: 8, unobserved: 20, succeeded: 0, failed: 0, unknown: 0 },
  created_at: new Date(at).toISOString(),
  sealed_at: new Date(at).toISOString(),
  deadline_at: new Date(at + 900_000).toISOString(),
  last_progress_at: null,
  sealing: null,
  blocked_reason: null,
  ...more,
});
const plan = (more: Partial<BulkRetryPlan> = {}): BulkRetryPlan => ({
  issued_by: null,
  filter: { state: "failure" },
  named_tasks: null,
  max: 1000,
  max_in_flight: 8,
  canary_size: null,
  canary_max_failures: null,
  rate_per_minute: null,
  engines: [{ engine: "bullmq", tasks: 20 }],
  ...more,
});

describe("a rate too low for the deadline", () => {
  const counts = { total: 1200, pending: 1200, claimed: 0, unobserved: 1200, succeeded: 0, failed: 0, unknown: 0 };
  const paced = plan({ rate_per_minute: 60 });

  test("is reported with the number of tasks left at the deadline", () => {
    expect(slowRate(request({ counts }), paced, at)).toBe(
      "At 60 per minute the rest takes 20 min. About 300 tasks will be left at the deadline.",
    );
    expect(slowRate(request({ counts: { ...counts, pending: 900 } }), paced, at + 600_000)).toMatch(/About 600 tasks/);
  });

  test("is not reported when the time suffices, without a rate, or while paused", () => {
    expect(slowRate(request({ counts: { ...counts, pending: 900 } }), paced, at)).toBeNull();
    expect(slowRate(request({ counts }), plan(), at)).toBeNull();
    expect(slowRate(request({ counts }), undefined, at)).toBeNull();
    expect(slowRate(request({ counts, status: "paused" }), paced, at)).toBeNull();
  });
});

describe("a bulk retry that runs", () => {
  test("is stalled a minute after its last outcome", () => {
    expect(stallNotice(request(), plan(), at + 59_000)).toBeNull();
    expect(stallNotice(request(), plan(), at + 61_000)?.text).toBe("No progress for 1 min 1 s.");
    const moved = request({ last_progress_at: new Date(at + 60_000).toISOString() });
    expect(stallNotice(moved, plan(), at + 61_000)).toBeNull();
  });

  test("is given the time of two tasks if its rate is low", () => {
    const slow = plan({ rate_per_minute: 1 });
    expect(stallNotice(request(), slow, at + 119_000)).toBeNull();
    expect(stallNotice(request(), slow, at + 121_000)).not.toBeNull();
  });

  describe("that has sent its canary", () => {
    const counts = { total: 20, pending: 15, claimed: 0, unobserved: 15, succeeded: 5, failed: 0, unknown: 0 };
    const sent = request({ counts, last_progress_at: new Date(at + 60_000).toISOString() });
    const withCanary = plan({ canary_size: 5 });

    test("waits for it without being stalled", () => {
      expect(stallNotice(sent, withCanary, at + 119_000)).toEqual({
        text: "Canary of 5 tasks sent. The rest waits until the canary finishes.",
        isStalled: false,
      });
    });

    test("is stalled after a minute: the canary may have passed without an agent online, or a resume may have released the rest", () => {
      expect(stallNotice(sent, withCanary, at + 660_000)).toEqual({
        text: "No progress for 10 min. Canary of 5 tasks sent. The rest waits until the canary finishes or an agent is available.",
        isStalled: true,
      });
      const one = request({ counts: { ...counts, total: 16, succeeded: 1 } });
      expect(stallNotice(one, plan({ canary_size: 1 }), at + 61_000)?.text).toMatch(
        /Canary of 1 task sent. The rest waits until the canary finishes or/,
      );
    });

    test("is given the time of two tasks if its rate is low", () => {
      const slow = plan({ canary_size: 5, rate_per_minute: 1 });
      expect(stallNotice(sent, slow, at + 179_000)?.isStalled).toBe(false);
      expect(stallNotice(sent, slow, at + 181_000)?.isStalled).toBe(true);
    });
  });

  test.each(["paused", "blocked", "partial"] as const)("is not stalled when it is %s", (status) => {
    expect(stallNotice(request({ status }), plan(), at + 600_000)).toBeNull();
  });
});

test("a blocked bulk retry shows the reason of the service", () => {
  const reason = "3 of the 5 canary tasks failed again (allowed: 0)";
  expect(statusSentence(request({ status: "blocked", blocked_reason: reason }))).toContain(
    `It stopped: ${reason}. 12 tasks`,
  );
  expect(statusSentence(request({ status: "blocked" }))).toContain("It stopped. 12 tasks not sent.");
});

test("an indeterminate bulk retry shows the number of unknown outcomes", () => {
  const counts = { total: 20, pending: 0, claimed: 0, unobserved: 0, succeeded: 19, failed: 0, unknown: 1 };
  expect(statusSentence(request({ status: "indeterminate", counts }))).toContain("Outcome unknown for 1 retry");
});
