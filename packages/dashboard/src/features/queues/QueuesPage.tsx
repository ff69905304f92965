import type { Queue } from "@svc/client";
import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useHub, usePollMs } from "../../live/live.ts";
import { paths } from "../../paths.ts";
import { stringifySearch } from "../../search-text.ts";
import { AppLink } from "../../ui/AppLink.tsx";
import { Empty } from "../../ui/Feedback.tsx";
import { count, printable } from "../../ui/format.ts";
import { Glyph } from "../../ui/Icon.tsx";
import panel from "../../ui/panel.module.css";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { Age } from "../../ui/Stamp.tsx";
import { usePage } from "../../ui/title.ts";
import { applyRows } from "../agents/queries.ts";
import { queuesQuery } from "./queries.ts";

export function QueuesPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/queues" });
  usePage([{ label: slug, href: paths.tasks(slug) }, { label: "Queues" }]);
  const client = useQueryClient();
  const pollMs = usePollMs();
  const { data } = useSuspenseQuery({ ...queuesQuery(slug), refetchInterval: pollMs });
  useHub("queue.changed", (event) => {
    const key = queuesQuery(slug).queryKey;
    if (event.refetch) void client.invalidateQueries({ queryKey: key });
    else client.setQueryData(key, (old) => old && { ...old, items: applyRows(old.items, event) });
  });
  const queues = data.items.toSorted(
    (a, b) => rank(a) - rank(b) || b.pending_count - a.pending_count || a.name.localeCompare(b.name),
  );

  return (
    <>
      <div className={panel.head}>
        <h1>Queues</h1>
        <span className="t3">depths as the agents last reported them</span>
      </div>
      {queues.length === 0 ? (
        <Empty title="No queue seen yet">
          <p>Queues appear by themselves when an agent reports one.</p>
        </Empty>
      ) : (
        <ScrollBox label="Queues">
          <table className={`${panel.tbl} ${panel.wide}`}>
            <thead>
              <tr>
                <th>Queue</th>
                <th className="num">Waiting</th>
                <th className="num">Oldest waits</th>
                <th className="num">Consumers</th>
                <th className="num lg">Last seen</th>
              </tr>
            </thead>
            <tbody>
              {queues.map((queue) => (
                <QueueRow key={queue.id} slug={slug} queue={queue} />
              ))}
            </tbody>
          </table>
          {data.next_cursor ? <p className={panel.foot}>Only the first {queues.length} queues are listed.</p> : null}
        </ScrollBox>
      )}
    </>
  );
}

// Work that nobody takes is the top alarm.
function rank(queue: Queue): number {
  return isStuck(queue) ? 0 : 1;
}

function isStuck(queue: Queue): boolean {
  return queue.pending_count > 0 && queue.consumer_count === 0;
}

function QueueRow({ slug, queue }: { slug: string; queue: Queue }) {
  return (
    <tr className={isStuck(queue) ? panel.alarm : undefined}>
      <td className={panel.two}>
        <AppLink href={paths.tasks(slug) + stringifySearch({ queue: queue.name })}>
          <b>{printable(queue.name)}</b>
        </AppLink>
        <small>{printable(queue.engine)}</small>
      </td>
      <td className="num">{count(queue.pending_count)}</td>
      <td className="num">
        <Age at={queue.oldest_waiting_since} none="–" />
      </td>
      <td className="num">
        {isStuck(queue) ? (
          <span className={panel.wrong}>
            <Glyph name="failure" />
            none
          </span>
        ) : (
          count(queue.consumer_count)
        )}
      </td>
      <td className="num lg t2">
        <Age at={queue.last_seen_at} suffix=" ago" />
      </td>
    </tr>
  );
}
