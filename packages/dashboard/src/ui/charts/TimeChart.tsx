import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import { useZone } from "../time/instants.ts";
import { ChartTable } from "./ChartTable.tsx";
import css from "./chart.module.css";
import { bucketText, timeLabels, widthText } from "./parts/axis.ts";
import { type Cursor, cursorKey, cursorSpan } from "./parts/cursor.ts";
import { type Band, type Bucket, type Mark, placeLabels, placer, type Reading, within } from "./parts/marks.ts";
import { useElementWidth } from "./parts/use-element-width.ts";

export interface Area {
  /** Edges of the plot in pixels. */
  readonly left: number;
  readonly right: number;
  /** The position of an instant, clamped to the chart's edges. */
  readonly x: (atMs: number) => number;
}

export interface TimeChartProps {
  /** The chart's name, for headings and screen readers. */
  name: string;
  /** A one-sentence text alternative. */
  summary: string;
  buckets: readonly Bucket[];
  /** Whether the last bucket is still running; the axis then ends in "now". */
  isRunning: boolean;
  height: number;
  /** Space left of the plot for the axis labels, and right of it for the line labels. */
  gutters: { left: number; right: number };
  /** Top and bottom of the cursor. */
  plot: { top: number; bottom: number };
  /** The values of a bucket, from top to bottom. */
  read: (index: number) => readonly Reading[];
  paint: (area: Area) => ReactNode;
  bands?: readonly Band[];
  marks?: readonly Mark[];
  isTable: boolean;
  /** Called when a range was dragged or selected with Shift and the arrow keys. */
  onRange?: ((fromMs: number, toMs: number) => void) | undefined;
  /** Called when a bucket was clicked, with the height in pixels, or opened with Enter. */
  onOpen?: ((bucket: Bucket, y: number | null) => void) | undefined;
}

/** The props shared by all kinds of chart. */
export interface ChartProps<One extends Bucket>
  extends Pick<TimeChartProps, "name" | "summary" | "isRunning" | "bands" | "marks" | "isTable" | "onRange"> {
  buckets: readonly One[];
}

const labelRoomPx = 45;
const mostLabels = 10;
const letterPx = 6;
const dragPx = 4;

/** A chart over time: axis, annotations, gaps, and a cursor for mouse, touch and keyboard. */
export function TimeChart(props: TimeChartProps) {
  const { name, buckets, height, isTable } = props;
  const box = useRef<HTMLElement>(null);
  const width = useElementWidth(box);
  return (
    <figure ref={box} className={css.chart} aria-label={name} style={{ height: `${height}px` }}>
      {isTable ? (
        <ChartTable
          name={name}
          buckets={buckets}
          read={props.read}
          bands={props.bands ?? []}
          marks={props.marks ?? []}
        />
      ) : width > 0 ? (
        <Drawing {...props} width={width} />
      ) : null}
    </figure>
  );
}

function Drawing(props: TimeChartProps & { width: number }) {
  const { summary, buckets, height, gutters, plot, paint, isRunning, width, bands = [] } = props;
  const { zone } = useZone();
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const left = gutters.left;
  const right = Math.max(left + 1, width - gutters.right);
  const x = placer(buckets, left, right - left);
  const first = buckets[0];
  const last = buckets.at(-1);
  if (!first || !last) return null;
  const range = { fromMs: first.fromMs, toMs: last.toMs };
  const marks = within(props.marks ?? [], range);
  const span = cursor === null ? null : cursorSpan(cursor);
  const spanFrom = span === null ? undefined : buckets[span.first];
  const spanTo = span === null ? undefined : buckets[span.last];
  const labelsEnd = isRunning ? right - 52 : right - 16;

  return (
    <>
      <svg width={width} height={height} role="img" aria-label={summary}>
        {paint({ left, right, x })}
        {bands.map((band) => (
          <BandShape key={`${band.fromMs} ${band.label}`} band={band} x={x} plot={plot} />
        ))}
        {marks.map(({ atMs, label }) => (
          <line key={`${atMs} ${label}`} className={css.mark} x1={x(atMs)} x2={x(atMs)} y1={0} y2={plot.bottom} />
        ))}
        {placeLabels(
          marks.map(({ atMs, label, isMinor = false }) => ({ x: x(atMs), text: label, isMinor })),
          { left, right },
          letterPx,
        ).map((label) => (
          <text
            key={`${label.x} ${label.text}`}
            className={css.markText}
            x={label.x + (label.isBefore ? -4 : 4)}
            y="9"
            textAnchor={label.isBefore ? "end" : "start"}
          >
            {label.text}
          </text>
        ))}
        {timeLabels(range, Math.min(mostLabels, Math.max(1, Math.floor((right - left) / labelRoomPx))), zone).map(
          ({ atMs, text }) =>
            x(atMs) > labelsEnd ? null : (
              <text key={atMs} x={Math.max(left + 14, x(atMs))} y={height - 4} textAnchor="middle">
                {text}
              </text>
            ),
        )}
        {isRunning ? (
          <text x={right} y={height - 4} textAnchor="end">
            now
          </text>
        ) : null}
        {spanFrom && spanTo ? (
          <rect
            className={css.cursor}
            x={x(spanFrom.fromMs)}
            width={Math.max(1, x(spanTo.toMs) - x(spanFrom.fromMs))}
            y={plot.top}
            height={plot.bottom - plot.top}
          />
        ) : null}
      </svg>
      <Reader {...props} left={left} right={right} cursor={cursor} setCursor={setCursor} zone={zone} />
    </>
  );
}

