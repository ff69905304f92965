import type { TrendBucket } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useTimedMs } from "../../live/live.ts";
import { useIsPhone } from "../../ui/appearance.ts";
import { count } from "../../ui/format.ts";
import { shortClockText, useZone } from "../../ui/instants.ts";
import css from "./list.module.css";
import { trendsQuery } from "./queries.ts";

const floorY = 25;
const failedY = 27;
const failedHeight = 8;

/** Finished tasks of the whole project over time; failures have a scale of their own under the line. */
export function TimeStrip({ slug, since }: { slug: string; since: string | null }) {
  const { zone, label } = useZone();
  const isPhone = useIsPhone();
  const { data } = useQuery({ ...trendsQuery(slug, since), refetchInterval: useTimedMs(30_000) });
  const series = data?.series ?? [];
  if (series.length < 2) return <figure className={css.strip} aria-hidden="true" />;

  const most = Math.max(1, ...series.map((bucket) => bucket.total));
  const mostFailed = Math.max(1, ...series.map((bucket) => bucket.failure));
  const failed = series.reduce((sum, bucket) => sum + bucket.failure, 0);
  const width = 100 / series.length;
  const last = series.at(-1);
  const at = (bucket: TrendBucket) => shortClockText(Date.parse(bucket.t), zone);
  const marks = series
    .map((_, index) => index)
    .filter((index) => index > 0 && index % Math.ceil(series.length / 5) === 0 && index * width < (isPhone ? 68 : 86));

  return (
    <figure className={css.strip} aria-label="Tasks of the whole project over time">
      <svg
        className={css.hist}
        width="100%"
        height="48"
        role="img"
        aria-label={`Finished tasks per ${data?.bucket} in the last ${data?.window}, ${label}: at most ${count(most)}, ${count(failed)} failed in all.`}
      >
        <path className={css.gl} d={`M0 ${floorY + 0.5}H4000`} />
        {series.map((bucket, index) => {
          const height = (bucket.total / most) * 24;
          const isLast = index === series.length - 1;
          if (bucket.total === 0) return null;
          return (
            <rect
              key={bucket.t}
              className={isLast ? css.hollow : css.vol}
              x={`${index * width}%`}
              width={`${width * 0.8}%`}
              y={floorY - height}
              height={height}
            >
              <title>{`${at(bucket)}: ${count(bucket.total)} finished, ${count(bucket.failure)} failed`}</title>
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
              {at(bucket)}
            </text>
          ) : null;
        })}
        <text x="100%" y="46" textAnchor="end">
          now
        </text>
      </svg>
      <div className={css.ends} aria-hidden="true">
        <span>
          {last ? count(last.total) : 0} / {data?.bucket}
        </span>
        <span>{count(failed)} failed</span>
      </div>
    </figure>
  );
}
