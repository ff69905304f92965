import type { Queue } from "@svc/client";
import type { UseQueryResult } from "@tanstack/react-query";
import { paths } from "../../paths.ts";
import { stringifySearch } from "../../search-text.ts";
import { AppLink } from "../../ui/AppLink.tsx";
import { count, printable } from "../../ui/format.ts";
import { Glyph } from "../../ui/Icon.tsx";
import { Panel, PanelEmpty } from "../../ui/Panel.tsx";
import panel from "../../ui/panel.module.css";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { Age } from "../../ui/Stamp.tsx";
import css from "./overview.module.css";

const shown = 6;
const isStuck = (queue: Queue) => queue.pending_count > 0 && queue.consumer_count === 0;

/** The deepest queues; one that nobody takes from stands first. */
export function QueuesPanel({ slug, query }: { slug: string; query: UseQueryResult<{ items: Queue[] }> }) {
  return (
    <Panel
      className={css.cell}
      title="Queues"
      window="now"
      actions={<AppLink href={paths.queues(slug)}>All queues</AppLink>}
      read={query}
      rows={shown}
      empty={({ items }) =>
        items.length === 0 ? (
          <PanelEmpty kind="none-yet">
            <p>Queues appear by themselves when an agent reports one.</p>
          </PanelEmpty>
        ) : null
      }
    >
      {({ items }) => <QueueTable slug={slug} queues={items} />}
    </Panel>
  );
}

function QueueTable({ slug, queues }: { slug: string; queues: readonly Queue[] }) {
  const ordered = queues.toSorted(
    (a, b) =>
      Number(isStuck(b)) - Number(isStuck(a)) || b.pending_count - a.pending_count || a.name.localeCompare(b.name),
  );
  const most = Math.max(1, ...queues.map((queue) => queue.pending_count));
  return (
    <>
      <ScrollBox label="Queues">
        <table className={`${panel.tbl} ${panel.dense} ${css.tbl}`}>
          <thead>
            <tr>
              <th>Queue</th>
              <th className="num">Waiting</th>
              <th>
                <span className="vh">Share of the deepest</span>
              </th>
              <th className="num">Oldest</th>
              <th className="num">Cons.</th>
            </tr>
          </thead>
          <tbody>
            {ordered.slice(0, shown).map((queue) => (
              <tr key={queue.id} className={isStuck(queue) ? panel.alarm : undefined}>
                <td className={css.name}>
                  <AppLink className={css.plain} href={paths.tasks(slug) + stringifySearch({ queue: queue.name })}>
                    {printable(queue.name)}
                  </AppLink>{" "}
                  <span className="t3">{printable(queue.engine)}</span>
                </td>
                <td className="num">
                  <b>{count(queue.pending_count)}</b>
                </td>
                <td className={css.depth}>
                  <svg width="48" height="8" aria-hidden="true">
                    <rect width={`${(queue.pending_count / most) * 100}%`} height="8" />
                  </svg>
                </td>
                <td className="num t2">
                  <Age at={queue.pending_count > 0 ? queue.oldest_waiting_since : null} none="–" />
                </td>
                <td className="num">
                  {isStuck(queue) ? (
                    <span className={panel.wrong}>
                      <Glyph name="failure" />0<span className="vh"> consumers</span>
                    </span>
                  ) : (
                    count(queue.consumer_count)
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {ordered.length > shown ? <p className={css.more}>and {count(ordered.length - shown)} more queues</p> : null}
    </>
  );
}
