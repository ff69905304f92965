import { type Command, commandStatuses } from "@svc/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useMemo } from "react";
import { paths, type SearchOf } from "../../../address/paths.ts";
import { type PageLoader, readAhead, readPageAhead } from "../../../api/read-ahead.ts";
import { usePollMs } from "../../../live/live.ts";
import { AppLink, useGo } from "../../../ui/buttons/AppLink.tsx";
import { Button } from "../../../ui/buttons/Button.tsx";
import { OlderOrAll } from "../../../ui/buttons/OlderButton.tsx";
import { Select } from "../../../ui/forms/Select.tsx";
import { Empty } from "../../../ui/panels/Lines.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import { useSteadyOrder } from "../../../ui/tables/steady-order.ts";
import { WindowTable } from "../../../ui/tables/WindowTable.tsx";
import { nameText } from "../../../ui/time/format.ts";
import { useNow } from "../../../ui/time/ticker.ts";
import { usePage } from "../../../ui/title.ts";
import { agentsQuery } from "../../agents/index.ts";
import { useNames } from "../../audit/index.ts";
import { mayOperate, useMe } from "../../sessions/index.ts";
import { stuckReason, Target } from "../requests/targets.tsx";
import { CommandPill } from "./CommandPill.tsx";
import { CommandTimes } from "./CommandTimes.tsx";
import { agentColumn, errorColumn, issuedColumn } from "./command-columns.tsx";
import { commandPages } from "./command-queries.ts";
import css from "./commands.module.css";
import { commandFilters, readCommandsSearch } from "./commands-search.ts";
import { actionWords, wordsOfAction } from "./words.ts";

export const loader: PageLoader<{ slug: string }> = ({ params: { slug }, location }) =>
  Promise.all([
    readPageAhead(commandPages(slug, commandFilters(readCommandsSearch(location.search)))),
    readAhead(agentsQuery(slug)),
  ]);

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
  const read = useInfiniteQuery({ ...commandPages(slug, filters), refetchInterval: usePollMs() });
  const list = read.data?.pages.flatMap(({ items }) => items) ?? [];
  const rowOf = (command: Command) => ({ ...command, key: command.id, stuck: stuckReason(command, agents, now) });
  const all = list.map(rowOf);
  const { rows, hold } = useSteadyOrder([...all.filter((row) => row.stuck), ...all.filter((row) => !row.stuck)]);
  const seesIssuer = mayOperate(me, slug);
  const go = (next: SearchOf<"/p/$slug/commands">) => goTo(paths.commands(slug, { ...search, ...next }));
  const isFiltered = Object.keys(filters).length > 0;

  return (
    <>
      <div className={panel.head}>
        <h1>Commands</h1>
        <span className="t3 grow">newest first, those that wait for too long on top</span>
      </div>
      {seesIssuer ? (
        <div className={css.told}>
          <Suspense fallback={<BulkRetriesBones />}>
            <BulkRetriesPanel slug={slug} agents={agents} />
          </Suspense>
        </div>
      ) : null}
      <div className={css.tools}>
        <Select
          label="Status"
          value={search.status ?? ""}
          options={[["", "any status"], ...commandStatuses.map((one) => [one, statusName(one)] as const)]}
          onChange={(status) => go({ status })}
        />
        <Select
          label="Action"
          value={search.action ?? ""}
          options={[
            ["", "any action"],
            ...Object.entries(actionWords),
            ...(search.action && !Object.hasOwn(actionWords, search.action) ? [search.action] : []),
          ]}
          onChange={(action) => go({ action })}
        />
        <Select
          label="Agent"
          value={search.agent ?? ""}
          options={[
            ["", "any agent"],
            ...agents.map(({ id, name }) => [id, nameText(name)] as const),
            ...(search.agent && !agents.some(({ id }) => id === search.agent)
              ? [[search.agent, "an agent that is gone"] as const]
              : []),
          ]}
          onChange={(agent) => go({ agent })}
        />
      </div>
      <QueryBoundary name="Commands" read={read}>
        {rows.length === 0 ? (
          <NoCommands isFiltered={isFiltered} onClear={() => go({ status: "", action: "", agent: "" })} />
        ) : (
          <>
            <WindowTable
              label="Commands"
              size="wide"
              on={hold}
              rows={rows}
              rowKey={({ key }) => key}
              isOpenEnded={read.hasNextPage}
              rowPx={45}
              rowProps={({ stuck }) => (stuck ? { className: panel.alarm } : {})}
              columns={[
                {
                  header: "Status",
                  cell: ({ status, stuck }) => (
                    <span className={panel.state}>
                      <CommandPill status={status} />
                      {stuck ? <small>{stuck}</small> : null}
                    </span>
                  ),
                },
                {
                  header: "Command",
                  cellClass: panel.named,
                  cell: ({ id, action }) => (
                    <AppLink href={paths.command(slug, id)}>
                      <b>{wordsOfAction(action)}</b>
                    </AppLink>
                  ),
                  small: (command) => <Target slug={slug} command={command} />,
                },
                agentColumn(slug, agents),
                {
                  header: "Issued by",
                  className: "lg",
                  cellClass: "t2",
                  cell: (command) =>
                    seesIssuer ? issuerText(command, names, me.id) : <span className="t3">hidden for your role</span>,
                },
                issuedColumn,
                { header: "Took", className: "lg", cell: (command) => <CommandTimes command={command} now={now} /> },
                errorColumn,
              ]}
            />
            <p className={panel.foot}>
              <OlderOrAll read={read} shown={rows.length}>
                Older commands
              </OlderOrAll>
            </p>
          </>
        )}
      </QueryBoundary>
    </>
  );
}

const BulkRetriesPanel = lazy(() =>
  import("../bulk-retries/BulkRetriesPanel.tsx").then((part) => ({ default: part.BulkRetriesPanel })),
);

/** As high as the panel is before somebody opens it. */
function BulkRetriesBones() {
  return <PanelFrame title="Bulk retries" actions={<Button disabledReason="One moment">Show</Button>} />;
}

const noAgents: [] = [];

/** The words that the pill of a status has. */
const statusName = (status: string): string => (status === "timeout" ? "outcome unknown" : status);

export function issuerText(command: Command, names: ReadonlyMap<string, string>, ownId: string): string {
  const { issued_by: id } = command;
  if (id === null) return "the service";
  return id === ownId ? "you" : nameText(names.get(id) ?? "an account that is gone");
}

function NoCommands({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered) {
    return (
      <Empty title="No command yet">
        <p>What you retry, cancel or control from here is sent to an agent as a command, and listed here.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No command matches" chips={<Button onClick={onClear}>Clear all filters</Button>}>
      <p>No command of this project has this status, action and agent.</p>
    </Empty>
  );
}
