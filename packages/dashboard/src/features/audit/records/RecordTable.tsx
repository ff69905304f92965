import type { ActivityRow, AuditRow } from "@svc/client";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { OutcomePill } from "../../../ui/StatePill.tsx";
import type { Column } from "../../../ui/tables/columns.tsx";
import { WindowTable } from "../../../ui/tables/WindowTable.tsx";
import { idTail, printable } from "../../../ui/time/format.ts";
import { exactText, fullText, useZone } from "../../../ui/time/instants.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { useMe } from "../../sessions/index.ts";
import css from "../audit.module.css";
import { actorText, type Names } from "../words.ts";

export type Recorded = AuditRow | ActivityRow;

interface RecordTableProps {
  label: string;
  rows: readonly Recorded[];
  hasMore: boolean;
  names: Names;
  /** Rows of several projects: each says whose it is. */
  showsProject: boolean;
  /** Times with their microseconds. */
  isExact: boolean;
  opened: string | null;
  onOpen: (id: string) => void;
}

export const rowButtonId = (id: string) => `row-${id}`;

/** Audit rows, newest first; each opens on its action. */
export function RecordTable(props: RecordTableProps) {
  const { label, rows, hasMore, names, showsProject, isExact, opened, onOpen } = props;
  const me = useMe();
  const who = (row: Recorded) => actorText(row, { me, names });
  const columns: Column<Recorded>[] = [
    {
      header: "Time",
      className: "lg",
      cellClass: "num",
      width: "11.25rem",
      cell: (row) => <RowTime at={row.occurred_at} isExact={isExact} />,
    },
    { header: "Who", className: "lg", width: "9rem", cell: who },
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
      cell: ({ target_type: type, target_id: id }) => (
        <>
          {printable(type)}{" "}
          {id === null ? null : (
            <span className="mono" title={printable(id)}>
              {idTail(id)}
            </span>
          )}
        </>
      ),
    },
    {
      header: "Outcome",
      width: "6rem",
      phoneWidth: "7rem",
      cell: (row) => <OutcomePill outcome={row.outcome ?? row.result} bare />,
    },
    { header: "Address", className: "lg", cellClass: "t2", width: "8.5rem", cell: (row) => <Address row={row} /> },
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

/** The exact instant in the chosen zone; its tooltip has the microseconds. */
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

/** Where from; only instance admins are told. */
export function Address({ row }: { row: Recorded }) {
  const { is_admin: isTold } = useMe();
  if (row.source_ip !== null) {
    const text = printable(row.source_ip);
    return (
      <span className="mono" title={text}>
        {text}
      </span>
    );
  }
  return isTold ? (
    <span className="t3">none</span>
  ) : (
    <span className="t3" title="Addresses are for instance admins">
      hidden for your role
    </span>
  );
}
