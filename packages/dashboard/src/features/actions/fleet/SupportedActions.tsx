import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { printable } from "../../../ui/time/format.ts";
import { agentsQuery } from "../../agents/index.ts";
import { ActionButton } from "../registry/ActionButton.tsx";
import type { Action } from "../registry/action.ts";
import { whyUnsupported } from "../requests/eligible-agents.ts";

interface SupportedActionsProps<Subject> {
  slug: string;
  actions: readonly Action<Subject>[];
  subject: Subject;
  /** Shown instead of buttons if the engine supports none of the actions. */
  none: ReactNode;
}

/** Buttons for the supported actions, and one line with the reasons for the others. */
export function SupportedActions<Subject extends { engine: string }>({
  slug,
  actions,
  subject,
  none,
}: SupportedActionsProps<Subject>) {
  const agents = useQuery(agentsQuery(slug)).data?.items ?? [];
  const reasonOf = (action: Action<Subject>) =>
    action.needs(subject).map(({ engine, capability }) => whyUnsupported(agents, engine, capability))[0] ?? null;
  const reasons = new Map(actions.map((action) => [action, reasonOf(action)]));
  const missing = new Set([...reasons.values()].filter((reason) => reason !== null));
  const supported = actions.filter((action) => reasons.get(action) === null);
  if (supported.length === 0) return none;
  return (
    <>
      {supported.map((action) => (
        <ActionButton key={action.id} {...{ slug, action }} subject={subject} />
      ))}
      {missing.size === 0 ? null : <span className="t3">{[...missing].map(printable).join(". ")}.</span>}
    </>
  );
}

/** The engine in its official spelling, if known. */
export const engineName = (engine: string): string => (engine === "bullmq" ? "BullMQ" : printable(engine));
