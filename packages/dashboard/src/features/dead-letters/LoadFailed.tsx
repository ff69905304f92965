import { ApiProblem } from "@svc/client";
import { paths } from "../../address/paths.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Glyph } from "../../ui/Icon.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { nameText, printable } from "../../ui/time/format.ts";
import css from "./dead-letters.module.css";

/** Why the letters were not read, with what can be looked at next. What was read before stays below. */
export function LoadFailed({ slug, error }: { slug: string; error: unknown }) {
  const details = error instanceof ApiProblem ? error.details : {};
  const commandId = typeof details.command_id === "string" ? details.command_id : null;
  const agents = error instanceof ApiProblem && error.code === "conflict" ? agentsIn(details.agents) : null;
  return (
    <section className={css.failed} role="alert">
      <p className={css.cause}>
        <Glyph name="failure" />
        <span>
          {wordsOf(error)}{" "}
          {commandId === null ? null : (
            <AppLink href={paths.command(slug, commandId)}>The command that was sent</AppLink>
          )}
        </span>
      </p>
      {agents === null ? null : agents.length === 0 ? (
        <p className="t2">No agent is online.</p>
      ) : (
        <ul>
          {agents.map(({ id, name, can }) => (
            <li key={id}>
              <AppLink href={paths.agent(slug, id)}>{nameText(name)}</AppLink>: {can}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function wordsOf(error: unknown): string {
  if (!(error instanceof ApiProblem)) return causeOf(error);
  switch (error.code) {
    case "conflict":
      return "No online agent can list the dead letters of this engine. What those that are online can do:";
    case "command_timeout":
      return `The agent did not answer in ${String(error.details.waited_seconds ?? 15)} s.`;
    case "adapter_error":
      // The adapter's own words, redacted, where it said any.
      return typeof error.details.error === "string"
        ? `The agent could not list them. It says: ${printable(error.details.error)}`
        : `The agent could not list them: ${printable(error.message)}.`;
    case "validation_error":
      return typeof error.details.reason === "string"
        ? "The agent that told the pages so far cannot be asked now. Load the list again."
        : "The list has changed since it was read. Load it again.";
    case "not_found":
      return error.details.resource === "agent"
        ? "The agent that told the pages so far is not here any more: it was revoked. Load the list again."
        : causeOf(error);
    default:
      return causeOf(error);
  }
}

interface Advertised {
  id: string;
  name: string;
  can: string;
}

/** What each agent says that it can do, as the refusal lists it. */
function agentsIn(given: unknown): Advertised[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((one: Record<string, unknown>) => {
    if (typeof one?.agent_id !== "string" || typeof one.name !== "string") return [];
    const tokens = Object.entries((one.capabilities ?? {}) as Record<string, unknown>).map(
      ([engine, list]) => `${engine} (${Array.isArray(list) && list.length > 0 ? list.join(", ") : "nothing"})`,
    );
    return [{ id: one.agent_id, name: one.name, can: printable(tokens.join("; ") || "nothing reported") }];
  });
}
