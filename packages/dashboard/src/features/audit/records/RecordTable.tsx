import type { ActivityRow, AuditRow } from "@svc/client";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { Pill, type PillStyle } from "../../../ui/StatePill.tsx";
import type { Column } from "../../../ui/tables/columns.tsx";
import { WindowTable } from "../../../ui/tables/WindowTable.tsx";
import { idTail, printable } from "../../../ui/time/format.ts";
import { exactText, fullText, useZone } from "../../../ui/time/instants.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { useMe } from "../../sessions/index.ts";
import css from "../audit.module.css";
import { actorText, type Names, outcomeNames, outcomeOf, targetName } from "../labels.ts";
import { useAgentNames } from "./use-agent-names.ts";

export type Recorded = AuditRow | ActivityRow;

interface RecordTableProps {
  label: string;
  rows: readonly Recorded[];
  hasMore: boolean;
  names: Names;
  /** Shows the project of each entry. */
  showsProject: boolean;
  /** Shows times with microseconds. */
  isExact: boolean;
  opened: string | null;
  onOpen: (id: string) => void;
}

export const rowButtonId = (id: string) => `row-${id}`;

/** Audit entries, newest first; the action opens the entry. */
export function RecordTable(props: RecordTableProps) {
  const { label, rows, hasMore, names, showsProject, isExact, opened, onOpen } = props;
  const me = useMe();
  const agents = useAgentNames();
  const who = (row: Recorded) => actorText(row, { me, names });
  const known = (row: Recorded) => targetName(row, { names, agents });
  const columns: Column<Recorded>[] = [
    {
      header: "Time",
      className: "lg",
      cellClass: "num",
      width: "11.25rem",
      cell: (row) => <RowTime at={row.occurred_at} isExact={isExact} />,
    },
    { header: "User", className: "lg", width: "9rem", cell: who },
    {
      header: "Action",
      cellClass: panel.two,
      cell: (row) => (
        <>
          <button
            type="button"
            id={rowButtonId(row.id)}
            className={css.open}
            aria-haspopup="dialog"
            aria-expanded={row.id === opened}
            onClick={() => onOpen(row.id)}
          >
            {printable(row.action)}
          </button>
          <div className="sm">
            <small>
              {who(row)}, <Age at={row.occurred_at} suffix=" ago" />
            </small>
          </div>
        </>
      ),
    },
    {
      header: "Target",
      className: "lg",
      cellClass: "t2",
      width: "10rem",
      cell: (row) => (
        <>
          {printable(row.target_type)}{" "}
          {row.target_id === null ? null : (
            <span className={known(row) ? undefined : "mono"} title={printable(row.target_id)}>
              {known(row) ?? idTail(row.target_id)}
            </span>
          )}
        </>
      ),
    },
    {
      header: "Outcome",
      width: "6rem",
      phoneWidth: "7rem",
      cell: (row) => <Outcome row={row} bare />,
    },
    { header: "IP address", className: "lg", cellClass: "t2", width: "8.5rem", cell: (row) => <Address row={row} /> },
  ];
  if (showsProject)
    columns.splice(3, 0, { header: "Project", className: "lg", cell: (row) => <RowProject row={row} /> });
  return (
    <WindowTable
      label={label}
      size="wide"
      className={css.list}
      rows={rows}
      rowKey={({ id }) => id}
      isOpenEnded={hasMore}
      rowPx={37}
      rowProps={({ id }) => (id === opened ? { className: css.opened } : {})}
      columns={columns}
    />
  );
}

const outcomeStyles: Readonly<Record<string, PillStyle>> = {
  allow: { tone: "success", glyph: "success" },
  deny: { tone: "rejected", glyph: "rejected" },
  failure: { tone: "failure", glyph: "failure" },
  error: { tone: "retry", glyph: "timeout" },
};

export function Outcome({ row, bare }: { row: Recorded; bare?: boolean }) {
  const outcome = outcomeOf(row);
  const style = outcomeStyles[outcome] ?? { tone: "unknown", glyph: "unknown" };
  return <Pill word={printable(outcomeNames[outcome] ?? outcome)} style={style} bare={bare} />;
}

/** The exact time in the chosen zone, with microseconds in the tooltip. */
export function RowTime({ at, isExact }: { at: string; isExact: boolean }) {
  const { zone } = useZone();
  const exact = exactText(at, zone);
  return (
    <time dateTime={at} title={`${exact} ${zone}\n${at}`}>
      {isExact ? exact : fullText(Date.parse(at), zone).slice(0, 19)}
    </time>
  );
}

export function RowProject({ row }: { row: Recorded }) {
  if (row.project_id === null) return <span className="t3">none</span>;
  const slug = "project_slug" in row ? row.project_slug : null;
  if (slug === null) return <span className="mono">{idTail(row.project_id)}</span>;
  return <AppLink href={paths.project(slug)}>{slug}</AppLink>;
}

/** The client address, for instance administrators only. */
export function Address({ row }: { row: Recorded }) {
  const { is_admin: isAdmin } = useMe();
  if (row.source_ip !== null) {
    const text = printable(row.source_ip);
    return (
      <span className="mono" title={text}>
        {text}
      </span>
    );
  }
  return isAdmin ? (
    <span className="t3">none</span>
  ) : (
    <span className="t3" title="Only instance administrators see addresses">
      hidden for your role
    </span>
  );
}
