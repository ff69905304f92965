import { randomUUID } from "node:crypto";
import type { TestBrain } from "@svc/testkit/brain";
import type { PageCase } from "../site/page-case.ts";

const hourMs = 3_600_000;

/** The pages of schedules, with the states that depend on data alone. */
export const schedulePages = {
  schedules: {
    path: ({ slug }) => `/p/${slug}/schedules`,
    title: /^Schedules, shop/,
    ready: async (page) => {
      await page.getByRole("link", { name: "billing.close_day" }).waitFor();
      // Phones show a shorter one.
      await page.locator('svg[aria-label^="8 slots, oldest first"]').first().waitFor({ state: "attached" });
      await page.getByRole("img", { name: /^Between \d+ and \d+ fires/ }).waitFor();
    },
  },
  "schedules filtered to nothing": {
    path: ({ slug }) => `/p/${slug}/schedules?filter=nothing`,
    title: /^Schedules, shop/,
    ready: (page) => page.getByText("No schedules match").waitFor(),
  },
  "no schedules yet": {
    path: () => "/p/empty/schedules",
    title: /^Schedules, empty/,
    ready: (page) => page.getByText("No schedules yet").waitFor(),
  },
  misfires: {
    path: ({ slug }) => `/p/${slug}/schedules/misfires`,
    title: /^Misfires, Schedules, shop/,
    ready: (page) => page.getByRole("cell", { name: "Not fired in time" }).waitFor(),
  },
  "no misfires": {
    path: () => "/p/empty/schedules/misfires",
    title: /^Misfires, Schedules, empty/,
    ready: (page) => page.getByRole("heading", { name: "No misfires" }).waitFor(),
  },
  forecast: {
    path: ({ slug }) => `/p/${slug}/schedules/forecast`,
    title: /^Forecast, Schedules, shop/,
    ready: (page) => page.getByRole("img", { name: /fires in \d days, at most/ }).waitFor(),
  },
  "nothing to forecast": {
    path: () => "/p/empty/schedules/forecast",
    title: /^Forecast, Schedules, empty/,
    ready: (page) => page.getByText("Nothing to forecast").waitFor(),
  },
  "new schedule": {
    path: ({ slug }) => `/p/${slug}/schedules/new`,
    title: /^New schedule, Schedules/,
    ready: (page) => page.getByText("Every day at 03:00 (UTC)").waitFor(),
  },
  schedule: {
    path: ({ slug, scheduleId }) => `/p/${slug}/schedules/${scheduleId}`,
    title: /^billing[.]close_day, Schedules/,
    ready: async (page) => {
      await page.getByRole("img", { name: /^Fires of the last 30 days: 7/ }).waitFor();
      await page.getByText("Last error: PaymentError").waitFor();
      await page.getByRole("cell", { name: "Not fired in time" }).waitFor();
    },
  },
  "unknown schedule": {
    path: ({ slug }) => `/p/${slug}/schedules/00000000-0000-4000-8000-000000000000`,
    title: /^Error/,
    ready: (page) => page.getByText("Not found.").waitFor(),
    logs: "console: ApiProblem: not found",
  },
  "edited schedule": {
    path: ({ slug, scheduleId }) => `/p/${slug}/schedules/${scheduleId}/edit`,
    title: /^Edit, billing[.]close_day/,
    ready: (page) => page.getByText("Every day at 02:00 and 04:00 (Europe/Berlin)").waitFor(),
  },
} satisfies Record<string, PageCase>;

interface FireRow {
  /** Hours before now. */
  hoursAgo: number;
  status: string;
  latencyMs?: number;
}

