import type { ActivityRow, AuditRow } from "@svc/client";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { ScrollBox } from "../../../ui/panels/ScrollBox.tsx";
import { OutcomePill } from "../../../ui/StatePill.tsx";
import { type RowPlace, WindowTable } from "../../../ui/tables/WindowTable.tsx";
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
export function RecordTable({ label, rows, hasMore, showsProject, ...shown }: RecordTableProps) {
  return (
    <ScrollBox label={label}>
      <WindowTable
        className={`${panel.tbl} ${panel.wide} ${css.list}`}
        rows={rows.map((row) => ({ key: row.id, row }))}
        isOpenEnded={hasMore}
        rowPx={37}
        head={
          <>
            <th className="lg">Time</th>
            <th className="lg">Who</th>
            <th>Action</th>
            {showsProject ? <th className="lg">Project</th> : null}
            <th className="lg">Target</th>
            <th>Outcome</th>
            <th className="lg">Address</th>
          </>
        }
      >
        {({ row }, place) => <Row row={row} place={place} showsProject={showsProject} {...shown} />}
      </WindowTable>
    </ScrollBox>
  );
}

type RowProps = Omit<RecordTableProps, "label" | "rows" | "hasMore"> & { row: Recorded; place: RowPlace };

function Row({ row, place, names, showsProject, isExact, opened, onOpen }: RowProps) {
  const me = useMe();
  const who = actorText(row, { me, names });
  return (
    <tr {...place} className={row.id === opened ? css.opened : undefined}>
      <td className="lg num">
        <RowTime at={row.occurred_at} isExact={isExact} />
      </td>
      <td className="lg">{who}</td>
      <td className={panel.two}>
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
            {who}, <Age at={row.occurred_at} suffix=" ago" />
          </small>
        </div>
      </td>
      {showsProject ? (
        <td className="lg">
          <RowProject row={row} />
        </td>
      ) : null}
      <td className="lg t2">
        {printable(row.target_type)}{" "}
        {row.target_id === null ? null : (
          <span className="mono" title={printable(row.target_id)}>
            {idTail(row.target_id)}
          </span>
        )}
      </td>
      <td>
        <OutcomePill outcome={row.outcome ?? row.result} bare />
      </td>
      <td className="lg t2">
        <Address row={row} />
      </td>
    </tr>
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
