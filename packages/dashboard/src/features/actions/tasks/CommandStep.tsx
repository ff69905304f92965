import type { TaskCommand } from "@svc/client";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { printable } from "../../../ui/time/format.ts";
import { fullText, spanText, useZone } from "../../../ui/time/instants.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { mayOperate, useMe } from "../../sessions/index.ts";
import { CommandPill } from "../commands/CommandPill.tsx";
import { commandOutcome, commandTitle, requesterOf } from "./task-command-labels.ts";

interface CommandStepProps {
  slug: string;
  command: TaskCommand;
}

/** A command on a task in a sentence: requester, time, and its outcome unless it succeeded. */
export function CommandStep({ slug, command }: CommandStepProps) {
  const { zone } = useZone();
  const me = useMe();
  const seesRequester = mayOperate(me, slug);
  const at = Date.parse(command.issued_at);
  const outcome = commandOutcome(command);
  return (
    <>
      <AppLink href={paths.command(slug, command.id)}>
        {commandTitle(command, seesRequester ? requesterOf(command, me.id) : null)}
      </AppLink>
      ,{" "}
      <time dateTime={command.issued_at} title={`${fullText(at, zone)} ${zone}`}>
        {spanText(at, at, zone)}
      </time>
      {command.bulk_retry_id ? (
        <>
          , in <AppLink href={paths.bulkRetry(slug, command.bulk_retry_id)}>a bulk retry</AppLink>
        </>
      ) : null}
      {seesRequester ? "" : <span className="t3"> (requester hidden for your role)</span>}
      {outcome === "" ? "" : `. ${outcome}`}
    </>
  );
}

/** The page of the command shows the whole error. */
const shownCharacters = 60;

/** The status of a command with its age or error, as a fact of the task. */
export function CommandState({ slug, command }: CommandStepProps) {
  const error = command.error === null ? null : printable(command.error);
  return (
    <>
      <CommandPill command={command} bare />{" "}
      <AppLink href={paths.command(slug, command.id)} title={error ?? undefined}>
        {error === null ? (
          <Age at={command.issued_at} suffix=" ago" />
        ) : error.length > shownCharacters ? (
          `${error.slice(0, shownCharacters - 1)}…`
        ) : (
          error
        )}
      </AppLink>
    </>
  );
}
