import type { TaskFilters, TaskHistogram } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { type PointerEvent, useRef, useState } from "react";
import { useTimedMs } from "../../live/live.ts";
import { instantRange } from "../../range-text.ts";
import { useSetTimeRange } from "../../time-range.ts";
import { useIsPhone } from "../../ui/appearance.ts";
import { count, duration } from "../../ui/format.ts";
import { fullText, shortClockText, useZone } from "../../ui/instants.ts";
import css from "./list.module.css";
import { histogramQuery } from "./queries.ts";

const floorY = 25;
const failedY = 27;
const failedHeight = 8;
const dayMs = 86_400_000;
/** Short of the API's ninety days, so that a clock that is a little off is not refused. */
const furthestMs = 89 * dayMs;

interface TimeStripProps {
  slug: string;
  filters: TaskFilters;
  /** Names what the strip shows when the list has no beginning. */
  isWhole: boolean;
}

/** The list's tasks over time, under its own filters; failures have a scale of their own. Dragging chooses a time range. */
export function TimeStrip({ slug, filters, isWhole }: TimeStripProps) {
  const { zone, label } = useZone();
  const isPhone = useIsPhone();
  const buckets = isPhone ? 36 : 72;
  const { data } = useQuery({
    ...histogramQuery(slug, { ...withinReach(filters), buckets }),
    refetchInterval: useTimedMs(30_000),
    placeholderData: (old) => old,
  });
  const [drag, handlers] = useDrag(data);
  const series = data?.buckets ?? [];
  if (!data || series.length < 2) return <figure className={css.strip} aria-hidden="true" />;

  const most = Math.max(1, ...series.map(sumOf));
  const mostFailed = Math.max(1, ...series.map((bucket) => bucket.failure));
  const failed = series.reduce((sum, bucket) => sum + bucket.failure, 0);
  const width = 100 / series.length;
  const last = series.at(-1);
  const bucketMs = data.bucket_seconds * 1000;
  const isLong = Date.parse(data.to) - Date.parse(data.from) > 2 * dayMs;
  const at = (text: string) =>
    isLong ? fullText(Date.parse(text), zone).slice(5, 10) : shortClockText(Date.parse(text), zone);
  const each = duration(bucketMs).replace(".0", "");
  const marks = series
    .map((_, index) => index)
    .filter((index) => index > 0 && index % Math.ceil(series.length / 5) === 0 && index * width < (isPhone ? 68 : 86));
  const isOpen = !filters.until;
  const unread = data.reached === null ? 0 : series.filter((bucket) => bucket.t < (data.reached ?? "")).length;
  const what = data.counted === "events" ? "Tasks that ended or were retried" : "Tasks by when they were received";
  const words = [
    `${what}, per ${each}, ${fullText(Date.parse(data.from), zone)} to ${fullText(Date.parse(data.to), zone)}, ${label}`,
    `at most ${count(most)}, ${count(failed)} failed in all`,
    ...(data.reached ? [`counted back to ${fullText(Date.parse(data.reached), zone)}`] : []),
  ];

  return (
    <figure className={css.strip}>
      <svg className={css.hist} width="100%" height="48" role="img" aria-label={`${words.join("; ")}.`} {...handlers}>
        <title>{`${what}${isWhole ? ", last 24 h" : ""}. Drag to choose a time range.`}</title>
        <path className={css.gl} d={`M0 ${floorY + 0.5}H4000`} />
        {unread > 0 ? (
          <rect className={css.unread} width={`${unread * width}%`} height={failedY + failedHeight} />
        ) : null}
        {series.map((bucket, index) => {
          const height = (sumOf(bucket) / most) * 24;
          if (height === 0) return null;
          return (
            <rect
              key={bucket.t}
              className={isOpen && bucket === last ? css.hollow : css.vol}
              x={`${index * width}%`}
              width={`${width * 0.8}%`}
              y={floorY - height}
              height={height}
            >
              <title>{`${at(bucket.t)}: ${count(sumOf(bucket))} tasks, ${count(bucket.failure)} failed`}</title>
            </rect>
          );
        })}
        {series.map((bucket, index) =>
          bucket.failure === 0 ? null : (
            <rect
              key={bucket.t}
              className={css.bad}
              x={`${index * width}%`}
              width={`${width * 0.8}%`}
              y={failedY}
              height={Math.max(1.5, (bucket.failure / mostFailed) * failedHeight)}
            />
          ),
        )}
        {marks.map((index) => {
          const bucket = series[index];
          return bucket ? (
            <text key={bucket.t} x={`${index * width}%`} y="46">
              {at(bucket.t)}
            </text>
          ) : null;
        })}
        <text x="100%" y="46" textAnchor="end">
          {isOpen ? "now" : at(data.to)}
        </text>
        {drag ? (
          <rect
            className={css.chosen}
            x={`${Math.min(drag.from, drag.to) * width}%`}
            width={`${(Math.abs(drag.to - drag.from) + 1) * width}%`}
            height={failedY + failedHeight}
          />
        ) : null}
      </svg>
      <div className={css.ends} aria-hidden="true">
        <span>
          {last ? count(sumOf(last)) : 0} / {each}
        </span>
        <span>{count(failed)} failed</span>
      </div>
    </figure>
  );
}

type Bucket = TaskHistogram["buckets"][number];
const sumOf = ({ success, failure, other }: Bucket): number => success + failure + other;

/** The API counts ninety days at most; a list that begins earlier shows the last of them. */
function withinReach(filters: TaskFilters): TaskFilters {
  if (!filters.since) {
    if (!filters.until) return filters;
    return { ...filters, since: new Date(Date.parse(filters.until) - dayMs).toISOString() };
  }
  const end = filters.until ? Date.parse(filters.until) : Date.now();
  const from = Math.max(Date.parse(filters.since), Math.floor((end - furthestMs) / dayMs) * dayMs);
  return { ...filters, since: new Date(from).toISOString() };
}

/** Places of the buckets between which somebody drags. */
function useDrag(data: TaskHistogram | undefined) {
  const setRange = useSetTimeRange();
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const start = useRef<number | null>(null);
  const length = data?.buckets.length ?? 0;
  const placeOf = (event: PointerEvent<SVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const place = Math.floor(((event.clientX - box.left) / box.width) * length);
    return Math.max(0, Math.min(length - 1, place));
  };
  const handlers = {
    onPointerDown(event: PointerEvent<SVGElement>) {
      if (event.button !== 0 || event.pointerType === "touch") return;
      event.currentTarget.setPointerCapture(event.pointerId);
      start.current = placeOf(event);
    },
    onPointerMove(event: PointerEvent<SVGElement>) {
      if (start.current === null) return;
      const to = placeOf(event);
      if (to !== start.current || drag) setDrag({ from: start.current, to });
    },
    onPointerUp() {
      start.current = null;
      setDrag(null);
      if (!drag || !data) return;
      const begin = Date.parse(data.buckets[Math.min(drag.from, drag.to)]?.t ?? "");
      const end = Date.parse(data.buckets[Math.max(drag.from, drag.to)]?.t ?? "") + data.bucket_seconds * 1000;
      setRange(instantRange(begin, end));
    },
    onPointerCancel() {
      start.current = null;
      setDrag(null);
    },
  };
  return [drag, handlers] as const;
}
