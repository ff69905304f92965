import { plural } from "@svc/client";
import { Glyph } from "../../../ui/Icon.tsx";
import panel from "../../../ui/panels/panel.module.css";
import type { Column } from "../../../ui/tables/columns.tsx";
import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { printable } from "../../../ui/time/format.ts";
import { useZone } from "../../../ui/time/instants.ts";
import { Countdown, RunTime } from "../Countdown.tsx";
import { clockChanges } from "../clock-changes.ts";
import css from "../schedules.module.css";

const shownRuns = 10;

interface RunListProps {
  /** In milliseconds since 1970, in order; more than are shown, for changes of the clocks. */
  runs: readonly number[];
  /** The schedule's own. */
  zone: string;
  /** Other schedules that fire in the minute of a run, by its start; absent if they are not known. */
  sameMinute?: ReadonlyMap<number, SameMinute> | undefined;
  /** Changes of the clocks, if they are known from elsewhere. */
  warnings?: readonly string[] | undefined;
}

export interface SameMinute {
  schedule_count: number;
  schedules: readonly { name: string }[];
}

const minuteMs = 60_000;

/** The next runs in the zone of the schedule and in the chosen one, and what changes of the clocks do to them. */
export function RunList({ runs, zone, sameMinute, warnings }: RunListProps) {
  const { zone: chosen } = useZone();
  const changes = clockChanges(runs, zone);
  const changed = new Set(changes.map(({ at }) => at));
  const rows = runs.slice(0, shownRuns).map((run, at) => ({ run, at }));
  const columns: Column<(typeof rows)[number]>[] = [
    { header: "#", className: "num", cellClass: "t3", cell: ({ at }) => at + 1 },
    {
      header: zone,
      cell: ({ run, at }) => (
        <>
          <RunTime at={run} zone={zone} />
          {changed.has(at) ? (
            <span className={css.clock} title="The clocks change before this run">
              <Glyph name="unknown" />
              <span className="vh">The clocks change before this run</span>
            </span>
          ) : null}
        </>
      ),
    },
    ...(chosen === zone
      ? []
      : [{ header: chosen, cellClass: "t2", cell: ({ run }: { run: number }) => <RunTime at={run} /> }]),
    { header: "From now", className: "num", cellClass: "t2", cell: ({ run }) => <Countdown at={run} /> },
  ];
  if (sameMinute) {
    columns.push({
      header: "Same minute",
      cell: ({ run }) => <Others of={sameMinute.get(Math.floor(run / minuteMs) * minuteMs)} />,
    });
  }
  const texts = warnings ?? changes.map(({ text }) => text);
  return (
    <>
      <DataTable label="Next runs" size="dense" rows={rows} rowKey={({ run }) => String(run)} columns={columns} />
      {texts.length > 0 ? (
        <ul className={panel.foot} aria-label="Changes of the clocks">
          {texts.map((text) => (
            <li key={text} className={css.clock}>
              <Glyph name="unknown" />
              {text}
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}

function Others({ of }: { of: SameMinute | undefined }) {
  if (of === undefined) return <span className="t3">none</span>;
  return (
    <span className={css.clock} title={of.schedules.map(({ name }) => printable(name)).join("\n")}>
      {plural(of.schedule_count, "other")}
    </span>
  );
}
