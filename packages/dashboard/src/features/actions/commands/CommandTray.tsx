import { type Agent, ApiProblem, type BulkRetryRequest, type Command } from "@svc/client";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useState, useSyncExternalStore } from "react";
import { paths } from "../../../address/paths.ts";
import { useTimedMs } from "../../../live/live.ts";
import { dropCommands, type RecentCommand, recent } from "../../../shell/rail/recent.ts";
import { useIsPhone } from "../../../ui/appearance.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Button } from "../../../ui/buttons/Button.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { age, count, duration, idTail, nameText, printable } from "../../../ui/time/format.ts";
import { instant } from "../../../ui/time/instants.ts";
import { useNow } from "../../../ui/time/ticker.ts";
import { agentsQuery } from "../../agents/index.ts";
import { BulkRetryPill } from "../bulk-retries/BulkRetryPill.tsx";
import { bulkRetryQuery, hasEnded as hasBulkEnded, nextReadMs } from "../bulk-retries/bulk-retry-queries.ts";
import { statusSentence as bulkSentence } from "../bulk-retries/sentences.ts";
import { runStatus } from "../requests/use-command-run.ts";
import { CommandPill } from "./CommandPill.tsx";
import { timesOf } from "./CommandTimes.tsx";
import { commandQuery, hasEnded, openPollMs } from "./command-queries.ts";
import css from "./commands.module.css";
import { statusSentence } from "./labels.ts";

