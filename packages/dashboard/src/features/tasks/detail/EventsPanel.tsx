import type { TaskEvent } from "@svc/client";
import { useMemo, useState } from "react";
import controls from "../../../ui/controls.module.css";
import { Bones, Failed } from "../../../ui/Feedback.tsx";
import { printable } from "../../../ui/format.ts";
import { Icon } from "../../../ui/Icon.tsx";
import { clockText, useZone } from "../../../ui/instants.ts";
import json from "../../../ui/json.module.css";
import panel from "../../../ui/panel.module.css";
import { ScrollBox } from "../../../ui/ScrollBox.tsx";
import css from "./task.module.css";
import type { TaskDetail } from "./use-task-detail.ts";

const firstShown = 8;

export function EventsPanel({ detail, showsAll }: { detail: TaskDetail; showsAll: boolean }) {
  const { zone, label } = useZone();
  const [isAll, setAll] = useState(showsAll);
  const [kind, setKind] = useState("");
  const [opened, setOpened] = useState<string | null>(null);
  const { events, eventsQuery } = detail;
  const kinds = useMemo(() => [...new Set(events.map((event) => event.kind))].sort(), [events]);
  const matching = kind === "" ? events : events.filter((event) => event.kind === kind);
  const shown = isAll ? matching : matching.slice(0, firstShown);

  return (
    <section className={panel.panel} id="events" aria-labelledby="h-events">
      <header>
        <h2 id="h-events">Events</h2>
        <span className="t3">
          newest {shown.length} of {events.length}
          {eventsQuery.data?.next_cursor ? "+" : ""}, {label}
        </span>
        <span className="grow" />
        {isAll && kinds.length > 1 ? (
          <label>
            <span className="vh">Kind of event</span>
            <select className={css.kinds} value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
              <option value="">all kinds</option>
              {kinds.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        {!isAll && events.length > firstShown ? (
          <button type="button" className={controls.lnk} onClick={() => setAll(true)}>
            All events
          </button>
        ) : null}
      </header>
      {eventsQuery.isError && events.length === 0 ? (
        <Failed title="Events could not be read" error={eventsQuery.error} onRetry={() => void eventsQuery.refetch()} />
      ) : eventsQuery.isPending ? (
        <Bones rows={3} label="Loading events" />
      ) : shown.length === 0 ? (
        <p className={css.empty}>No event is kept.</p>
      ) : (
        <ScrollBox label="Events">
          <table className={`${panel.tbl} ${panel.dense}`}>
            <thead className="vh">
              <tr>
                <th>Kind</th>
                <th>Detail</th>
                <th>Time</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((event) => {
                const isOpen = opened === event.id;
                return [
                  <tr key={event.id}>
                    <td className="mono">
                      <button
                        type="button"
                        className={json.fold}
                        aria-expanded={isOpen}
                        onClick={() => setOpened(isOpen ? null : event.id)}
                      >
                        <Icon name={isOpen ? "caret" : "right"} />
                        {printable(event.kind)}
                      </button>
                    </td>
                    <td className={`${panel.long} t2`}>{detailOf(event)}</td>
                    <td className="num t2">{clockText(Date.parse(event.occurred_at), zone)}</td>
                  </tr>,
                  isOpen ? (
                    <tr key={`${event.id} payload`}>
                      <td colSpan={3} className={css.traced}>
                        <pre className={json.raw} tabIndex={0} role="region" aria-label={`Payload of ${event.kind}`}>
                          {JSON.stringify(event.payload, null, 2)}
                        </pre>
                      </td>
                    </tr>
                  ) : null,
                ];
              })}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </section>
  );
}

function detailOf({ payload }: TaskEvent): string {
  const attempt = typeof payload.attempt === "number" ? `attempt ${payload.attempt + 1}` : null;
  const worker = typeof payload.worker === "string" ? printable(payload.worker) : null;
  const exception = typeof payload.exception === "string" ? printable(payload.exception.split("\n", 1)[0] ?? "") : null;
  return [attempt, worker, exception].filter(Boolean).join(", ");
}