/** Stores fires of a schedule, as the service does when a scheduler fires it. */
export async function storeFires(brain: TestBrain, scheduleId: string, fires: readonly FireRow[]): Promise<string[]> {
  const now = Date.now();
  const rows = fires.map(({ hoursAgo, status, latencyMs = null }) => {
    const at = new Date(now - hoursAgo * hourMs);
    const isFailed = status === "acked_failed";
    return {
      id: randomUUID(),
      project_id: brain.project.id,
      schedule_id: scheduleId,
      fire_id: randomUUID(),
      command_id: null,
      status,
      scheduled_for: at,
      fired_at: at,
      dispatched_at: latencyMs === null ? null : at,
      acked_at: latencyMs === null ? null : new Date(at.getTime() + latencyMs),
      latency_ms: latencyMs,
      error_code: isFailed ? "PaymentError" : null,
      error_message: isFailed ? "upstream 503" : null,
      triggered_by_user_id: null,
      engine: "scripted",
      task_id: null,
    };
  });
  await brain.running.brain.database.write(async (tx) => {
    await tx.insertInto("schedule_fires").values(rows).execute();
    await tx
      .insertInto("schedule_fire_ids")
      .values(
        rows.map(({ fire_id, project_id, schedule_id, scheduled_for, fired_at }) => ({
          fire_id,
          project_id,
          schedule_id,
          scheduled_for,
          fired_at,
        })),
      )
      .execute();
  });
  return rows.map(({ fire_id }) => fire_id);
}

/** Stores a slot that was not fired in time. */
export async function storeMisfire(brain: TestBrain, { id, name }: { id: string; name: string }, hoursAgo: number) {
  const slot = new Date(Date.now() - hoursAgo * hourMs);
  await brain.running.brain.database.write((tx) =>
    tx
      .insertInto("misfire_alerts")
      .values({
        schedule_id: id,
        expected_fire_at: slot,
        misfire_kind: "missed_slot",
        project_id: brain.project.id,
        detected_at: new Date(slot.getTime() + 90_000),
        lateness_seconds: 90,
        grace_seconds: 60,
        name,
        engine: "scripted",
        kind: "cron",
      })
      .execute(),
  );
}

export async function addSchedule(brain: TestBrain, more: object): Promise<{ id: string; name: string }> {
  const { status, body } = await brain.as.root.post(`/projects/${brain.project.slug}/schedules`, {
    engine: "scripted",
    kind: "cron",
    expression: "*/10 * * * *",
    task_name: "billing.close_day",
    ...more,
  });
  if (status !== 201) throw new Error(`the schedule is refused: ${JSON.stringify(body)}`);
  return body;
}

/** A schedule with failed fires and a missed slot, one at the same minute, one without fires, a paused one, and one that was stopped. */
export async function fillSchedules(brain: TestBrain): Promise<{ scheduleId: string }> {
  const daily = await addSchedule(brain, {
    name: "billing.close_day",
    expression: "0 2,4 * * *",
    timezone: "Europe/Berlin",
    kwargs: { region: "eu" },
    queue: "billing",
  });
  await storeFires(brain, daily.id, [
    { hoursAgo: 1, status: "acked_failed", latencyMs: 30_000 },
    { hoursAgo: 2, status: "acked_failed", latencyMs: 700 },
    { hoursAgo: 3, status: "terminal_timeout" },
    { hoursAgo: 5, status: "buffer_expired" },
    { hoursAgo: 6, status: "operator_skipped" },
    { hoursAgo: 7, status: "acked_success", latencyMs: 420 },
    { hoursAgo: 8, status: "acked_success", latencyMs: 40 },
  ]);
  await storeMisfire(brain, daily, 4);
  await addSchedule(brain, { name: "search.reindex", kind: "interval", expression: "600" });
  const held = await addSchedule(brain, { name: "emails.digest", expression: "0 8 * * 1" });
  await brain.as.operator.post(`/projects/${brain.project.slug}/schedules/${held.id}/pause`);
  await addSchedule(brain, { name: "search.rebuild_all", expression: "0 4 * * *", timezone: "Europe/Berlin" });
  const stopped = await addSchedule(brain, { name: "billing.dunning", expression: "*/5 * * * *", is_enabled: false });
  await storeFires(
    brain,
    stopped.id,
    [1, 2, 3, 4, 5].map((hoursAgo) => ({ hoursAgo, status: "acked_failed", latencyMs: 900 })),
  );
  return { scheduleId: daily.id };
}
