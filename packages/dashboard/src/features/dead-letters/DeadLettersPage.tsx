import { type Agent, type DeadLetter, plural } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { paths, type SearchOf } from "../../address/paths.ts";
import { type PageLoader, readAhead } from "../../api/read-ahead.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { AppLink, useGo } from "../../ui/buttons/AppLink.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import controls from "../../ui/controls.module.css";
import { Select } from "../../ui/forms/Select.tsx";
import { Skeleton } from "../../ui/panels/Feedback.tsx";
import { Empty, InlineError } from "../../ui/panels/Lines.tsx";
import panel from "../../ui/panels/panel.module.css";
import type { Column } from "../../ui/tables/columns.tsx";
import { WindowTable } from "../../ui/tables/WindowTable.tsx";
import { count, nameText, printable, printableLines } from "../../ui/time/format.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { usePage } from "../../ui/title.ts";
import { ActionButton, AgentLink } from "../actions/index.ts";
import { agentsQuery } from "../agents/index.ts";
import { useMayNot } from "../projects/index.ts";
import { queuesQuery } from "../queues/index.ts";
import css from "./dead-letters.module.css";
import { readDeadLettersSearch } from "./dead-letters-search.ts";
import { LoadFailed } from "./LoadFailed.tsx";
import { Requeued, useCanRequeue } from "./Requeued.tsx";
import { requeueDeadLetters } from "./requeue-action.tsx";
import { type DeadLetterQuery, deadLetterKey, type Loaded, useDeadLetters } from "./use-dead-letters.ts";

export const loader: PageLoader<{ slug: string }> = ({ params: { slug } }) =>
  Promise.all([readAhead(agentsQuery(slug)), readAhead(queuesQuery(slug))]);

export function DeadLettersPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/dead-letters" });
  const search = useSearch({
    from: "/signed-in/p/$slug/dead-letters",
    select: readDeadLettersSearch,
    structuralSharing: true,
  });
  usePage([[slug, paths.project(slug)], ["Dead letters"]]);
  const goTo = useGo();
  const agentsRead = useQuery(agentsQuery(slug));
  const queuesRead = useQuery(queuesQuery(slug));
  const agents = agentsRead.data?.items ?? [];
  const queues = queuesRead.data?.items ?? [];
  const mayNot = useMayNot(slug, "viewer");
  const { loaded, load, mark } = useDeadLetters(slug);
  const engines = [
    ...new Set([
      ...agents.flatMap((agent) => agent.engine_adapters),
      ...queues.map((queue) => queue.engine),
      ...(search.engine ? [search.engine] : []),
    ]),
  ].sort();
  const engine = search.engine ?? engines[0];
  const unread = [agentsRead, queuesRead].find(({ isError, data }) => isError && data === undefined);
  const isLoadingEngines = engine === undefined && (agentsRead.isPending || queuesRead.isPending);
  const noEngine = isLoadingEngines
    ? "Loading engines"
    : unread
      ? "Couldn't load the engines"
      : "No engine reported yet";
  const names = [
    ...new Set([
      ...queues.filter((queue) => queue.engine === engine).map(({ name }) => name),
      ...(search.queue ? [search.queue] : []),
    ]),
  ].sort();
  const go = (next: SearchOf<"/p/$slug/dead-letters">) => goTo(paths.deadLetters(slug, { ...search, ...next }));

  return (
    <>
      <div className={panel.head}>
        <h1>Dead letters</h1>
        <span className="t3 grow">Tasks that an engine has given up on</span>
      </div>
      <form
        className={css.tools}
        onSubmit={(event) => {
          event.preventDefault();
          if (engine !== undefined) load.mutate({ engine, queue: search.queue });
        }}
      >
        <Select
          label="Engine"
          isLabelShown
          value={engine ?? ""}
          options={engines.map((one) => [one, printable(one)])}
          onChange={(next) => go({ engine: next, queue: "" })}
        />
        <Select
          label="Queue"
          isLabelShown
          value={search.queue ?? ""}
          options={[["", "All queues"], ...names.map((one) => [one, nameText(one)] as const)]}
          onChange={(next) => go({ queue: next })}
        />
        <ActButton
          error={load.error}
          isBusy={load.isPending}
          reason={mayNot ?? (engine === undefined ? noEngine : null)}
        >
          {load.isPending ? "Loading…" : "Load dead letters"}
        </ActButton>
        <p className="t3">Loads live from an agent (up to 15 s). Audited; limited to 10 per minute.</p>
      </form>
      {engine === undefined && unread && !isLoadingEngines ? (
        <InlineError title={noEngine} error={unread.error} onRetry={() => void unread.refetch()} />
      ) : null}
      {load.isError ? <LoadFailed slug={slug} error={load.error} /> : null}
      {isLoadingEngines ? (
        <Skeleton rows={3} label="Loading the engines" />
      ) : loaded === undefined ? (
        load.isError ? null : (
          <Empty title="Not loaded">
            <p>Load dead letters from the agent.</p>
          </Empty>
        )
      ) : (
        <DeadLetterList
          key={`${loaded.engine}/${loaded.queue ?? ""}`}
          slug={slug}
          loaded={loaded}
          agents={agents}
          isBusy={load.isPending}
          onRequeued={mark}
          onMore={() => load.mutate({ ...queryOf(loaded), after: loaded })}
        />
      )}
    </>
  );
}

/** The end of the error, in two lines. */
function Excerpt({ of: { error_excerpt: text } }: { of: DeadLetter }) {
  if (text === null) return <span className="t3">not recorded</span>;
  return <span title={printableLines(text)}>{printableLines(text)}</span>;
}

