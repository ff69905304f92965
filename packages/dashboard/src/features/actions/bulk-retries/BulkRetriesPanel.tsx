import type { Agent, BulkRetryRequest } from "@svc/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../../address/paths.ts";
import { usePollMs } from "../../../live/live.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Button } from "../../../ui/buttons/Button.tsx";
import { OlderButton } from "../../../ui/buttons/OlderButton.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import { ScrollBox } from "../../../ui/panels/ScrollBox.tsx";
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
    <section className={panel.panel} aria-labelledby="h-bulk-retries">
      <header>
        <h2 id="h-bulk-retries">Bulk retries</h2>
        <span className="t3 grow" role="status">
          {says}
        </span>
        <Button
          disabledReason={
            items.length > 0 || read.isError ? null : read.data === undefined ? "Reading them" : "There is none yet"
          }
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Hide" : "Show"} <span className="vh">the bulk retries</span>
        </Button>
      </header>
      {isOpen ? (
        <QueryBoundary name="Bulk retries" read={read} rows={3}>
          {items.length > 0 ? (
            <>
              <ScrollBox label="List of bulk retries">
                <table className={panel.tbl}>
                  <thead>
                    <tr>
                      <th>Status</th>
                      <th>Tasks</th>
                      <th className="lg">Agent</th>
                      <th className="num">Made</th>
                      <th className="lg">Why it stopped</th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((one) => (
                      <Row key={one.id} slug={slug} request={one} agents={agents} />
                    ))}
                  </tbody>
                </table>
              </ScrollBox>
              {read.hasNextPage ? (
                <p className={panel.foot}>
                  <OlderButton read={read}>Older bulk retries</OlderButton>
                </p>
              ) : null}
            </>
          ) : null}
        </QueryBoundary>
      ) : null}
    </section>
  );
}

function Row({ slug, request, agents }: { slug: string; request: BulkRetryRequest; agents: readonly Agent[] }) {
  const { total, unobserved } = request.counts;
  return (
    <tr>
      <td>
        <BulkRetryPill status={request.status} />
      </td>
      <td>
        <AppLink href={paths.bulkRetry(slug, request.id)}>
          {hasEnded(request)
            ? `${count(total)} ${total === 1 ? "task" : "tasks"}`
            : `${count(total - unobserved)} of ${count(total)} done`}
        </AppLink>
      </td>
      <td className="lg">
        {request.target_agent_id === null ? (
          <span className="t3">any that can</span>
        ) : (
          <AgentLink slug={slug} id={request.target_agent_id} agents={agents} />
        )}
      </td>
      <td className="num">
        <Age at={request.created_at} suffix=" ago" />
      </td>
      <td className="lg t2">{request.blocked_reason === null ? "–" : printable(request.blocked_reason)}</td>
    </tr>
  );
}
