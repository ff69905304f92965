import type { Agent, BulkRetryRequest } from "@svc/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../../address/paths.ts";
import { usePollMs } from "../../../live/live.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Button } from "../../../ui/buttons/Button.tsx";
import { OlderButton } from "../../../ui/buttons/OlderButton.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import type { Column } from "../../../ui/tables/columns.tsx";
import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { count, printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { AgentLink } from "../requests/targets.tsx";
import { BulkRetryPill } from "./BulkRetryPill.tsx";
import { bulkRetryPages, hasEnded } from "./bulk-retry-queries.ts";

interface BulkRetriesPanelProps {
  slug: string;
  agents: readonly Agent[];
}

/** The bulk retries of the project, whoever made them: how many are open, and on a press which. */
export function BulkRetriesPanel({ slug, agents }: BulkRetriesPanelProps) {
  const read = useInfiniteQuery({ ...bulkRetryPages(slug), refetchInterval: usePollMs() });
  const [isOpen, setOpen] = useState(false);
  const items = read.data?.pages.flatMap((page) => page.items) ?? [];
  const open = items.filter((one) => !hasEnded(one)).length;
  const known = `${open === 0 ? "none" : count(open)} open`;
  const says =
    read.data === undefined
      ? ""
      : items.length === 0
        ? "none yet"
        : read.hasNextPage
          ? `${known} among the newest ${count(items.length)}`
          : `${known}, ${count(items.length)} in all`;
  return (
    <PanelFrame
      title="Bulk retries"
      note={<span role="status">{says}</span>}
      actions={
        <Button
          disabledReason={
            items.length > 0 || read.isError ? null : read.data === undefined ? "Reading them" : "There is none yet"
          }
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Hide" : "Show"} <span className="vh">the bulk retries</span>
        </Button>
      }
    >
      {isOpen ? (
        <QueryBoundary name="Bulk retries" read={read} rows={3}>
          {items.length > 0 ? (
            <>
              <DataTable
                label="List of bulk retries"
                rows={items}
                rowKey={({ id }) => id}
                columns={columnsOf(slug, agents)}
              />
              {read.hasNextPage ? (
                <p className={panel.foot}>
                  <OlderButton read={read}>Older bulk retries</OlderButton>
                </p>
              ) : null}
            </>
          ) : null}
        </QueryBoundary>
      ) : null}
    </PanelFrame>
  );
}

const columnsOf = (slug: string, agents: readonly Agent[]): readonly Column<BulkRetryRequest>[] => [
  { header: "Status", cell: ({ status }) => <BulkRetryPill status={status} /> },
  {
    header: "Tasks",
    cell: (request) => {
      const { total, unobserved } = request.counts;
      return (
        <AppLink href={paths.bulkRetry(slug, request.id)}>
          {request.sealing !== null
            ? `${count(request.sealing.found)} found so far`
            : hasEnded(request)
              ? `${count(total)} ${total === 1 ? "task" : "tasks"}`
              : `${count(total - unobserved)} of ${count(total)} done`}
        </AppLink>
      );
    },
  },
  {
    header: "Agent",
    className: "lg",
    cell: ({ target_agent_id: id }) =>
      id === null ? <span className="t3">any that can</span> : <AgentLink slug={slug} id={id} agents={agents} />,
  },
  { header: "Made", className: "num", cell: ({ created_at: at }) => <Age at={at} suffix=" ago" /> },
  {
    header: "Why it stopped",
    className: "lg",
    cellClass: "t2",
    cell: ({ blocked_reason: reason }) => (reason === null ? "–" : printable(reason)),
  },
];
