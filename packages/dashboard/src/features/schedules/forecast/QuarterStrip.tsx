import { type PointerEvent, useState } from "react";
import { TableToggle } from "../../../ui/charts/TableToggle.tsx";
import { ScrollBox } from "../../../ui/panels/ScrollBox.tsx";
import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { count } from "../../../ui/time/format.ts";
import { minuteText, useZone } from "../../../ui/time/instants.ts";
import css from "../schedules.module.css";
import { forecastLevel } from "./forecast-grid.ts";
import { peakOf, peakText, type Quarter, quarterSummary, quarterText } from "./quarters.ts";

const cellTop = 16;
const cellPx = 20;
const scale = [1, 2, 3, 4];

interface QuarterStripProps {
  quarters: readonly Quarter[];
  /** Whether fires of an edited schedule are marked. */
  hasOwn?: boolean;
}

/** The fires of the next 24 hours by quarter of an hour: the darker, the more. The tooltip is that of the cell under the pointer. */
export function QuarterStrip({ quarters, hasOwn = false }: QuarterStripProps) {
  const { zone } = useZone();
  const [isTable, setTable] = useState(false);
  const peak = peakOf(quarters);
  return (
    <>
      <span className="grow" />
      {isTable ? null : <Key most={peak?.fires ?? 0} hasOwn={hasOwn} />}
      <TableToggle name="Forecast" isTable={isTable} onChange={setTable} />
      {isTable ? (
        <div className={css.quarters}>
          <ScrollBox label="Forecast">
            <DataTable
              size="dense"
              // Most quarters of an hour have none.
              rows={quarters.filter(({ fires }) => fires > 0)}
              rowKey={({ startMs }) => String(startMs)}
              columns={[
                { header: `From, ${zone}`, isRowHeader: true, cell: ({ startMs }) => minuteText(startMs, zone) },
                { header: "Fires", className: "num", cell: ({ fires }) => count(fires) },
                hasOwn
                  ? { header: "Of this schedule", className: "num", cell: ({ own }) => count(own) }
                  : { header: "In the busiest minute", className: "num", cell: (one) => count(one.mostPerMinute) },
              ]}
            />
          </ScrollBox>
        </div>
      ) : (
        <Strip quarters={quarters} zone={zone} peak={peak} hasOwn={hasOwn} />
      )}
    </>
  );
}

function Key({ most, hasOwn }: { most: number; hasOwn: boolean }) {
  return (
    <span className={`${css.key} t3 lg`} aria-hidden="true">
      {hasOwn ? (
        <>
          <svg width="9" height="8">
            <path d="M4.5 0 9 8H0z" />
          </svg>
          <span>this schedule</span>
        </>
      ) : null}
      {most > 1 ? (
        <>
          1
          <svg className={css.forecast} width="72" height="12">
            {scale.map((level, at) => (
              <path key={level} data-heat={level} d={`M${at * 18} 0h17v12h-17z`} />
            ))}
          </svg>
          {count(most)}
        </>
      ) : null}
    </span>
  );
}

interface StripProps extends Required<QuarterStripProps> {
  zone: string;
  peak: Quarter | null;
}

function Strip({ quarters, zone, peak, hasOwn }: StripProps) {
  const [pointed, setPointed] = useState<Quarter | undefined>();
  const most = peak?.fires ?? 1;
  const paths = new Map<number, string>();
  for (const [at, { fires }] of quarters.entries()) {
    const level = forecastLevel(fires, most);
    paths.set(level, `${paths.get(level) ?? ""}M${at} 0h.9v1h-.9z`);
  }
  const summary = quarterSummary(quarters, zone);
  const share = (at: number) => `${(at / quarters.length) * 100}%`;
  const peakAt = peak === null ? 0 : quarters.indexOf(peak) / quarters.length;
  const labelY = cellTop + cellPx + (hasOwn ? 22 : 13);
  const point = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setPointed(quarters[Math.floor(((clientX - left) / width) * quarters.length)]);
  };
  return (
    <svg
      className={css.forecast}
      width="100%"
      height={labelY + 3}
      role="img"
      aria-label={summary}
      onPointerMove={point}
    >
      <title>{pointed ? quarterText(pointed, zone) : summary}</title>
      <rect width="100%" height={labelY} fill="transparent" />
      <svg
        y={cellTop}
        width="100%"
        height={cellPx}
        viewBox={`0 0 ${quarters.length} 1`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {[...paths].map(([level, d]) => (
          <path key={level} data-heat={level} d={d} />
        ))}
      </svg>
      {peakAt > 0.3 || peak === null ? (
        <text x="0" y="11">
          now
        </text>
      ) : null}
      {peak === null ? null : (
        <text
          className={css.peak}
          x={share(quarters.indexOf(peak) + 0.5)}
          y="11"
          textAnchor={peakAt < 0.2 ? "start" : peakAt > 0.8 ? "end" : "middle"}
        >
          {peakText(peak, zone)}
        </text>
      )}
      {quarters.map(({ startMs, own }, at) => {
        const time = minuteText(startMs, zone).slice(11);
        const hour = Number(time.slice(0, 2));
        return (
          <g key={startMs}>
            {own > 0 ? (
              <svg x={share(at + 0.5)} y={cellTop + cellPx + 2} overflow="visible" aria-hidden="true">
                <path className={css.own} d="M0 0 4.5 8h-9z" />
              </svg>
            ) : null}
            {time.endsWith(":00") && hour % 3 === 0 && at < quarters.length - 4 ? (
              <text className={hour % 6 === 0 ? undefined : "lg"} x={share(at)} y={labelY}>
                {time}
              </text>
            ) : null}
          </g>
        );
      })}
    </svg>
  );
}