function BandShape({ band, x, plot }: { band: Band; x: Area["x"]; plot: TimeChartProps["plot"] }) {
  const from = x(band.fromMs);
  const to = Math.max(from + 2, x(band.toMs));
  if (to <= x(Number.NEGATIVE_INFINITY) || from >= x(Number.POSITIVE_INFINITY)) return null;
  return (
    <>
      <rect className={css.lost} x={from} width={to - from} y={plot.top} height={plot.bottom - plot.top} />
      {to - from > band.label.length * letterPx ? (
        <text className={css.onLost} x={from + 2} y={plot.top + 10}>
          {band.label}
        </text>
      ) : null}
    </>
  );
}

interface ReaderProps extends TimeChartProps {
  width: number;
  left: number;
  right: number;
  cursor: Cursor | null;
  setCursor: (cursor: Cursor | null) => void;
  zone: string;
}

/** The layer that handles pointer and keys, and the tooltip at the cursor. */
function Reader(props: ReaderProps) {
  const { name, buckets, plot, left, right, width, cursor, setCursor, zone, onOpen, onRange } = props;
  const press = useRef<{ x: number; index: number; opens: boolean } | null>(null);
  const indexAt = (event: PointerEvent<HTMLElement>) => {
    const inside = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return Math.min(buckets.length - 1, Math.max(0, Math.floor((inside / (right - left)) * buckets.length)));
  };
  const span = cursor === null ? null : cursorSpan(cursor);
  const from = span === null ? undefined : buckets[span.first];
  const to = span === null ? undefined : buckets[span.last];

  const finish = (done: Cursor, y: number | null = null) => {
    const ends = cursorSpan(done);
    const [begin, end] = [buckets[ends.first], buckets[ends.last]];
    if (!begin || !end) return;
    if (done.from === null) onOpen?.(begin, y);
    else onRange?.(begin.fromMs, end.toMs);
    setCursor(null);
  };

  const pressKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = cursorKey(cursor, event, buckets.length);
    if (move === null) return;
    event.preventDefault();
    if ("to" in move) setCursor(move.to);
    else if (cursor !== null) finish(cursor);
  };

  const readings = cursor === null || cursor.from !== null ? [] : notedReadings(props, cursor.at);
  const text = from && to ? bucketText(from.fromMs, to.toMs, zone) : "";
  const isRange = cursor !== null && cursor.from !== null;
  const hint = isRange && from && to ? `${widthText(to.toMs - from.fromMs)}, Enter or release to zoom in` : null;
  const middle = from && to ? (left + right) / 2 : 0;
  const cursorX = from && to ? placer(buckets, left, right - left)((from.fromMs + to.toMs) / 2) : 0;

  return (
    <>
      <div
        className={css.reader}
        role="slider"
        tabIndex={0}
        aria-label={`${name}, use arrow keys to read values`}
        aria-orientation="horizontal"
        aria-valuemin={1}
        aria-valuemax={buckets.length}
        aria-valuenow={(cursor?.at ?? buckets.length - 1) + 1}
        aria-valuetext={
          cursor === null
            ? "no bucket selected"
            : [text, hint, ...readings.map(({ label, value }) => `${label} ${value}`)].filter(Boolean).join(", ")
        }
        data-opens={onOpen !== undefined}
        style={{ left: `${left}px`, width: `${right - left}px`, height: `${plot.bottom + 4}px` }}
        onKeyDown={pressKey}
        onBlur={() => setCursor(null)}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          const index = indexAt(event);
          // Touch has no hover: the first tap shows the values, a second tap in the same place opens the bucket.
          const opens = event.pointerType === "mouse" || (cursor?.at === index && cursor.from === null);
          press.current = { x: event.clientX, index, opens };
          setCursor({ at: index, from: null });
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          const at = indexAt(event);
          if (press.current === null) {
            if (event.pointerType === "mouse") setCursor({ at, from: null });
          } else if (onRange !== undefined && Math.abs(event.clientX - press.current.x) > dragPx) {
            setCursor({ at, from: press.current.index });
          }
        }}
        onPointerUp={(event) => {
          const y = event.clientY - event.currentTarget.getBoundingClientRect().top;
          if (cursor !== null && (cursor.from !== null || press.current?.opens)) finish(cursor, y);
          press.current = null;
        }}
        onPointerCancel={() => {
          press.current = null;
          setCursor(null);
        }}
        onPointerLeave={(event) => {
          if (press.current === null && event.pointerType === "mouse") setCursor(null);
        }}
      />
      {cursor === null ? null : (
        <div
          className={css.tip}
          aria-hidden="true"
          style={
            cursorX < middle
              ? { left: `${cursorX + 12}px`, top: `${plot.top}px` }
              : { right: `${width - cursorX + 12}px`, top: `${plot.top}px` }
          }
        >
          <p className={css.tipHead}>{text}</p>
          {hint ? <p className="t2">{hint}</p> : null}
          {readings.length > 0 ? (
            <dl>
              {readings.map(({ label, value, swatch }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two marks of one bucket may have the same text
                <div key={at}>
                  <dt>
                    {swatch ? <i className={swatch} /> : null}
                    {label}
                  </dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          ) : null}
        </div>
      )}
    </>
  );
}

/** The values and annotations of a bucket. */
function notedReadings({ read, buckets, bands = [], marks = [] }: TimeChartProps, index: number): Reading[] {
  const bucket = buckets[index];
  if (!bucket) return [];
  return [
    ...read(index),
    ...within(marks, bucket).map(({ label }) => ({ label, value: "" })),
    ...within(bands, bucket).map(({ label }) => ({ label, value: "" })),
  ];
}
