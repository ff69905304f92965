import type { BulkRetryRequest } from "@svc/client";
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { paths } from "../../../address/paths.ts";
import { api } from "../../../api/api.ts";
import { type PageLoader, readAhead } from "../../../api/read-ahead.ts";
import { useTimedMs } from "../../../live/live.ts";
import { Button } from "../../../ui/buttons/Button.tsx";
import { Icon } from "../../../ui/Icon.tsx";
import { InlineError, NoteLine } from "../../../ui/panels/Lines.tsx";
import { NotForRole } from "../../../ui/panels/NotForRole.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { StaleLine } from "../../../ui/panels/QueryBoundary.tsx";
import { idTail } from "../../../ui/time/format.ts";
import { useNow } from "../../../ui/time/ticker.ts";
import { usePage } from "../../../ui/title.ts";
import { agentsQuery } from "../../agents/index.ts";
import { useNames } from "../../audit/index.ts";
import { useMayNot } from "../../projects/index.ts";
import { mayOperate, readAs, useMe } from "../../sessions/index.ts";
import commands from "../commands/commands.module.css";
import { eligibleAgents } from "../requests/eligible-agents.ts";
import { BulkRetryPill } from "./BulkRetryPill.tsx";
import { bulkRetryQuery, hasEnded, nextReadMs, openPollMs, planQuery } from "./bulk-retry-queries.ts";
import { readBulkRetrySearch } from "./bulk-retry-search.ts";
import { ChildrenPanel } from "./ChildrenPanel.tsx";
import { filterText, PlanPanel } from "./PlanPanel.tsx";
import { Progress } from "./Progress.tsx";
import { slowRate, stallNotice, statusSentence } from "./sentences.ts";

export const loader: PageLoader<{ slug: string; requestId: string }> = ({ params: { slug, requestId } }) =>
  readAs(
    (me) => mayOperate(me, slug),
    () =>
      Promise.all([
        readAhead(bulkRetryQuery(slug, requestId)),
        readAhead(planQuery(slug, requestId)),
        readAhead(agentsQuery(slug)),
      ]),
  );

export function BulkRetryPage() {
  const { slug, requestId } = useParams({ from: "/signed-in/p/$slug/bulk-retries/$requestId" });
  const me = useMe();
  usePage([[slug, paths.project(slug)], ["Commands", paths.commands(slug)], [`Bulk retry ${idTail(requestId)}`]]);
  if (mayOperate(me, slug)) return <BulkRetry slug={slug} id={requestId} />;
  return <NotForRole title="Bulk retry">Only operators and admins can see bulk retries.</NotForRole>;
}

