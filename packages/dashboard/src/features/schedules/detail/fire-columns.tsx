import type { Fire, ScheduleDetail } from "@svc/client";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Button } from "../../../ui/buttons/Button.tsx";
import { Pill, type PillStyle } from "../../../ui/StatePill.tsx";
import type { Column } from "../../../ui/tables/columns.tsx";
import { age, duration, printable } from "../../../ui/time/format.ts";
import { instant } from "../../../ui/time/instants.ts";
import { useMayNot } from "../../projects/index.ts";
import { RunTime } from "../Countdown.tsx";
import { type FireGroup, fireStyle, isUnresolved } from "../fires/fire-status.ts";

const pills: Readonly<Record<FireGroup, PillStyle>> = {
  done: { tone: "success", glyph: "success" },
  failed: { tone: "failure", glyph: "failure" },
  "in flight": { tone: "started", glyph: "started" },
  buffered: { tone: "retry", glyph: "timeout" },
  skipped: { tone: "revoked", glyph: "revoked" },
};

export const fireColumns = (
  slug: string,
  { engine }: Pick<ScheduleDetail, "engine">,
  onResolve: (fire: Fire) => void,
): readonly Column<Fire>[] => [
  {
    header: "Planned",
    width: "10.5rem",
    phoneWidth: "9rem",
    cell: ({ scheduled_for, triggered_by_user_id: user }) => (
      <>
        <RunTime at={scheduled_for} />
        {user ? <span className="t3"> by hand</span> : null}
      </>
    ),
  },
  {
    header: "Status",
    cell: ({ status, error_code, error_message }) => {
      const { group, label } = fireStyle(status);
      const error = [error_code, error_message].filter(Boolean).join(": ");
      return (
        <>
          <Pill word={label} style={pills[group]} bare />
          {error ? <span className="t2"> {printable(error)}</span> : null}
        </>
      );
    },
    title: ({ error_message }) => (error_message ? printable(error_message) : undefined),
  },
  {
    header: "Fired after",
    className: "num lg",
    cellClass: "t2",
    width: "5.5rem",
    cell: ({ scheduled_for, fired_at }) => age(instant(fired_at) - instant(scheduled_for)),
  },
  {
    header: "Latency",
    className: "num lg",
    width: "5rem",
    cell: ({ latency_ms }) => (latency_ms === null || latency_ms === undefined ? "–" : duration(latency_ms)),
  },
  {
    header: "Task",
    className: "lg",
    width: "6.5rem",
    cell: ({ task_id: task, command_id: command, scheduled_for }) =>
      task ? (
        <AppLink href={paths.task(slug, engine, task)} aria-label={`Task of the fire planned for ${scheduled_for}`}>
          View task
        </AppLink>
      ) : command ? (
        <AppLink href={paths.command(slug, command)} aria-label={`Command of the fire planned for ${scheduled_for}`}>
          Command
        </AppLink>
      ) : (
        <span className="t3">–</span>
      ),
  },
  {
    header: "Actions",
    isHeaderHidden: true,
    width: "5.5rem",
    phoneWidth: "5rem",
    cell: (fire) => (isUnresolved(fire.status) ? <Resolve slug={slug} onResolve={() => onResolve(fire)} /> : null),
  },
];

function Resolve({ slug, onResolve }: { slug: string; onResolve: () => void }) {
  return (
    <Button variant="link" disabledReason={useMayNot(slug)} onClick={onResolve}>
      Resolve
    </Button>
  );
}
