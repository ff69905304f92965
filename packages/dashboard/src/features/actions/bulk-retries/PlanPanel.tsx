import { type Agent, type BulkRetryPlan, type BulkRetryRequest, type Member, plural } from "@svc/client";
import type { ReactNode } from "react";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { ButtonLink } from "../../../ui/buttons/Button.tsx";
import { CopyButton } from "../../../ui/buttons/CopyButton.tsx";
import { Panel, type PanelRead } from "../../../ui/panels/Panel.tsx";
import { FactList } from "../../../ui/panels/PanelFacts.tsx";
import { count, idTail, nameText, printable } from "../../../ui/time/format.ts";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import { useMayAudit } from "../../sessions/index.ts";
import { AgentLink } from "../requests/targets.tsx";
import { listSearch } from "./list-search.ts";

interface PlanPanelProps {
  slug: string;
  request: BulkRetryRequest;
  read: PanelRead<BulkRetryPlan>;
  agents: readonly Agent[];
  /** Names of users by id. */
  names: ReadonlyMap<Member["user_id"], string>;
  ownId: string;
}

/** What the bulk retry was created with. */
export function PlanPanel({ slug, request, read, agents, names, ownId }: PlanPanelProps) {
  const mayAudit = useMayAudit(slug);
  return (
    <Panel
      title="Plan"
      window={request.sealed_at === null ? "not final yet" : "fixed at the start"}
      read={read}
      rows={8}
      actions={
        mayAudit ? <ButtonLink href={paths.audit(slug, { action: "bulk_retry_request" })}>Audit rows</ButtonLink> : null
      }
    >
      {(plan) => <FactList facts={factsOf(plan)} />}
    </Panel>
  );

  function factsOf(plan: BulkRetryPlan): [string, ReactNode][] {
    const { issued_by: issuer, canary_size: size, canary_max_failures: mayFail, rate_per_minute: rate } = plan;
    const search = listSearch(plan);
    return [
      ["Filter", filterText(plan)],
      [
        "Tasks",
        search === null ? (
          `${count(plan.named_tasks ?? 0)} selected`
        ) : (
          <AppLink key="list" href={paths.tasks(slug, search)}>
            Tasks that match now
          </AppLink>
        ),
      ],
      ["Engines", plan.engines.map(({ engine, tasks }) => `${printable(engine)} ${count(tasks)}`).join(", ") || "none"],
      [
        "Agent",
        request.target_agent_id === null ? (
          "any eligible agent"
        ) : (
          <AgentLink key="agent" slug={slug} id={request.target_agent_id} agents={agents} />
        ),
      ],
      ["Canary", size === null ? "none" : `${count(size)}, ${count(mayFail ?? 0)} may fail`],
      ["Rate", rate === null ? "no limit" : `${count(rate)} per minute`],
      ["Concurrency", `${count(plan.max_in_flight)} at a time`],
      ["Maximum", plural(plan.max, "task")],
      ["Created by", issuer === null ? "a deleted account" : issuer === ownId ? "you" : nameOf(issuer)],
      ["Created", <Stamp key="made" at={request.created_at} />],
      ["Deadline", <Stamp key="deadline" at={request.deadline_at} />],
      ["Last result", <Stamp key="progress" at={request.last_progress_at} none="none yet" />],
      [
        "Plan digest",
        request.plan_digest === null ? "–" : <Id key="plan" text={request.plan_digest} name="plan digest" />,
      ],
      ["Request digest", <Id key="request" text={request.canonical_digest} name="request digest" />],
      ["Id", <Id key="id" text={request.id} name="id" />],
    ];
  }

  function nameOf(id: string): string {
    return nameText(names.get(id) ?? `user ${idTail(id)}`);
  }
}

const names: Readonly<Record<string, string>> = { search: "text", q: "search" };

/** The filter as text: `state: failure, queue: emails`. */
export const filterText = ({ filter }: Pick<BulkRetryPlan, "filter">): string =>
  Object.entries(filter)
    .map(([key, value]) => `${names[key] ?? key}: ${printable(String(value))}`)
    .join(", ");

function Id({ text, name }: { text: string; name: string }) {
  return (
    <>
      <span className="mono">{printable(text)}</span> <CopyButton text={text} name={`Copy the ${name}`} />
    </>
  );
}
