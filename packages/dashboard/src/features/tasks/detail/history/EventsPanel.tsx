import type { EventKind, TaskEvent } from "@svc/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Button } from "../../../../ui/buttons/Button.tsx";
import { CopyButton } from "../../../../ui/buttons/CopyButton.tsx";
import { Options } from "../../../../ui/forms/Select.tsx";
import { Icon } from "../../../../ui/Icon.tsx";
import json from "../../../../ui/json/json.module.css";
import { InlineError } from "../../../../ui/panels/Lines.tsx";
import { PanelFrame } from "../../../../ui/panels/PanelFrame.tsx";
import panel from "../../../../ui/panels/panel.module.css";
import { QueryBoundary } from "../../../../ui/panels/QueryBoundary.tsx";
import { ScrollBox } from "../../../../ui/panels/ScrollBox.tsx";
import { count, printable, printableLines } from "../../../../ui/time/format.ts";
import { clockText, fullText, useZone } from "../../../../ui/time/instants.ts";
import { taskEventsQuery } from "../../../task-data/index.ts";
import { olderTaskEventsQuery } from "../detail-queries.ts";
import { shortException } from "../family/trace.ts";
import css from "../task.module.css";
import type { TaskDetail } from "../use-task-detail.ts";

const fewShown = 8;
const pageShown = 100;

const taskKinds = (
  ["sent", "received", "started", "succeeded", "failed", "retried", "revoked", "rejected"] as const
).map((word) => `task.${word}` as const);

interface EventsPanelProps {
  slug: string;
  task: { engine: string; task_id: string };
  detail: TaskDetail;
  /** The page shows only the newest few until the user loads more. */
  isShort: boolean;
}

export function EventsPanel({ slug, task, detail, isShort }: EventsPanelProps) {
  const { zone, label } = useZone();
  const [most, setMost] = useState(isShort ? fewShown : pageShown);
  const [kind, setKind] = useState<EventKind | "">("");
  const [opened, setOpened] = useState<string | null>(null);
  const list = useEvents(slug, task, detail, kind);
  const { query, events, isMore } = list;
  const kinds = useMemo(() => {
    const reported = new Set(detail.events.map((event) => event.kind));
    // With more events to load, any kind may still appear.
    if (detail.eventsQuery.data?.next_cursor) for (const one of taskKinds) reported.add(one);
    return [...reported].sort();
  }, [detail.events, detail.eventsQuery.data]);
  const shown = events.slice(0, most);
  const more = () => {
    setMost(most < pageShown ? pageShown : most + pageShown);
    if (most + pageShown > events.length && isMore) list.readOlder();
  };

  return (
    <PanelFrame
      id="events"
      title="Events"
      note={`newest ${count(shown.length)} of ${count(events.length)}${isMore ? "+" : ""}, ${label}`}
      actions={
        kinds.length > 1 ? (
          <label>
            <span className="vh">Event kind</span>
            <select
              className={css.kinds}
              value={kind}
              onChange={(event) => setKind(event.currentTarget.value as EventKind | "")}
            >
              <Options of={[["", "all kinds"], ...kinds]} />
            </select>
          </label>
        ) : null
      }
    >
      <QueryBoundary name="Events" read={query} rows={3} isQuiet>
        {shown.length === 0 ? (
          <p className={css.empty}>{kind === "" ? "No events are stored." : `No ${kind} events are stored.`}</p>
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
                  const at = Date.parse(event.occurred_at);
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
                      <td className="num t2">
                        <time dateTime={event.occurred_at} title={`${fullText(at, zone)} ${zone}`}>
                          {clockText(at, zone)}
                        </time>
                      </td>
                    </tr>,
                    isOpen ? (
                      <tr key={`${event.id} payload`}>
                        <td colSpan={3} className={css.traced}>
                          <Payload event={event} />
                        </td>
                      </tr>
                    ) : null,
                  ];
                })}
              </tbody>
            </table>
          </ScrollBox>
        )}
      </QueryBoundary>
      {list.olderError ? (
        <InlineError title="Couldn't load older events" error={list.olderError} onRetry={list.readOlder} />
      ) : null}
      {events.length > shown.length || (isMore && !query.isPending) ? (
        <p className={panel.foot}>
          <Button variant="link" isPending={list.isReading} onClick={more}>
            {list.isReading ? "Loading older events" : most < pageShown ? "Show more events" : "Load older events"}
          </Button>
        </p>
      ) : null}
    </PanelFrame>
  );
}

/** The events of one kind or of all: the newest page, which stays up to date, and older pages loaded on request. */
function useEvents(slug: string, task: EventsPanelProps["task"], detail: TaskDetail, kind: EventKind | "") {
  const { engine, task_id: taskId } = task;
  const [wantsOlder, setWantsOlder] = useState(false);
  const whole = detail.eventsQuery;
  // If one page holds all events, they are filtered by kind locally.
  const isRequested = kind !== "" && Boolean(whole.data?.next_cursor);
  const ofKind = useQuery({ ...taskEventsQuery(slug, engine, taskId, kind), enabled: isRequested });
  const query = isRequested ? ofKind : whole;
  const from = query.data?.next_cursor ?? null;
  const older = useInfiniteQuery({
    ...olderTaskEventsQuery(slug, { engine, taskId, kind }, from ?? ""),
    enabled: wantsOlder && from !== null,
  });
  const events = useMemo(() => {
    const newest = query.data?.items ?? [];
    const all = from === null ? newest : [...newest, ...(older.data?.pages ?? []).flatMap((page) => page.items)];
    return kind === "" ? all : all.filter((event) => event.kind === kind);
  }, [query.data, older.data, from, kind]);
  return {
    query,
    events,
    isMore: from !== null && (older.data === undefined || older.hasNextPage),
    isReading: older.isFetching,
    olderError: older.error,
    readOlder: () => {
      if (!wantsOlder) setWantsOlder(true);
      else void (older.isError && !older.data ? older.refetch() : older.fetchNextPage());
    },
  };
}

function Payload({ event }: { event: TaskEvent }) {
  const text = JSON.stringify(event.payload, null, 2);
  return (
    <div className={css.unfolded}>
      <pre className={json.raw} tabIndex={0} role="region" aria-label={`Payload of ${event.kind}`}>
        {printableLines(text)}
      </pre>
      <CopyButton text={text} name="Copy payload" />
    </div>
  );
}

function detailOf({ payload }: TaskEvent): string {
  const attempt = typeof payload.attempt === "number" ? `attempt ${payload.attempt + 1}` : null;
  const worker = typeof payload.worker === "string" ? printable(payload.worker) : null;
  const exception = typeof payload.exception === "string" ? printable(shortException(payload.exception)) : null;
  return [attempt, worker, exception].filter(Boolean).join(", ");
}
