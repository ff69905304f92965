import type { BulkRetryFilter, TaskFilters } from "@svc/client";
import { ApiProblem, plural } from "@svc/client";
import { useState } from "react";
import { paths } from "../../../../address/paths.ts";
import { useGo } from "../../../../ui/buttons/AppLink.tsx";
import { Field } from "../../../../ui/forms/Field.tsx";
import { ChoiceField } from "../../../../ui/forms/Select.tsx";
import { count, nameText, printable } from "../../../../ui/time/format.ts";
import { refusalMessage } from "../../commands/labels.ts";
import { CommandDialog } from "../../requests/CommandDialog.tsx";
import { isOpen, useFrozen } from "../../requests/use-act.ts";
import { bulkRequest, type Limits, limitErrors, maximumTasks, noLimits } from "./bulk-request.ts";
import { PlannedTasks } from "./PlannedTasks.tsx";
import { useCreateBulkRetry } from "./use-create.ts";
import { useMatching } from "./use-matching.ts";

interface BulkRetryDialogProps {
  slug: string;
  /** The filters of the list, for counting. */
  filters: TaskFilters;
  /** The same filters, as a bulk retry takes them. */
  filter: BulkRetryFilter;
  /** The filters as text. */
  filterText: string;
  onClose: () => void;
  onDone: () => void;
}

/** Shows what a retry of all matching tasks would do; once created, opens its page. */
export function BulkRetryDialog({ slug, filters, filter, filterText, onClose, onDone }: BulkRetryDialogProps) {
  const go = useGo();
  const [engine, setEngine] = useState("");
  const [agentId, setAgentId] = useState("");
  const [limits, setLimits] = useState(noLimits);
  const create = useCreateBulkRetry(slug);
  const matching = useFrozen(useMatching(slug, filters, filter), isOpen(create));
  const selected = matching.engines?.filter((share) => engine === "" || share.engine === engine) ?? null;
  const chosen = engine === "" ? null : (selected?.[0] ?? null);
  const total = chosen === null ? matching.total : chosen.tasks;
  const amount = total === null ? "all matching tasks" : plural(total, "task");
  // An agent can be chosen only for a single engine: it could not retry the tasks of another.
  const agents = selected?.length === 1 ? (selected[0]?.eligibility.agents ?? []) : [];
  const errors = limitErrors(limits);
  const reason =
    matching.reason ??
    (total === 0
      ? "No matching tasks"
      : total !== null && total > maximumTasks
        ? `Maximum ${count(maximumTasks)} tasks. Narrow the filters`
        : selected?.every(({ eligibility }) => eligibility.reason !== null)
          ? (selected[0]?.eligibility.reason ?? null)
          : null);
  const send = () => {
    if (errors.canarySize ?? errors.canaryFailures ?? errors.rate) return;
    const named = agents.some(({ id }) => id === agentId) ? agentId : "";
    const body = bulkRequest(engine === "" ? filter : { ...filter, engine }, limits, named);
    create.mutate(
      { body, label: `Retry all with ${filterText}` },
      {
        onSuccess: (created) => {
          onClose();
          onDone();
          go(paths.bulkRetry(slug, created.id));
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
      error={errors[field]}
      onChange={(event) => setLimits({ ...limits, [field]: event.currentTarget.value })}
    />
  );
  return (
    <CommandDialog
      title={`Retry ${amount}`}
      request={create}
      form={{ error: null }}
      nothing="No retry was started."
      messageOf={messageOf}
      act={`Retry ${amount}`}
      reason={reason}
      onSend={send}
      onClose={onClose}
    >
      <p>
        Retries all tasks with {filterText} that exist when it starts, using their original arguments. Tasks that fail
        later are not included.
      </p>
      <PlannedTasks matching={matching} engine={engine} />
      {matching.engines !== null && matching.engines.length > 1 ? (
        <ChoiceField
          label="Engine"
          value={engine}
          options={[
            ["", "All engines"],
            ...matching.engines.map((share) => [share.engine, printable(share.engine)] as const),
          ]}
          onChange={setEngine}
        />
      ) : null}
      {agents.length > 1 ? (
        <ChoiceField
          label="Agent"
          value={agentId}
          options={[["", "Any eligible agent"], ...agents.map(({ id, name }) => [id, nameText(name)] as const)]}
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

function messageOf(error: unknown): string {
  const { matched, max } = error instanceof ApiProblem ? error.details : {};
  return typeof matched === "number" && typeof max === "number"
    ? `${count(matched)} tasks match now. The maximum is ${count(max)}. Narrow the filters.`
    : refusalMessage(error);
}
