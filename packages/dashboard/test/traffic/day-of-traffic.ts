import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import { type ReportedEvent, report, trace } from "./task-traffic.ts";

type Connected = Awaited<ReturnType<TestBrain["connectAgent"]>>;

const minute = 60;
const hour = 3600;
/** Seconds between the tasks of one name. */
const everySeconds = 10 * minute;

const names = [
  ["billing.charge_subscription", "billing", 4.1],
  ["emails.send_receipt", "emails", 0.4],
  ["media.transcode_video", "media", 192],
  ["search.reindex_product", "search", 5.1],
] as const;

const errors = [
  "PaymentGatewayError: upstream 503 after 12 s",
  "SMTPServerDisconnected: connection unexpectedly closed",
  "JobTimeout: exceeded expireInSeconds 900",
] as const;

/** Reports tasks of the last 30 hours, so that the last 24 have earlier data; most failures are in the last hours. */
export async function reportDay(brain: TestBrain, connected: Connected): Promise<void> {
  let reported = 0;
  for (let ago = 30 * hour; ago > 5 * minute; ago -= everySeconds) {
    const release = ago < 2 * hour ? "2026.11.3" : "2026.11.2";
    const events = names.flatMap(([name, queue, runSeconds], index): ReportedEvent[] => {
      const taskId = `day-${ago}-${index}`;
      const wobble = 1 + Math.sin(ago / 4000 + index) / 4;
      const slow = ago < 2 * hour && index === 0 ? 4 : 1;
      const runtimeMs = Math.round(runSeconds * 1000 * wobble * slow);
      const isFailed = ago < 3 * hour ? (ago / everySeconds + index) % 3 === 0 : (ago / everySeconds) % 11 === index;
      const end = { worker: `${queue}-1`, runtime_ms: runtimeMs };
      return [
        { kind: "task.sent", taskId, ago, data: { task_name: name, queue, release } },
        { kind: "task.started", taskId, ago: ago - 2, data: { worker: `${queue}-1`, wait_ms: 1200 + 300 * index } },
        isFailed
          ? {
              kind: "task.failed",
              taskId,
              ago: ago - 3,
              data: { ...end, exception: errors[(index + Math.floor(ago / hour)) % 3], traceback: trace },
            }
          : { kind: "task.succeeded", taskId, ago: ago - 3, data: end },
      ];
    });
    report(connected, events);
    reported += names.length;
  }
  // Figures come from counters, which are updated some time after the tasks.
  const since = new Date(Date.now() - 31 * hour * 1000).toISOString();
  const statsPath = `/projects/${brain.project.slug}/stats?since=${since}`;
  await waitFor(async () => {
    const { tasks_succeeded_24h: succeeded, tasks_failed_24h: failed } = (await brain.as.root.get(statsPath)).body;
    return succeeded + failed >= reported;
  });
}
