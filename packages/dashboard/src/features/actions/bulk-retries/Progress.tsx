import { type BulkRetryRequest, plural } from "@svc/client";
import { useRef } from "react";
import { type FactOf, Facts } from "../../../ui/panels/Facts.tsx";
import { age, count, percent } from "../../../ui/time/format.ts";
import { instant } from "../../../ui/time/instants.ts";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import css from "./bulk-retries.module.css";
import { paceOf, type Sample, withSample } from "./pace.ts";

/** In the order of the bar. Tasks not sent yet are its background. */
const parts = ["succeeded", "failed", "unknown", "claimed"] as const;

interface ProgressProps {
  request: BulkRetryRequest;
  /** When it was read, epoch milliseconds. */
  readAt: number;
}

/** One bar over all tasks, with the counts and the pace of the last 30 s. */
export function Progress({ request, readAt }: ProgressProps) {
  const { counts, sealing } = request;
  const { total, pending, claimed, succeeded, failed, unknown, unobserved } = counts;
  const samples = useRef<readonly Sample[]>([]);
  samples.current = withSample(samples.current, { at: readAt, done: total - unobserved });
  const pace = request.status === "in_progress" ? paceOf(samples.current) : null;
  if (sealing !== null) {
    const reached = sealing.reached === null ? "–" : <Stamp at={sealing.reached} />;
    return (
      <Facts
        facts={[
          { label: "Found so far", value: count(sealing.found) },
          { label: "Searched back to", value: reached },
        ]}
      />
    );
  }
  const share = (part: number) => (total === 0 ? 0 : (part / total) * 100);
  let x = 0;
  const facts: FactOf[] = [
    {
      label: "Retried",
      value: count(succeeded),
      note: total === 0 ? null : `${percent(succeeded / total)} of ${count(total)}`,
    },
    { label: "Not retried", value: count(failed), isBad: failed > 0 },
    { label: "Outcome unknown", value: count(unknown), isBad: unknown > 0 },
    { label: "Awaiting result", value: count(claimed) },
    { label: "Not sent yet", value: count(pending) },
    timeFact(request, pace),
  ];
  return (
    <>
      <svg className={css.bar} role="img" aria-label={barLabel(counts)}>
        {parts.map((part) => {
          const width = share(counts[part]);
          const from = x;
          x += width;
          return width === 0 ? null : <rect key={part} data-part={part} x={`${from}%`} width={`${width}%`} />;
        })}
      </svg>
      <Facts facts={facts} />
    </>
  );
}

function barLabel({ total, succeeded, failed, unknown, claimed, pending }: BulkRetryRequest["counts"]): string {
  return `${plural(total, "task")}: ${count(succeeded)} retried, ${count(failed)} not retried, ${count(unknown)} with an unknown outcome, ${count(claimed)} awaiting a result, ${count(pending)} not sent yet`;
}

/** The pace and the time left at that pace; the total duration once it has ended. */
function timeFact({ counts, status, created_at, last_progress_at }: BulkRetryRequest, pace: number | null): FactOf {
  if (counts.unobserved === 0) {
    const ms = instant(last_progress_at) - instant(created_at);
    return { label: "Duration", value: Number.isNaN(ms) ? "–" : age(ms) };
  }
  if (pace === null) return { label: "Per minute", value: "–", note: status === "in_progress" ? "measuring" : null };
  return {
    label: "Per minute, last 30 s",
    value: count(Math.max(1, Math.round(pace))),
    note: `about ${age((counts.unobserved / pace) * 60_000)} left`,
  };
}
