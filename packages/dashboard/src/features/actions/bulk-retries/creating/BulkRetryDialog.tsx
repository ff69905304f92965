import type { BulkRetryFilter, TaskFilters } from "@svc/client";
import { ApiProblem } from "@svc/client";
import { useState } from "react";
import { paths } from "../../../../address/paths.ts";
import { useGo } from "../../../../ui/buttons/AppLink.tsx";
import { Field } from "../../../../ui/forms/Field.tsx";
import { ChoiceField } from "../../../../ui/forms/Select.tsx";
import { count, nameText, printable } from "../../../../ui/time/format.ts";
import { refusalWords } from "../../commands/words.ts";
import { CommandDialog } from "../../requests/CommandDialog.tsx";
import { isOpen, useKept } from "../../requests/use-act.ts";
import { bulkRequest, type Limits, limitFaults, maximumTasks, noLimits } from "./bulk-request.ts";
import { PlannedTasks } from "./PlannedTasks.tsx";
import { useCreateBulkRetry } from "./use-create.ts";
import { useMatching } from "./use-matching.ts";

interface BulkRetryDialogProps {
  slug: string;
  /** Those of the list, for what it counts, and the same as a bulk retry has them. */
  filters: TaskFilters;
  filter: BulkRetryFilter;
  /** The filters as one reads them out. */
  words: string;
  onClose: () => void;
  onDone: () => void;
}

/** Shows what a retry of all that match means before it is begun, and then leads to its page. */
export function BulkRetryDialog({ slug, filters, filter, words, onClose, onDone }: BulkRetryDialogProps) {
  const go = useGo();
  const [engine, setEngine] = useState("");
  const [agentId, setAgentId] = useState("");
  const [limits, setLimits] = useState(noLimits);
  const create = useCreateBulkRetry(slug);
  const matching = useKept(useMatching(slug, filters, filter), isOpen(create));
  const meant = matching.engines?.filter((share) => engine === "" || share.engine === engine) ?? null;
  const chosen = engine === "" ? null : (meant?.[0] ?? null);
  const total = chosen === null ? matching.total : chosen.tasks;
  const many = total === null ? "all that match" : `${count(total)} ${total === 1 ? "task" : "tasks"}`;
  // An agent is named only where one engine is meant: it could not take the tasks of another.
  const agents = meant?.length === 1 ? (meant[0]?.able.agents ?? []) : [];
  const faults = limitFaults(limits);
  const reason =
    matching.reason ??
    (total === 0
      ? "No tasks match now"
      : total !== null && total > maximumTasks
        ? `Maximum ${count(maximumTasks)} tasks. Narrow the filters`
        : meant?.every(({ able }) => able.reason !== null)
          ? (meant[0]?.able.reason ?? null)
          : null);
  const send = () => {
    if (faults.canarySize ?? faults.canaryFailures ?? faults.rate) return;
    const named = agents.some(({ id }) => id === agentId) ? agentId : "";
    const body = bulkRequest(engine === "" ? filter : { ...filter, engine }, limits, named);
    create.mutate(
      { body, words: `Retry all with ${words}` },
      {
        onSuccess: (made) => {
          onClose();
          onDone();
          go(paths.bulkRetry(slug, made.id));
        },
      },
    );
  };
  const limit = (field: keyof Limits, label: string, hint: string) => (
    <Field
      label={label}
      inputMode="numeric"
      autoComplete="off"
      value={limits[field]}
      hint={hint}
      error={faults[field]}
      onChange={(event) => setLimits({ ...limits, [field]: event.currentTarget.value })}
    />
  );
  return (
    <CommandDialog
      title={`Retry ${many}`}
      request={create}
      form={{ fault: null }}
      nothing="No retry was started."
      wordsOf={wordsOf}
      act={`Retry ${many}`}
      reason={reason}
      onSend={send}
      onClose={onClose}
    >
      <p>
        Retries all tasks with {words} at the time it starts, with their original arguments. Tasks that fail later are
        not included.
      </p>
      <PlannedTasks matching={matching} engine={engine} />
      {matching.engines !== null && matching.engines.length > 1 ? (
        <ChoiceField
          label="Engine"
          value={engine}
          options={[
            ["", "all of them"],
            ...matching.engines.map((share) => [share.engine, printable(share.engine)] as const),
          ]}
          onChange={setEngine}
        />
      ) : null}
      {agents.length > 1 ? (
        <ChoiceField
          label="Agent"
          value={agentId}
          options={[["", "for each task one that can"], ...agents.map(({ id, name }) => [id, nameText(name)] as const)]}
          onChange={setAgentId}
        />
      ) : null}
      {limit(
        "canarySize",
        "Canary size",
        "Retries this many first and waits for them to finish. Leave empty for no canary.",
      )}
      {limit(
        "canaryFailures",
        "Allowed canary failures",
        "If more of them fail, the remaining tasks are held back. Leave empty to allow none.",
      )}
      {limit(
        "rate",
        "Max per minute",
        "Leave empty for no limit. Tasks not sent before the deadline wait until you resume.",
      )}
    </CommandDialog>
  );
}

function wordsOf(error: unknown): string {
  const { matched, max } = error instanceof ApiProblem ? error.details : {};
  return typeof matched === "number" && typeof max === "number"
    ? `${count(matched)} tasks match now. The maximum is ${count(max)}. Narrow the filters.`
    : refusalWords(error);
}