const queryOf = ({ engine, queue }: Loaded): DeadLetterQuery => ({ engine, queue });

interface DeadLetterListProps {
  slug: string;
  loaded: Loaded;
  agents: readonly Agent[];
  isBusy: boolean;
  onRequeued: (deadLetter: DeadLetter, commandId: string) => void;
  onMore: () => void;
}

function DeadLetterList({ slug, loaded, agents, isBusy, onRequeued, onMore }: DeadLetterListProps) {
  const { engine, queue, entries, total, at, agentId, requeued } = loaded;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const rows = entries.map((deadLetter) => {
    const key = deadLetterKey(deadLetter);
    return { key, deadLetter, commandId: requeued[key] ?? null };
  });
  const canRequeue = useCanRequeue(slug, Object.values(requeued));
  const requeueable = rows.filter(({ commandId }) => canRequeue(commandId));
  const chosen = requeueable.filter(({ key }) => selected.has(key));
  const where =
    queue === undefined ? `all queues of ${printable(engine)}` : `queue ${nameText(queue)} of ${printable(engine)}`;
  const set = (key: string, isOn: boolean) =>
    setSelected((old) => new Set(isOn ? [...old, key] : [...old].filter((one) => one !== key)));
  const columns: Column<(typeof rows)[number]>[] = [
    {
      header: "Select",
      head: (
        <span className={controls.tick}>
          <input
            type="checkbox"
            aria-label="Select all loaded dead letters that can be requeued"
            checked={requeueable.length > 0 && requeueable.every(({ key }) => selected.has(key))}
            onChange={(event) =>
              setSelected(new Set(event.currentTarget.checked ? requeueable.map(({ key }) => key) : []))
            }
          />
        </span>
      ),
      cell: ({ key, deadLetter, commandId }) => (
        <span className={controls.tick}>
          <input
            type="checkbox"
            aria-label={`Select ${printable(deadLetter.task_id)}`}
            checked={selected.has(key) && canRequeue(commandId)}
            disabled={!canRequeue(commandId)}
            onChange={(event) => set(key, event.currentTarget.checked)}
          />
        </span>
      ),
    },
    {
      header: "Task",
      cellClass: `${panel.two} ${panel.named}`,
      cell: ({ deadLetter, commandId }) => (
        <>
          <AppLink href={paths.task(slug, engine, deadLetter.task_id)}>
            <b>{deadLetter.task_name === null ? "name not recorded" : nameText(deadLetter.task_name)}</b>
          </AppLink>
          <small>
            <span className="mono">{printable(deadLetter.task_id)}</span>
            <span className="sm">
              {" "}
              in {nameText(deadLetter.queue)}
              {deadLetter.attempts === null ? "" : `, ${plural(deadLetter.attempts, "attempt")}`}
            </span>
            {commandId === null ? null : (
              <>
                , <Requeued slug={slug} commandId={commandId} />
              </>
            )}
          </small>
          {deadLetter.error_excerpt === null ? null : (
            <div className={`sm mono ${css.excerpt}`}>
              <Excerpt of={deadLetter} />
            </div>
          )}
        </>
      ),
    },
    {
      header: "Queue",
      className: "lg",
      cell: ({ deadLetter: { queue: name } }) => (
        <AppLink href={paths.queue(slug, engine, name)}>{nameText(name)}</AppLink>
      ),
    },
    {
      header: "Failed",
      className: "num",
      cell: ({ deadLetter }) => <Age at={deadLetter.failed_at} suffix=" ago" none="not recorded" />,
    },
    {
      header: "Attempts",
      className: "num lg",
      cell: ({ deadLetter: { attempts } }) =>
        attempts === null ? <span className="t3">not recorded</span> : count(attempts),
    },
    {
      header: "Error",
      className: "lg",
      cellClass: `${css.excerpt} mono`,
      cell: ({ deadLetter }) => <Excerpt of={deadLetter} />,
    },
  ];
  return (
    <>
      <div className={css.summary}>
        <p role="status">
          <b>{total === null ? `${count(entries.length)} loaded` : `${count(entries.length)} of ${count(total)}`}</b> in{" "}
          {where}, reported <Age at={at} suffix=" ago" /> by agent{" "}
          <AgentLink slug={slug} id={agentId} agents={agents} />
        </p>
        <span className="grow" />
        <ActionButton
          slug={slug}
          action={requeueDeadLetters}
          subject={{
            engine,
            deadLetters: chosen.map(({ deadLetter }) => deadLetter),
            reportedBy: agentId,
            onRequeued: (deadLetter, commandId) => {
              onRequeued(deadLetter, commandId);
              set(deadLetterKey(deadLetter), false);
            },
          }}
        >
          {chosen.length > 0 ? `Requeue ${plural(chosen.length, "dead letter")}` : requeueDeadLetters.label}
        </ActionButton>
      </div>
      {entries.length === 0 ? (
        total ? (
          <Empty title={plural(total, "dead letter")}>
            <p>The agent for {printable(engine)} reports the number but can't list them.</p>
          </Empty>
        ) : (
          <Empty title="No dead letters">
            <p>No failed tasks were set aside in {where}.</p>
          </Empty>
        )
      ) : (
        <WindowTable
          label="Dead letters"
          size="wide"
          rows={rows}
          rowKey={({ key }) => key}
          isOpenEnded={loaded.nextCursor !== null}
          rowPx={48}
          columns={columns}
        />
      )}
      {loaded.nextCursor === null ? null : (
        <p className={panel.foot}>
          <Button disabledReason={isBusy ? "Loading" : null} onClick={onMore}>
            Load more
          </Button>
        </p>
      )}
    </>
  );
}
