import type { Agent, BulkRetryChild, BulkRetryOutcome, BulkRetryRequest } from "@svc/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Button } from "../../../ui/buttons/Button.tsx";
import { OlderOrAll } from "../../../ui/buttons/OlderButton.tsx";
import { PageTabs } from "../../../ui/panels/PageTabs.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import type { Column } from "../../../ui/tables/columns.tsx";
import { WindowTable } from "../../../ui/tables/WindowTable.tsx";
import { count, idTail, nameText, printable } from "../../../ui/time/format.ts";
import { AgentLink } from "../requests/targets.tsx";
import { ChildPill } from "./BulkRetryPill.tsx";
import css from "./bulk-retries.module.css";
import { childrenQuery, maximumLivePages } from "./bulk-retry-queries.ts";

interface ChildrenPanelProps {
  slug: string;
  request: BulkRetryRequest;
  agents: readonly Agent[];
  outcome: BulkRetryOutcome | undefined;
  /** Address of the same page with another outcome. */
  hrefOf: (outcome: BulkRetryOutcome | undefined) => string;
}

/** The tasks of a bulk retry in the order of sending, with the outcome of each. */
export function ChildrenPanel({ slug, request, agents, outcome, hrefOf }: ChildrenPanelProps) {
  const { counts } = request;
  const read = useInfiniteQuery(childrenQuery(slug, request.id, outcome));
  const pages = read.data?.pages ?? [];
  const rows = pages.flatMap(({ items }) => items);
  const isLive = pages.length <= maximumLivePages;
  const countsKey = `${counts.claimed} ${counts.succeeded} ${counts.failed} ${counts.unknown}`;
  const readFor = useRef(countsKey);
  const { isFetching, refetch } = read;
  // One read at a time: counts that change during a read cause another one after it.
  useEffect(() => {
    if (!isLive || isFetching || readFor.current === countsKey) return;
    readFor.current = countsKey;
    void refetch();
  }, [countsKey, isLive, isFetching, refetch]);
  return (
    <PanelFrame title="Tasks" note="in sending order">
      <PageTabs
        label="Filter by outcome"
        current={hrefOf(outcome)}
        pages={[
          { label: `All ${count(counts.total)}`, href: hrefOf(undefined) },
          { label: `Not retried ${count(counts.failed)}`, href: hrefOf("failed") },
          { label: `Unknown ${count(counts.unknown)}`, href: hrefOf("unknown") },
          { label: `Retried ${count(counts.succeeded)}`, href: hrefOf("succeeded") },
          { label: `No result yet ${count(counts.unobserved)}`, href: hrefOf("unobserved") },
        ]}
      />
      {outcome === "unknown" && counts.unknown > 0 ? (
        <p className={panel.foot}>These were sent, but never confirmed.</p>
      ) : null}
      <QueryBoundary name="The tasks" read={read} isPart>
        {rows.length === 0 ? (
          <p className={panel.foot}>{emptyText(outcome, counts.total)}</p>
        ) : (
          <>
            <WindowTable
              label="Tasks of the bulk retry"
              className={css.list}
              rows={rows}
              rowKey={({ ordinal }) => String(ordinal)}
              isOpenEnded={read.hasNextPage}
              rowPx={45}
              columns={columnsOf(slug, agents)}
            />
            <p className={panel.foot}>
              <OlderOrAll read={read} shown={rows.length}>
                Load more tasks
              </OlderOrAll>{" "}
              {isLive ? null : (
                <Button variant="link" onClick={() => void read.refetch()}>
                  Refresh
                </Button>
              )}
            </p>
          </>
        )}
      </QueryBoundary>
    </PanelFrame>
  );
}

const columnsOf = (slug: string, agents: readonly Agent[]): readonly Column<BulkRetryChild>[] => [
  {
    header: "Outcome",
    width: "9rem",
    cell: (child) => (
      <span className={panel.state}>
        <ChildPill child={child} />
        {child.error === null ? null : <small className="sm">{printable(child.error)}</small>}
      </span>
    ),
  },
  {
    header: "Task",
    cellClass: `${panel.two} ${panel.named}`,
    cell: (child) => (
      <>
        <AppLink href={paths.task(slug, child.engine, child.task_id)}>
          <b>{nameText(child.task_name ?? child.task_id)}</b>
        </AppLink>
        <small className="mono">
          {printable(child.engine)} {idTail(child.task_id)}
        </small>
      </>
    ),
  },
  {
    header: "New task or error",
    className: "lg",
    cellClass: `t2 ${css.error}`,
    cell: (child) => (child.error === null ? <NewTask slug={slug} child={child} /> : printable(child.error)),
  },
  {
    header: "Command",
    className: "lg",
    width: "6rem",
    cell: ({ command_id: id }) =>
      id === null ? (
        <span className="t3">–</span>
      ) : (
        <AppLink className="mono" href={paths.command(slug, id)}>
          {idTail(id)}
        </AppLink>
      ),
  },
  {
    header: "Agent",
    className: "lg",
    width: "8rem",
    cell: ({ agent_id: id }) =>
      id === null ? <span className="t3">–</span> : <AgentLink slug={slug} id={id} agents={agents} />,
  },
];

function NewTask({ slug, child }: { slug: string; child: BulkRetryChild }) {
  const { new_task_id: id } = child;
  if (id === null) return <span className="t3">–</span>;
  if (id === child.task_id) return <span className="t3">same task</span>;
  return (
    <AppLink className="mono" href={paths.task(slug, child.engine, id)}>
      {idTail(id)}
    </AppLink>
  );
}

function emptyText(outcome: BulkRetryOutcome | undefined, total: number): string {
  if (total === 0) return "No tasks matched.";
  switch (outcome) {
    case "failed":
      return "No retry failed.";
    case "unknown":
      return "No unknown outcomes.";
    case "succeeded":
      return "No tasks retried yet.";
    default:
      return "Every task has a result.";
  }
}
