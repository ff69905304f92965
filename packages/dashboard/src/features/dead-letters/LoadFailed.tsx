import { ApiProblem } from "@svc/client";
import { paths } from "../../address/paths.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Glyph } from "../../ui/Icon.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { nameText, printable } from "../../ui/time/format.ts";
import css from "./dead-letters.module.css";

/** Why the dead letters could not be loaded, with links to what to check. Those loaded earlier stay below. */
export function LoadFailed({ slug, error }: { slug: string; error: unknown }) {
  const details = error instanceof ApiProblem ? error.details : {};
  const commandId = typeof details.command_id === "string" ? details.command_id : null;
  const agents = error instanceof ApiProblem && error.code === "conflict" ? agentsIn(details.agents) : null;
  return (
    <section className={css.failed} role="alert">
      <p className={css.cause}>
        <Glyph name="failure" />
        <span>
          {agents?.length === 0 ? noAgent : messageOf(error)}{" "}
          {commandId === null ? null : <AppLink href={paths.command(slug, commandId)}>View command</AppLink>}
        </span>
      </p>
      {agents === null || agents.length === 0 ? null : (
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

const noAgent = "No agent is online. Start an agent for this engine, then load again.";

function messageOf(error: unknown): string {
  if (!(error instanceof ApiProblem)) return causeOf(error);
  switch (error.code) {
    case "conflict":
      return "No online agent can list the dead letters of this engine. Start one that supports it. Online agents and their capabilities:";
    case "command_timeout":
      return `The agent didn't answer within ${String(error.details.waited_seconds ?? 15)} s. Try again, or check the agent's log.`;
    case "adapter_error":
      // The adapter's own message, redacted, if it has one.
      return typeof error.details.error === "string"
        ? `The agent couldn't list the dead letters: ${printable(error.details.error)}`
        : `The agent couldn't list the dead letters: ${printable(error.message)}.`;
    case "validation_error":
      return typeof error.details.reason === "string"
        ? "The agent that reported the previous pages is unavailable. Load the list again."
        : "The list has changed. Load it again.";
    case "not_found":
      return error.details.resource === "agent"
        ? "The agent that reported the previous pages was revoked. Load the list again."
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

/** The capabilities of each agent, as listed in the error. */
function agentsIn(given: unknown): Advertised[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((one: Record<string, unknown>) => {
    if (typeof one?.agent_id !== "string" || typeof one.name !== "string") return [];
    const tokens = Object.entries((one.capabilities ?? {}) as Record<string, unknown>).map(
      ([engine, list]) => `${engine} (${Array.isArray(list) && list.length > 0 ? list.join(", ") : "no capabilities"})`,
    );
    return [{ id: one.agent_id, name: one.name, can: printable(tokens.join("; ") || "capabilities unknown") }];
  });
}
