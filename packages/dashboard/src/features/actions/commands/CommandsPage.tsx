import { type Command, commandStatuses } from "@svc/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { paths, type SearchOf } from "../../../address/paths.ts";
import { type PageLoader, readAhead, readPageAhead } from "../../../api/read-ahead.ts";
import { usePollMs, useTimedMs } from "../../../live/live.ts";
import { AppLink, useGo } from "../../../ui/buttons/AppLink.tsx";
import { Button } from "../../../ui/buttons/Button.tsx";
import { OlderOrAll } from "../../../ui/buttons/OlderButton.tsx";
import { Select } from "../../../ui/forms/Select.tsx";
import { Empty, InlineError } from "../../../ui/panels/Lines.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import type { Column } from "../../../ui/tables/columns.tsx";
import { useSteadyOrder } from "../../../ui/tables/steady-order.ts";
import { WindowTable } from "../../../ui/tables/WindowTable.tsx";
import { idTail, nameText, printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { useNow } from "../../../ui/time/ticker.ts";
import { usePage } from "../../../ui/title.ts";
import { agentsQuery } from "../../agents/index.ts";
import { useNames } from "../../audit/index.ts";
import { mayOperate, readAs, useMe } from "../../sessions/index.ts";
import { BulkRetryPill } from "../bulk-retries/BulkRetryPill.tsx";
import { bulkRetryPages, hasEnded, openPollMs } from "../bulk-retries/bulk-retry-queries.ts";
import { type ListEntry, mergedList } from "../bulk-retries/merged-list.ts";
import { progressText } from "../bulk-retries/sentences.ts";
import { AgentLink, stuckReason, Target } from "../requests/targets.tsx";
import { CommandPill } from "./CommandPill.tsx";
import { CommandTimes } from "./CommandTimes.tsx";
import { commandPages } from "./command-queries.ts";
import css from "./commands.module.css";
import { commandFilters, isFiltered, readCommandsSearch } from "./commands-search.ts";
import { actionLabel, actionLabels } from "./labels.ts";

export const loader: PageLoader<{ slug: string }> = ({ params: { slug }, location }) => {
  const search = readCommandsSearch(location.search);
  return Promise.all([
    readPageAhead(commandPages(slug, commandFilters(search))),
    readAs(
      (me) => mayOperate(me, slug) && !isFiltered(search),
      () => readPageAhead(bulkRetryPages(slug)),
    ),
    readAhead(agentsQuery(slug)),
  ]);
};

export function CommandsPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/commands" });
  const search = useSearch({
    from: "/signed-in/p/$slug/commands",
    select: readCommandsSearch,
    structuralSharing: true,
  });
  usePage([[slug, paths.project(slug)], ["Commands"]]);
  const goTo = useGo();
  const now = useNow();
  const me = useMe();
  const names = useNames([slug]);
  const agents = useQuery(agentsQuery(slug)).data?.items ?? noAgents;
  const filters = useMemo(() => commandFilters(search), [search]);
  const refetchInterval = usePollMs();
  const read = useInfiniteQuery({ ...commandPages(slug, filters), refetchInterval });
  const seesIssuer = mayOperate(me, slug);
  const isGrouped = !isFiltered(search);
  // The last change of its commands is announced before a bulk retry has its outcome.
  const openMs = useTimedMs(openPollMs);
  const retries = useInfiniteQuery({
    ...bulkRetryPages(slug),
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some((one) => !hasEnded(one))) ? openMs : refetchInterval,
    enabled: seesIssuer && isGrouped,
  });
  const list = mergedList(
    { rows: read.data?.pages.flatMap(({ items }) => items) ?? [], hasMore: read.hasNextPage },
    isGrouped
      ? { rows: retries.data?.pages.flatMap(({ items }) => items) ?? [], hasMore: retries.hasNextPage }
      : { rows: [], hasMore: false },
  );
  const all = list.entries.map((entry) => ({
    ...entry,
    stuck: entry.command ? stuckReason(entry.command, agents, now) : null,
  }));
  const { rows, hold } = useSteadyOrder([...all.filter((row) => row.stuck), ...all.filter((row) => !row.stuck)]);
  const older = {
    hasNextPage: list.next.commands || list.next.bulkRetries,
    isFetchingNextPage: read.isFetchingNextPage || retries.isFetchingNextPage,
    fetchNextPage: () => {
      if (list.next.commands) void read.fetchNextPage();
      if (list.next.bulkRetries) void retries.fetchNextPage();
    },
  };
  const go = (next: SearchOf<"/p/$slug/commands">) => goTo(paths.commands(slug, { ...search, ...next }));

  const columns: Column<ListEntry & { stuck: string | null }>[] = [
    {
      header: "Status",
      cell: ({ command, bulkRetry, stuck }) => (
        <span className={panel.state}>
          {command ? <CommandPill command={command} /> : <BulkRetryPill status={bulkRetry.status} />}
          {stuck ? <small>{stuck}</small> : null}
        </span>
      ),
    },
    {
      header: "Command",
      cellClass: panel.named,
      cell: ({ command, bulkRetry }) => (
        <AppLink href={command ? paths.command(slug, command.id) : paths.bulkRetry(slug, bulkRetry.id)}>
          <b>{command ? actionLabel(command.action) : "Bulk retry"}</b>
        </AppLink>
      ),
      small: ({ command, bulkRetry }) => (command ? <Target slug={slug} command={command} /> : progressText(bulkRetry)),
    },
    {
      header: "Agent",
      className: "lg",
      cell: ({ command, bulkRetry }) =>
        bulkRetry?.target_agent_id === null ? (
          <span className="t3">any</span>
        ) : (
          <AgentLink slug={slug} id={(command?.agent_id ?? bulkRetry?.target_agent_id) || null} agents={agents} />
        ),
    },
    {
      header: "Issued by",
      className: "lg",
      cellClass: "t2",
      cell: ({ command }) =>
        command === undefined ? (
          "–"
        ) : seesIssuer ? (
          issuerText(command, names, me.id)
        ) : (
          <span className="t3">hidden for your role</span>
        ),
    },
    { header: "Issued", className: "num", cell: ({ at }) => <Age at={at} suffix=" ago" /> },
    {
      header: "Duration",
      className: "lg",
      cell: ({ command }) => (command ? <CommandTimes command={command} now={now} /> : "–"),
    },
    {
      header: "Error",
      className: "lg",
      cellClass: `t2 ${css.line}`,
      title: (entry) => errorText(entry) ?? undefined,
      cell: (entry) => errorText(entry) ?? "–",
    },
  ];

  return (
    <>
      <div className={panel.head}>
        <h1>Commands</h1>
        <span className="t3 grow">Newest first, overdue on top</span>
      </div>
      <div className={css.tools}>
        <Select
          label="Status"
          value={search.status ?? ""}
          options={[["", "Any status"], ...commandStatuses.map((one) => [one, statusName(one)] as const)]}
          onChange={(status) => go({ status })}
        />
        <Select
          label="Action"
          value={search.action ?? ""}
          options={[
            ["", "Any action"],
            ...Object.entries(actionLabels),
            ...(search.action && !Object.hasOwn(actionLabels, search.action) ? [search.action] : []),
          ]}
          onChange={(action) => go({ action })}
        />
        <Select
          label="Agent"
          value={search.agent ?? ""}
          options={[
            ["", "Any agent"],
            ...agents.map(({ id, name }) => [id, nameText(name)] as const),
            ...(search.agent && !agents.some(({ id }) => id === search.agent)
              ? [[search.agent, "a revoked agent"] as const]
              : []),
          ]}
          onChange={(agent) => go({ agent })}
        />
      </div>
      {isGrouped && retries.isError ? (
        <InlineError title="Couldn't load bulk retries" error={retries.error} onRetry={() => void retries.refetch()} />
      ) : null}
      <QueryBoundary name="Commands" read={read}>
        {rows.length === 0 ? (
          <NoCommands isFiltered={!isGrouped} onClear={() => go({ status: "", action: "", agent: "" })} />
        ) : (
          <>
            <WindowTable
              label="Commands"
              size="wide"
              on={hold}
              rows={rows}
              rowKey={({ key }) => key}
              isOpenEnded={older.hasNextPage}
              rowPx={45}
              rowProps={({ stuck }) => (stuck ? { className: panel.alarm } : {})}
              columns={columns}
            />
            <p className={panel.foot}>
              <OlderOrAll read={older} shown={rows.length}>
                Load older commands
              </OlderOrAll>
              {isGrouped && !seesIssuer ? (
                <>
                  {" "}
                  Bulk retries are not included.{" "}
                  <AppLink href={paths.commands(slug, { ...search, action: "bulk_retry" })}>
                    Show their commands
                  </AppLink>
                </>
              ) : null}
            </p>
          </>
        )}
      </QueryBoundary>
    </>
  );
}

const noAgents: [] = [];

function errorText({ command, bulkRetry }: ListEntry): string | null {
  const error = command ? command.error : bulkRetry.blocked_reason;
  return error === null ? null : printable(error);
}

/** The label of a status, as in its pill. */
const statusName = (status: string): string => (status === "timeout" ? "outcome unknown" : status);

export function issuerText(command: Command, names: ReadonlyMap<string, string>, ownId: string): string {
  const { issued_by: id } = command;
  if (id === null) return command.action === "reconcile_task" ? "System" : "a deleted account";
  return id === ownId ? "you" : nameText(names.get(id) ?? `user ${idTail(id)}`);
}

function NoCommands({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered) {
    return (
      <Empty title="No commands yet">
        <p>Retries, cancellations and other actions are sent to agents as commands and listed here.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No matching commands" chips={<Button onClick={onClear}>Clear all filters</Button>}>
      <p>No command in this project has this status, action and agent.</p>
    </Empty>
  );
}
