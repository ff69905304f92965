import { plural, type TaskFilters, type TaskHistogram } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { instantRange } from "../../../address/range-bounds.ts";
import { useSetTimeRange } from "../../../address/time-range.ts";
import { useTimedMs } from "../../../live/live.ts";
import { useIsPhone } from "../../../ui/appearance.ts";
import { type Band, type Bucket, type Reading, sinceFirst } from "../../../ui/charts/parts/marks.ts";
import { TableToggle } from "../../../ui/charts/TableToggle.tsx";
import { type Area, TimeChart } from "../../../ui/charts/TimeChart.tsx";
import { chartGaps, type LossGap } from "../../../ui/gap-band/gaps.ts";
import { count, duration, printable } from "../../../ui/time/format.ts";
import { fullText, useZone } from "../../../ui/time/instants.ts";
import { projectQuery } from "../../projects/index.ts";
import { histogramQuery, releaseMarksQuery } from "../../task-data/index.ts";
import { reachedRange } from "../following/reach.ts";
import css from "./time-strip.module.css";

const heightPx = 48;
const tableHeightPx = 216;
const floorY = 25;
const failedY = 27;
const failedHeight = 8;
const plot = { top: 0, bottom: failedY + failedHeight };
const gutters = { left: 4, right: 0 };
const dayMs = 86_400_000;
const releasesAfterMs = 2_000;
const name = "Tasks over time";

interface TimeStripProps {
  slug: string;
  filters: TaskFilters;
  gaps: readonly LossGap[];
  /** The list has no start, so the strip shows the last 24 hours and says so. */
  isWhole: boolean;
}

interface Amounts extends Bucket {
  readonly all: number;
  readonly failed: number;
}

/** The list's tasks over time under its filters, with failures on a separate scale. Dragging selects a time range. */
export function TimeStrip({ slug, filters, gaps, isWhole }: TimeStripProps) {
  const { zone, label } = useZone();
  const [isTable, setTable] = useState(false);
  const setRange = useSetTimeRange();
  const timedMs = useTimedMs(30_000);
  const bounds = reachedRange(filters, Date.now(), dayMs);
  // Without bounds the API returns its last day.
  const range = filters.since || filters.until ? bounds : {};
  const { data } = useQuery({
    ...histogramQuery(slug, { ...filters, ...range, buckets: useIsPhone() ? 36 : 72 }),
    refetchInterval: timedMs,
    placeholderData: (old) => old,
  });
  const marks = useReleases(slug, bounds);
  const project = useQuery(projectQuery(slug)).data;
  const bornMs = project && Date.parse(project.created_at);
  const all = useMemo(() => (data ? amountsOf(data) : []), [data]);
  const buckets = sinceFirst(all, { bornMs, bands: gaps, isFilled: (bucket) => bucket.all > 0 });
  const [first] = buckets;
  const last = buckets.at(-1);
  if (!data || !first || !last || buckets.length < 2) return <figure className={css.strip} aria-hidden="true" />;

  const most = Math.max(1, ...buckets.map((bucket) => bucket.all));
  const mostFailed = Math.max(1, ...buckets.map((bucket) => bucket.failed));
  const failed = buckets.reduce((sum, bucket) => sum + bucket.failed, 0);
  const bucketMs = data.bucket_seconds * 1000;
  const each = duration(bucketMs).replace(".0", "");
  const isRunning = !filters.until;
  // A task that failed and was then retried counts as a failure event but is not failed.
  const failedText = data.counted === "events" ? plural(failed, "failure") : `${count(failed)} failed`;
  const what = data.counted === "events" ? "Finished and retried tasks" : "Tasks by time received";
  const summary = [
    `${what}, per ${each}, ${fullText(first.fromMs, zone)} to ${fullText(last.toMs, zone)}, ${label}`,
    `maximum ${count(most)}, ${failedText} in total`,
    ...(data.reached ? [`counted back to ${fullText(Date.parse(data.reached), zone)}`] : []),
  ];
  const unread: Band[] = data.reached
    ? [{ fromMs: first.fromMs, toMs: Date.parse(data.reached), label: "not counted" }]
    : [];

  return (
    <div className={css.strip} title={isTable ? undefined : `${what}${isWhole ? ", last 24 h" : ""}`}>
      <TimeChart
        name={name}
        summary={`${summary.join("; ")}.`}
        buckets={buckets}
        isRunning={isRunning}
        height={isTable ? tableHeightPx : heightPx}
        gutters={gutters}
        plot={plot}
        bands={[...unread, ...chartGaps(gaps, { fromMs: first.fromMs, toMs: last.toMs, joinMs: bucketMs })]}
        marks={marks}
        isTable={isTable}
        onRange={(fromMs, toMs) => setRange(instantRange(fromMs, toMs))}
        read={(index) => readingsOf(buckets[index])}
        paint={(area) => (
          <>
            <path className={css.gl} d={`M${area.left} ${floorY + 0.5}H${area.right}`} />
            {buckets.map((bucket) => (
              <Bars
                key={bucket.fromMs}
                area={area}
                bucket={bucket}
                scale={{ most, mostFailed }}
                isHollow={isRunning && bucket === last}
              />
            ))}
          </>
        )}
      />
      <div className={css.ends}>
        <span aria-hidden="true">
          {count(last.all)} / {each}
        </span>
        <span aria-hidden="true">{failedText}</span>
        <TableToggle name={name} isTable={isTable} onChange={setTable} />
      </div>
    </div>
  );
}

interface BarsProps {
  area: Area;
  bucket: Amounts;
  scale: { most: number; mostFailed: number };
  isHollow: boolean;
}

function Bars({ area, bucket, scale, isHollow }: BarsProps) {
  const x = area.x(bucket.fromMs);
  const width = Math.max(1, (area.x(bucket.toMs) - x) * 0.8);
  const height = (bucket.all / scale.most) * 24;
  return (
    <>
      {bucket.all === 0 ? null : (
        <rect className={isHollow ? css.hollow : css.vol} x={x} width={width} y={floorY - height} height={height} />
      )}
      {bucket.failed === 0 ? null : (
        <rect
          className={css.bad}
          x={x}
          width={width}
          y={failedY}
          height={Math.max(1.5, (bucket.failed / scale.mostFailed) * failedHeight)}
        />
      )}
    </>
  );
}

function amountsOf({ buckets, bucket_seconds: seconds }: TaskHistogram): Amounts[] {
  return buckets.map(({ t, success, failure, other }) => {
    const fromMs = Date.parse(t);
    return { fromMs, toMs: fromMs + seconds * 1000, all: success + failure + other, failed: failure };
  });
}

function readingsOf(bucket: Amounts | undefined): Reading[] {
  if (!bucket) return [];
  return [
    { label: "tasks", value: count(bucket.all) },
    { label: "failed", value: count(bucket.failed) },
  ];
}

/** When each release first ran. Loaded after the first screen, which does not need it. */
function useReleases(slug: string, { since, until }: { since: string; until?: string | undefined }) {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), releasesAfterMs);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useQuery({ ...releaseMarksQuery(slug, { since, ...(until && { until }) }), enabled: isDue });
  return (data?.items ?? []).map(({ release, first_seen }) => ({
    atMs: Date.parse(first_seen),
    label: `release ${printable(release)}`,
  }));
}
