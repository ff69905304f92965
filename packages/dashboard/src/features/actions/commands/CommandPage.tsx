import type { Command } from "@svc/client";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { paths } from "../../../address/paths.ts";
import { type PageLoader, readAhead } from "../../../api/read-ahead.ts";
import { useTimedMs } from "../../../live/live.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { ButtonLink } from "../../../ui/buttons/Button.tsx";
import { CopyButton } from "../../../ui/buttons/CopyButton.tsx";
import { JsonPanel } from "../../../ui/json/JsonView.tsx";
import { NoteLine } from "../../../ui/panels/Lines.tsx";
import { About } from "../../../ui/panels/PanelFacts.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { StaleLine } from "../../../ui/panels/QueryBoundary.tsx";
import { nameText, printable } from "../../../ui/time/format.ts";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import { useNow } from "../../../ui/time/ticker.ts";
import { usePage } from "../../../ui/title.ts";
import { agentsQuery } from "../../agents/index.ts";
import { useNames } from "../../audit/index.ts";
import { mayOperate, useMayAudit, useMe } from "../../sessions/index.ts";
import { ActionButton } from "../registry/ActionButton.tsx";
import { AgentLink, stuckReason, Target } from "../requests/targets.tsx";
import { CommandPill } from "./CommandPill.tsx";
import { issuerText } from "./CommandsPage.tsx";
import { CommandTimes } from "./CommandTimes.tsx";
import { bulkRetryOfCommand, commandQuery, hasEnded, openPollMs } from "./command-queries.ts";
import css from "./commands.module.css";
import { actionLabel, statusSentence } from "./labels.ts";
import { canSendAgain } from "./send-again.ts";
import { sendAgain } from "./send-again-action.tsx";

export const loader: PageLoader<{ slug: string; commandId: string }> = ({ params: { slug, commandId } }) =>
  Promise.all([readAhead(commandQuery(slug, commandId)), readAhead(agentsQuery(slug))]);

export function CommandPage() {
  const { slug, commandId } = useParams({ from: "/signed-in/p/$slug/commands/$commandId" });
  const pollMs = useTimedMs(openPollMs);
  const read = useSuspenseQuery({
    ...commandQuery(slug, commandId),
    refetchInterval: ({ state }) => (state.data !== undefined && hasEnded(state.data) ? false : pollMs),
  });
  const command = read.data;
  const title = actionLabel(command.action);
  usePage([[slug, paths.project(slug)], ["Commands", paths.commands(slug)], [title]]);
  const now = useNow();
  const me = useMe();
  const names = useNames([slug]);
  const mayAudit = useMayAudit(slug);
  const agents = useQuery(agentsQuery(slug)).data?.items ?? [];
  const seesAll = mayOperate(me, slug);
  const hidden = <span className="t3">hidden for your role</span>;
  const stuck = stuckReason(command, agents, now);
  const needsAttention = stuck !== null || command.status === "failed" || command.status === "timeout";
  const sentence = statusSentence(command) + (stuck === null ? "" : ` Waiting for over a minute: ${stuck}.`);
  const facts: [string, ReactNode][] = [
    ["Target", <Target key="target" slug={slug} command={command} />],
    ...(isOfBulkRetry(command)
      ? [["Part of", <PartOf key="bulk" {...{ slug, seesAll }} id={command.id} />] satisfies [string, ReactNode]]
      : []),
    ["Agent", <AgentLink key="agent" slug={slug} id={command.agent_id} agents={agents} />],
    ["Issued by", seesAll ? issuerText(command, names, me.id) : hidden],
    ["IP address", seesAll ? printable(command.source_ip ?? "not recorded") : hidden],
    ["Issued", <Stamp key="issued" at={command.issued_at} />],
    ["Dispatched", <Stamp key="sent" at={command.dispatched_at} none={hasEnded(command) ? "never" : "not yet"} />],
    ["Finished", <Stamp key="ended" at={command.completed_at} none="not yet" />],
    ["Times out", <Stamp key="gives" at={command.timeout_at} none="never" />],
    ["Duration", <CommandTimes key="took" command={command} now={now} />],
    ["Idempotency key", <Id key="key" text={command.idempotency_key} name="key" />],
    ["Command id", <Id key="id" text={command.id} name="command id" />],
  ];
  return (
    <>
      <div className={panel.head}>
        <CommandPill command={command} />
        <h1 className="cut">{title}</h1>
        <span className="t2 grow">{command.target_id === null ? "" : nameText(command.target_id)}</span>
        {mayAudit ? <ButtonLink href={paths.audit(slug, { target: command.id })}>Audit rows</ButtonLink> : null}
        {canSendAgain(command) ? <ActionButton slug={slug} action={sendAgain} subject={command} /> : null}
      </div>
      <StaleLine name="The command" read={read} />
      {needsAttention ? (
        <NoteLine glyph={glyphs[command.status]}>{sentence}</NoteLine>
      ) : (
        <p className={css.summary}>{sentence}</p>
      )}
      <div className={panel.page}>
        <div className={panel.grid2}>
          <div className={panel.stack}>
            {seesAll ? (
              <>
                <JsonPanel title="Payload" parts={[{ label: "payload", value: command.payload }]} />
                {command.result === null ? null : (
                  <JsonPanel title="Result" parts={[{ label: "result", value: command.result }]} />
                )}
              </>
            ) : (
              <PanelFrame title="Payload and result">
                <p className={panel.foot}>{hidden}</p>
              </PanelFrame>
            )}
          </div>
          <About facts={facts} />
        </div>
      </div>
    </>
  );
}

/** The idempotency keys of a bulk retry's commands start with this prefix. */
const isOfBulkRetry = ({ action, idempotency_key: key }: Command): boolean =>
  action === "bulk_retry" && key?.startsWith("bulk:") === true;

/** Finds the bulk retry by its command: neither key nor payload names it. Viewers may not read bulk retries. */
function PartOf({ slug, id, seesAll }: { slug: string; id: string; seesAll: boolean }) {
  const { data } = useQuery({ ...bulkRetryOfCommand(slug, id), enabled: seesAll });
  return data ? <AppLink href={paths.bulkRetry(slug, data.id)}>a bulk retry</AppLink> : "a bulk retry";
}

const glyphs = {
  pending: "pending",
  dispatched: "started",
  completed: "success",
  failed: "failure",
  timeout: "timeout",
  cancelled: "revoked",
} as const;

function Id({ text, name }: { text: string | null; name: string }) {
  return text === null ? (
    "none"
  ) : (
    <>
      <span className="mono">{printable(text)}</span> <CopyButton text={text} name={`Copy the ${name}`} />
    </>
  );
}
