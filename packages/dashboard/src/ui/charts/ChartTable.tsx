import panel from "../panels/panel.module.css";
import { useZone } from "../time/instants.ts";
import css from "./chart.module.css";
import { bucketText } from "./parts/axis.ts";
import { type Band, type Bucket, type Mark, type Reading, within } from "./parts/marks.ts";

interface ChartTableProps {
  name: string;
  buckets: readonly Bucket[];
  read: (index: number) => readonly Reading[];
  bands: readonly Band[];
  marks: readonly Mark[];
}

/** The same values as text, newest first, in the place of the drawing. */
export function ChartTable({ name, buckets, read, bands, marks }: ChartTableProps) {
  const { zone, label } = useZone();
  const rows = buckets.map((bucket, at) => ({ bucket, readings: read(at) })).reverse();
  const columns = rows[0]?.readings.map((reading) => reading.label) ?? [];
  const hasNotes = bands.length + marks.length > 0;
  return (
    <div className={css.table} role="region" aria-label={`Table: ${name}`} tabIndex={0}>
      <table className={`${panel.tbl} ${panel.dense}`}>
        <thead>
          <tr>
            <th>Time, {label}</th>
            {columns.map((column) => (
              <th key={column} className="num">
                {column}
              </th>
            ))}
            {hasNotes ? <th>Note</th> : null}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ bucket, readings }) => (
            <tr key={bucket.fromMs}>
              <th scope="row">{bucketText(bucket.fromMs, bucket.toMs, zone)}</th>
              {readings.map((reading) => (
                <td key={reading.label} className="num">
                  {reading.value}
                </td>
              ))}
              {hasNotes ? (
                <td>{[...within(marks, bucket), ...within(bands, bucket)].map((note) => note.label).join(", ")}</td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
