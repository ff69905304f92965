import type { Agent, DeadLetter } from "@svc/client";
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
import { Requeued, useLeftLetters } from "./Requeued.tsx";
import { requeueLetters } from "./requeue-action.tsx";
import { type Asked, type Loaded, letterKey, useLetters } from "./use-letters.ts";

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
  const { loaded, load, mark } = useLetters(slug);
  const engines = [
    ...new Set([
      ...agents.flatMap((agent) => agent.engine_adapters),
      ...queues.map((queue) => queue.engine),
      ...(search.engine ? [search.engine] : []),
    ]),
  ].sort();
  const engine = search.engine ?? engines[0];
  const unread = [agentsRead, queuesRead].find(({ isError, data }) => isError && data === undefined);
  const isLooking = engine === undefined && (agentsRead.isPending || queuesRead.isPending);
  const noEngine = isLooking
    ? "Looking which engines there are"
    : unread
      ? "The engines could not be read"
      : "No engine was seen yet";
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
        <span className="t3 grow">what an engine has given up on</span>
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
          options={[["", "every queue"], ...names.map((one) => [one, nameText(one)] as const)]}
          onChange={(next) => go({ queue: next })}
        />
        <ActButton
          error={load.error}
          isBusy={load.isPending}
          reason={mayNot ?? (engine === undefined ? noEngine : null)}
        >
          {load.isPending ? "Asking an agent…" : "Load"}
        </ActButton>
        <p className="t3">This asks an agent now, up to 15 seconds. It is audited, and one of ten a minute.</p>
      </form>
      {engine === undefined && unread && !isLooking ? (
        <InlineError title={noEngine} error={unread.error} onRetry={() => void unread.refetch()} />
      ) : null}
      {load.isError ? <LoadFailed slug={slug} error={load.error} /> : null}
      {isLooking ? (
        <Skeleton rows={3} label="Loading the engines" />
      ) : loaded === undefined ? (
        load.isError ? null : (
          <Empty title="Not loaded">
            <p>Nothing is asked of an agent before you press Load.</p>
          </Empty>
        )
      ) : (
        <Letters
          key={`${loaded.engine}/${loaded.queue ?? ""}`}
          slug={slug}
          loaded={loaded}
          agents={agents}
          isBusy={load.isPending}
          onRequeued={mark}
          onMore={() => load.mutate({ ...askedOf(loaded), after: loaded })}
        />
      )}
    </>
  );
}

/** The end of why it failed, in two lines. */
function Excerpt({ of: { error_excerpt: text } }: { of: DeadLetter }) {
  if (text === null) return <span className="t3">not recorded</span>;
  return <span title={printableLines(text)}>{printableLines(text)}</span>;
}

const askedOf = ({ engine, queue }: Loaded): Asked => ({ engine, queue });

interface LettersProps {
  slug: string;
  loaded: Loaded;
  agents: readonly Agent[];
  isBusy: boolean;
  onRequeued: (letter: DeadLetter, commandId: string) => void;
  onMore: () => void;
}

function Letters({ slug, loaded, agents, isBusy, onRequeued, onMore }: LettersProps) {
  const { engine, queue, entries, total, at, agentId, requeued } = loaded;
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const rows = entries.map((letter) => {
    const key = letterKey(letter);
    return { key, letter, commandId: requeued[key] ?? null };
  });
  const isLeft = useLeftLetters(slug, Object.values(requeued));
  const left = rows.filter(({ commandId }) => isLeft(commandId));
  const chosen = left.filter(({ key }) => ticked.has(key));
  const where =
    queue === undefined ? `every queue of ${printable(engine)}` : `${nameText(queue)} of ${printable(engine)}`;
  const set = (key: string, isOn: boolean) =>
    setTicked((old) => new Set(isOn ? [...old, key] : [...old].filter((one) => one !== key)));
  const columns: Column<(typeof rows)[number]>[] = [
    {
      header: "Tick",
      head: (
        <span className={controls.tick}>
          <input
            type="checkbox"
            aria-label="Tick all letters that were read and not requeued"
            checked={left.length > 0 && left.every(({ key }) => ticked.has(key))}
            onChange={(event) => setTicked(new Set(event.currentTarget.checked ? left.map(({ key }) => key) : []))}
          />
        </span>
      ),
      cell: ({ key, letter, commandId }) => (
        <span className={controls.tick}>
          <input
            type="checkbox"
            aria-label={`Tick ${printable(letter.task_id)}`}
            checked={ticked.has(key) && isLeft(commandId)}
            disabled={!isLeft(commandId)}
            onChange={(event) => set(key, event.currentTarget.checked)}
          />
        </span>
      ),
    },
    {
      header: "Task",
      cellClass: `${panel.two} ${panel.named}`,
      cell: ({ letter, commandId }) => (
        <>
          <AppLink href={paths.task(slug, engine, letter.task_id)}>
            <b>{letter.task_name === null ? "name not recorded" : nameText(letter.task_name)}</b>
          </AppLink>
          <small>
            <span className="mono">{printable(letter.task_id)}</span>
            <span className="sm">
              {" "}
              in {nameText(letter.queue)}
              {letter.attempts === null
                ? ""
                : `, ${count(letter.attempts)} ${letter.attempts === 1 ? "attempt" : "attempts"}`}
            </span>
            {commandId === null ? null : (
              <>
                , <Requeued slug={slug} commandId={commandId} />
              </>
            )}
          </small>
          {letter.error_excerpt === null ? null : (
            <div className={`sm mono ${css.excerpt}`}>
              <Excerpt of={letter} />
            </div>
          )}
        </>
      ),
    },
    {
      header: "Queue",
      className: "lg",
      cell: ({ letter: { queue: name } }) => <AppLink href={paths.queue(slug, engine, name)}>{nameText(name)}</AppLink>,
    },
    {
      header: "Failed",
      className: "num",
      cell: ({ letter }) => <Age at={letter.failed_at} suffix=" ago" none="not recorded" />,
    },
    {
      header: "Attempts",
      className: "num lg",
      cell: ({ letter: { attempts } }) =>
        attempts === null ? <span className="t3">not recorded</span> : count(attempts),
    },
    {
      header: "End of its failure",
      className: "lg",
      cellClass: `${css.excerpt} mono`,
      cell: ({ letter }) => <Excerpt of={letter} />,
    },
  ];
  return (
    <>
      <div className={css.told}>
        <p role="status">
          <b>{total === null ? `${count(entries.length)} read` : `${count(entries.length)} of ${count(total)}`}</b> in{" "}
          {where}, told <Age at={at} suffix=" ago" /> by the agent{" "}
          <AgentLink slug={slug} id={agentId} agents={agents} />
        </p>
        <span className="grow" />
        <ActionButton
          slug={slug}
          action={requeueLetters}
          subject={{
            engine,
            letters: chosen.map(({ letter }) => letter),
            toldBy: agentId,
            onRequeued: (letter, commandId) => {
              onRequeued(letter, commandId);
              set(letterKey(letter), false);
            },
          }}
        >
          {requeueLetters.label} {chosen.length > 0 ? count(chosen.length) : ""}
        </ActionButton>
      </div>
      {entries.length === 0 ? (
        total ? (
          <Empty title={`${count(total)} dead letters`}>
            <p>The agent of {printable(engine)} tells how many there are, but cannot list them.</p>
          </Empty>
        ) : (
          <Empty title="No dead letters">
            <p>Nothing was given up in {where}.</p>
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
          <Button disabledReason={isBusy ? "An agent is being asked" : null} onClick={onMore}>
            Ask for more
          </Button>
        </p>
      )}
    </>
  );
}
