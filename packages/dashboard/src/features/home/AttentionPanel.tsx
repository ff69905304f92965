import type { HomeAttention } from "@svc/client";
import { paths } from "../../address/paths.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Glyph } from "../../ui/Icon.tsx";
import { count, printable } from "../../ui/time/format.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { tasksOfIssue } from "../issues/index.ts";
import css from "./home.module.css";

const shown = 12;

/** One sentence per item that needs attention, linked to its page. */
export function AttentionPanel({ items }: { items: readonly HomeAttention[] }) {
  return (
    <section className={css.attention} aria-labelledby="h-attention">
      <h2 id="h-attention">Needs attention</h2>
      {items.length === 0 ? (
        <p className={css.calm}>
          <Glyph name="success" />
          All clear. No agent or worker is offline, every queue with waiting tasks has a worker, no command is waiting
          for too long, at most 5 % of tasks failed in any project, no spike was found, and in the last 24 hours no run
          of a schedule was missed and no schedule was disabled after failures.
        </p>
      ) : (
        <ul>
          {items.slice(0, shown).map((item) => (
            <li key={`${item.project_id} ${item.kind}`} data-severity={item.severity}>
              <Glyph name={item.severity === "critical" ? "failure" : "half"} />
              <span className="vh">{item.severity}: </span>
              <b>{printable(item.project_name)}</b>
              <Sentence item={item} />
              {item.since ? (
                <span className="t3">
                  {item.count === 1 ? "Last seen" : "Offline longest: last seen"} <Age at={item.since} suffix=" ago" />
                </span>
              ) : null}
            </li>
          ))}
          {items.length > shown ? (
            <li>
              <Glyph name="unknown" />
              and {count(items.length - shown)} more in the projects below
            </li>
          ) : null}
        </ul>
      )}
    </section>
  );
}

function Sentence({ item }: { item: HomeAttention }) {
  const view = viewOf(item);
  const text = printable(item.message);
  return view === null ? <span>{text}</span> : <AppLink href={view}>{text}</AppLink>;
}

/** The filtered list behind the sentence, or null. */
function viewOf({ kind, project_slug: slug, issue }: HomeAttention): string | null {
  switch (kind) {
    case "agents_offline":
      return paths.agents(slug, { filter: "offline" });
    case "workers_missing":
      return paths.workers(slug, { filter: "offline" });
    case "queues_without_workers":
      return paths.queues(slug);
    case "stuck_commands":
      return paths.commands(slug);
    case "misfires":
      return paths.misfires(slug);
    case "breaker_tripped":
      return paths.schedules(slug, { show: "tripped" });
    case "failure_rate":
      return paths.tasks(slug, { state: "failure", since: "-24h" });
    case "issue_spike":
      // Two hours, since tasks that failed in the last hour may have been created earlier.
      return paths.tasks(slug, { ...(issue ? tasksOfIssue(issue) : { state: "failure" }), since: "-2h" });
    default:
      return null;
  }
}