function BulkRetry({ slug, id }: { slug: string; id: string }) {
  const search = useSearch({
    from: "/signed-in/p/$slug/bulk-retries/$requestId",
    select: readBulkRetrySearch,
    structuralSharing: true,
  });
  const pollMs = useTimedMs(openPollMs);
  const read = useSuspenseQuery({
    ...bulkRetryQuery(slug, id),
    refetchInterval: ({ state }) => nextReadMs(state.data, pollMs),
  });
  const request = read.data;
  const change = useControl(slug, id);
  const plan = useQuery(planQuery(slug, id));
  useRefreshedPlan(slug, request);
  const agents = useQuery(agentsQuery(slug)).data?.items ?? [];
  const names = useNames([slug]);
  const me = useMe();
  const now = useNow();
  const stall = stallNotice(request, plan.data, now);
  const agentsReason = stall?.isStalled
    ? (plan.data?.engines ?? [])
        .map(({ engine }) => eligibleAgents(agents, engine, "bulk_retry").reason)
        .find((reason) => reason !== null)
    : undefined;
  const needsAttention = stall?.isStalled || problemStatuses.includes(request.status);
  const sentence = statusSentence(request);
  const isUnsealed = request.sealed_at === null;
  const slow = slowRate(request, plan.data, now);
  const aside = stall ? `${stall.text}${agentsReason === undefined ? "" : ` ${agentsReason}.`}` : slow;
  return (
    <>
      <div className={panel.head}>
        <BulkRetryPill status={request.status} />
        <h1>Bulk retry</h1>
        <span className="t2 grow cut">{plan.data ? filterText(plan.data) : ""}</span>
        {hasEnded(request) ? null : (
          <Control slug={slug} request={request} isBusy={change.isPending} onAct={change.mutate} />
        )}
      </div>
      <StaleLine name="The bulk retry" read={read} />
      {change.isError ? (
        <InlineError
          title={`Couldn't ${change.variables} the bulk retry`}
          error={change.error}
          onRetry={hasEnded(request) ? undefined : () => change.mutate(change.variables)}
        />
      ) : null}
      {needsAttention ? (
        <NoteLine glyph={glyphs[request.status] ?? "unknown"} aside={aside}>
          {sentence}
        </NoteLine>
      ) : (
        <p className={commands.summary}>
          <span role="status">{sentence}</span> {aside}
        </p>
      )}
      {isUnsealed && request.sealing === null ? null : <Progress request={request} readAt={read.dataUpdatedAt} />}
      <div className={panel.page}>
        <div className={isUnsealed ? undefined : panel.grid2}>
          {isUnsealed ? null : (
            <ChildrenPanel
              slug={slug}
              request={request}
              agents={agents}
              outcome={search.outcome}
              hrefOf={(outcome) => paths.bulkRetry(slug, id, outcome === undefined ? {} : { outcome })}
            />
          )}
          <PlanPanel slug={slug} request={request} read={plan} agents={agents} names={names} ownId={me.id} />
        </div>
      </div>
    </>
  );
}

const problemStatuses: readonly string[] = ["blocked", "refused", "failed", "partial", "indeterminate"];
const glyphs: Readonly<Record<string, string>> = {
  in_progress: "timeout",
  blocked: "rejected",
  refused: "rejected",
  failed: "failure",
  partial: "half",
  indeterminate: "timeout",
};

type Act = "pause" | "resume" | "cancel";
const calls = { pause: api.pauseBulkRetry, resume: api.resumeBulkRetry, cancel: api.cancelBulkRetry };

/** Reads the plan again once the request is sealed. */
function useRefreshedPlan(slug: string, { id, sealed_at: sealedAt }: BulkRetryRequest): void {
  const client = useQueryClient();
  const first = useRef(sealedAt);
  useEffect(() => {
    if (first.current === sealedAt) return;
    first.current = sealedAt;
    void client.invalidateQueries({ queryKey: planQuery(slug, id).queryKey });
  }, [client, slug, id, sealedAt]);
}

function useControl(slug: string, id: string) {
  const client = useQueryClient();
  const key = bulkRetryQuery(slug, id).queryKey;
  return useMutation({
    mutationFn: (act: Act) => calls[act](slug, id),
    onSuccess: (changed) => client.setQueryData(key, changed),
    // A refusal may mean that it has ended: read it again.
    onError: () => client.invalidateQueries({ queryKey: key }),
  });
}

interface ControlProps {
  slug: string;
  request: BulkRetryRequest;
  isBusy: boolean;
  onAct: (act: Act) => void;
}

/** Cancel during the search for tasks, pause while it runs, resume while it is paused or blocked. */
function Control({ slug, request, isBusy, onAct }: ControlProps) {
  const mayNot = useMayNot(slug);
  const disabledReason = mayNot ?? (isBusy ? "Sending the request" : null);
  if (request.status === "sealing") {
    return (
      <Button disabledReason={disabledReason} onClick={() => onAct("cancel")}>
        Cancel bulk retry
      </Button>
    );
  }
  const isRunning = request.control_state === "running";
  return (
    <Button
      disabledReason={disabledReason}
      variant={!isRunning ? "main" : "plain"}
      onClick={() => onAct(isRunning ? "pause" : "resume")}
    >
      <Icon name={isRunning ? "pause" : "play"} />
      {isRunning ? "Pause" : "Resume"}
    </Button>
  );
}
