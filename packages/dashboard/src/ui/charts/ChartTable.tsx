import { DataTable } from "../tables/DataTable.tsx";
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

interface Row {
  bucket: Bucket;
  readings: readonly Reading[];
}

/** The chart's values as a table, newest first. */
export function ChartTable({ name, buckets, read, bands, marks }: ChartTableProps) {
  const { zone, label } = useZone();
  const rows = buckets.map((bucket, at) => ({ bucket, readings: read(at) })).reverse();
  const notesIn = (bucket: Bucket) =>
    [...within(marks, bucket), ...within(bands, bucket)].map((note) => note.label).join(", ");
  const columns = rows[0]?.readings.map((reading) => reading.label) ?? [];
  const hasNotes = bands.length + marks.length > 0;
  return (
    <div className={css.table} role="region" aria-label={`Table: ${name}`} tabIndex={0}>
      <DataTable
        size="dense"
        rows={rows}
        rowKey={({ bucket }) => String(bucket.fromMs)}
        columns={[
          {
            header: `Time, ${label}`,
            isRowHeader: true,
            cell: ({ bucket }) => bucketText(bucket.fromMs, bucket.toMs, zone),
          },
          ...columns.map((header, at) => ({ header, className: "num", cell: (row: Row) => row.readings[at]?.value })),
          ...(hasNotes ? [{ header: "Note", cell: ({ bucket }: Row) => notesIn(bucket) }] : []),
        ]}
      />
    </div>
  );
}