/** The commands issued in this browser with their outcomes, on every page until cleared. Collapsed at first on a phone. */
export function CommandTray({ slug }: { slug: string }) {
  const entries = useSyncExternalStore(recent.subscribe, recent.get).commands.filter((one) => one.slug === slug);
  const [isCollapsed, setCollapsed] = useState(useIsPhone());
  const pollMs = useTimedMs(openPollMs);
  const now = useNow();
  const id = useId();
  const agents = useQuery(agentsQuery(slug)).data?.items ?? [];
  const single = entries.filter(({ isBulk, runAction }) => !isBulk && !runAction);
  const bulk = entries.filter(({ isBulk }) => isBulk);
  const reads = useQueries({
    queries: single.map((entry) => ({
      ...commandQuery(slug, entry.id),
      refetchInterval: ({ state }: { state: { data: Command | undefined } }) =>
        state.data !== undefined && hasEnded(state.data) ? (false as const) : pollMs,
    })),
  });
  const bulkReads = useQueries({
    queries: bulk.map((entry) => ({
      ...bulkRetryQuery(slug, entry.id),
      refetchInterval: ({ state }: { state: { data: BulkRetryRequest | undefined } }) => nextReadMs(state.data, pollMs),
    })),
  });
  useSurplusDropped(
    entries
      .filter((entry, at) => at >= maximumEntries && isBulkOver(bulkReads[bulk.indexOf(entry)]))
      .map(({ id }) => id),
  );
  const open =
    reads.filter(({ data }) => data !== undefined && !hasEnded(data)).length +
    bulkReads.filter(({ data }) => data !== undefined && !hasBulkEnded(data)).length;
  const failed =
    reads.filter(({ data }) => data?.status === "failed" || data?.status === "timeout").length +
    bulkReads.filter(({ data }) => data !== undefined && problemStatuses.includes(data.status)).length;
  const title =
    open > 0
      ? `Commands, ${count(open)} running`
      : failed > 0
        ? `Commands, ${count(failed)} did not succeed`
        : "Commands";
  if (entries.length === 0) return null;
  return (
    <section className={css.tray} aria-labelledby={id}>
      <div className={css.trayHead}>
        <h2 id={id}>{title}</h2>
        <Button
          variant="icon"
          icon={isCollapsed ? "up" : "down"}
          aria-expanded={!isCollapsed}
          aria-label={isCollapsed ? "Show commands" : "Hide commands"}
          title={isCollapsed ? "Show commands" : "Hide commands"}
          onClick={() => setCollapsed(!isCollapsed)}
        />
        <Button
          variant="icon"
          icon="x"
          aria-label="Clear all"
          title="Clear all; the command list keeps them"
          onClick={() => dropCommands(entries.map((entry) => entry.id))}
        />
      </div>
      <p className="vh" role="status">
        {open === 0
          ? failed > 0
            ? `${count(failed)} of the commands did not succeed`
            : single.length + bulk.length === entries.length
              ? "All commands have finished"
              : title
          : title}
      </p>
      {isCollapsed ? null : (
        <ul tabIndex={0} aria-labelledby={id}>
          {entries.map((entry) => {
            const read = reads[single.indexOf(entry)];
            const bulkRead = bulkReads[bulk.indexOf(entry)];
            const run = entry.progress ? runStatus(entry.words, entry.progress, now) : null;
            return (
              <li key={entry.id}>
                <AppLink className="cut" href={hrefOf(entry)}>
                  {printable(run?.title ?? entry.words)}
                </AppLink>
                {entry.runAction ? (
                  <small>{run?.note ?? "One command each. See the list for results."}</small>
                ) : entry.isBulk ? (
                  <BulkState of={bulkRead?.data} error={bulkRead?.error} {...{ agents, now }} />
                ) : (
                  <TrayState of={read?.data} error={read?.error} {...{ agents, now }} />
                )}
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

function hrefOf({ slug, id, isBulk, runAction }: RecentCommand): string {
  if (runAction) return paths.commands(slug, { action: runAction });
  return isBulk ? paths.bulkRetry(slug, id) : paths.command(slug, id);
}

/** The number of entries that stay. A bulk retry still in progress is never dropped. */
const maximumEntries = 8;

/** Whether it has ended or no longer exists. */
const isBulkOver = (read: { data: BulkRetryRequest | undefined; error: unknown } | undefined): boolean =>
  read !== undefined &&
  (read.data === undefined
    ? read.error instanceof ApiProblem && read.error.code === "not_found"
    : hasBulkEnded(read.data));

function useSurplusDropped(ids: readonly string[]): void {
  const surplus = ids.join(" ");
  useEffect(() => {
    if (surplus !== "") dropCommands(surplus.split(" "));
  }, [surplus]);
}

interface StateProps<Of> {
  error: unknown;
  agents: readonly Agent[];
  now: number;
  /** Undefined until it is loaded. */
  of: Of | undefined;
}

function TrayState({ of: command, error, agents, now }: StateProps<Command>) {
  if (command === undefined) return <small>{error ? causeOf(error) : "Checking status…"}</small>;
  const by = agentText(agents, command.agent_id);
  const { waitMs, runMs } = timesOf(command, now);
  return (
    <>
      <CommandPill command={command} />
      <small>
        {command.status === "completed"
          ? `Done in ${duration(waitMs + (runMs ?? 0))}${by}.`
          : hasEnded(command)
            ? `${withStop(statusSentence(command))} After ${duration(waitMs + (runMs ?? 0))}${by}.`
            : `Issued ${age(now - instant(command.issued_at))} ago${by}`}
      </small>
    </>
  );
}

/** Adds the full stop that an agent's own words may lack. */
const withStop = (sentence: string): string => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);

/** The agent after a comma; empty without an agent. */
function agentText(agents: readonly Agent[], id: string | null): string {
  if (id === null) return "";
  const agent = agents.find((one) => one.id === id);
  return `, agent ${agent === undefined ? idTail(id) : nameText(agent.name)}`;
}

const problemStatuses: readonly string[] = ["blocked", "refused", "failed", "partial", "indeterminate"];

function BulkState({ of: request, error, agents, now }: StateProps<BulkRetryRequest>) {
  if (request === undefined) return <small>{error ? causeOf(error) : "Checking status…"}</small>;
  const { total, unobserved, failed } = request.counts;
  const done = `${count(total - unobserved)} of ${count(total)}${failed > 0 ? `, ${count(failed)} not retried` : ""}`;
  const by = agentText(agents, request.target_agent_id);
  const startedAt = instant(request.created_at);
  return (
    <>
      <BulkRetryPill status={request.status} />
      <small>
        {request.sealing !== null ? `${count(request.sealing.found)} found so far. ` : null}
        {hasBulkEnded(request) || request.sealing !== null ? null : `${done}. `}
        {request.status === "in_progress" ? null : `${bulkSentence(request)} `}
        {hasBulkEnded(request)
          ? `After ${age(instant(request.last_progress_at ?? request.created_at) - startedAt)}${by}.`
          : `Started ${age(now - startedAt)} ago${by}`}
      </small>
    </>
  );
}
