import { count } from "../../ui/time/format.ts";
import css from "./queues.module.css";
import { sparkPaths } from "./spark-paths.ts";

const width = 80;
const height = 20;

/** The queue depth of the last hour as a sparkline, with gaps where nothing was reported. */
export function DepthSpark({ pending, isBad }: { pending: readonly (number | null)[]; isBad: boolean }) {
  const known = pending.filter((depth) => depth !== null);
  if (known.length < 2) return <span className={css.nospark}>–</span>;
  const { lines, areas } = sparkPaths(pending, { width, height });
  return (
    <svg
      className={css.spark}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      data-wrong={isBad}
      role="img"
      aria-label={`Waiting tasks in the last hour: from ${count(known[0] ?? 0)} to ${count(known.at(-1) ?? 0)}, maximum ${count(Math.max(...known))}`}
    >
      {areas.map((path) => (
        <path key={path} className={css.area} d={path} />
      ))}
      {lines.map((path) => (
        <path key={path} className={css.line} d={path} />
      ))}
    </svg>
  );
}
