import type { RetryTaskBody } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { Segments } from "../../../ui/buttons/Segments.tsx";
import { AreaField, Field } from "../../../ui/forms/Field.tsx";
import { bytesOf, hasMarker, readArgs, readKwargs } from "../../../ui/forms/json-inputs.ts";
import { bytes, nameText, printable } from "../../../ui/time/format.ts";
import { taskQuery } from "../../task-data/index.ts";
import { namedAgent } from "../requests/AgentField.tsx";
import { CommandDialog } from "../requests/CommandDialog.tsx";
import { isOpen, useEligibleAgents, useFrozen, useIssue, useWhyNot } from "../requests/use-act.ts";
import { retryRule } from "./task-rules.ts";

interface RetryDialogProps {
  slug: string;
  engine: string;
  taskId: string;
  /** Opens with the fields for changed inputs. */
  isChanged?: boolean;
  onClose: () => void;
}

const maximumDelay = 86_400;

/** Retries one task with its original or changed inputs. The tray shows the outcome; the task's state comes only from its engine. */
export function RetryDialog({ slug, engine, taskId, isChanged = false, onClose }: RetryDialogProps) {
  const taskNow = useQuery(taskQuery(slug, engine, taskId)).data;
  const eligibleNow = useEligibleAgents(slug, { engine, capability: "retry_task" });
  const reasonNow = useWhyNot(slug, retryRule, { engine, state: taskNow === null ? null : taskNow?.state });
  const issue = useIssue(slug, (to, body: RetryTaskBody) => api.retryTask(to, body));
  // The request may change the task before the response arrives.
  const { task, eligibility, stateReason } = useFrozen(
    { task: taskNow, eligibility: eligibleNow, stateReason: reasonNow },
    isOpen(issue),
  );
  const [chosenMode, setMode] = useState<"same" | "changed">(isChanged ? "changed" : "same");
  const [agentId, setAgentId] = useState("");
  const [typedArgs, setArgs] = useState<string | null>(null);
  const [typedKwargs, setKwargs] = useState<string | null>(null);
  const [delay, setDelay] = useState("0");
  const [isTried, setTried] = useState(false);

  const mode = eligibility.resubmits ? "changed" : chosenMode;
  const isPartial = task ? hasMarker([task.args, task.kwargs]) : false;
  // Incomplete inputs are never filled in: a retry with a marker instead of a value would fail or do something else.
  const args = typedArgs ?? (task && !isPartial ? JSON.stringify(task.args, null, 2) : "");
  const kwargs = typedKwargs ?? (task && !isPartial ? JSON.stringify(task.kwargs, null, 2) : "");
  const readA = readArgs(args);
  const readK = readKwargs(kwargs);
  const seconds = /^\d{1,5}$/.test(delay.trim()) ? Number(delay.trim()) : Number.NaN;
  const delayError = seconds <= maximumDelay ? null : `Enter a whole number from 0 to ${maximumDelay}`;
  const hasErrors = delayError !== null || (mode === "changed" && (readA.error !== null || readK.error !== null));
  const isMarked = mode === "changed" && (readA.isMarked || readK.isMarked);
  const reason = stateReason ?? (isMarked ? "Some arguments are redacted or truncated. Enter the real values" : null);
  const name = task ? nameText(task.name) : printable(taskId);

  const send = () => {
    setTried(true);
    if (hasErrors) return;
    const body: RetryTaskBody = {
      engine,
      task_id: taskId,
      ...namedAgent(eligibility.agents, agentId),
      ...(seconds > 0 && { eta_seconds: seconds }),
      ...(mode === "changed" &&
        readA.value !== null &&
        readK.value !== null && { override_args: readA.value, override_kwargs: readK.value }),
    };
    issue.mutate({ body, entry: { label: `Retry ${name}`, task: { engine, taskId } } }, { onSuccess: onClose });
  };
  const hint = (text: string) => (
    <>
      {bytes(bytesOf(text))} of 64 KB.
      {isPartial && text === "" ? " The stored arguments are redacted or truncated, so they aren't filled in." : null}
    </>
  );
  return (
    <CommandDialog
      title={`Retry ${name}`}
      onClose={onClose}
      agent={{
        agents: eligibility.agents,
        value: agentId,
        anyLabel: "Agent that last reported the task",
        onChange: setAgentId,
      }}
      request={issue}
      reason={reason}
      form={{ error: isTried && hasErrors ? issue : null }}
      nothing="No retry was requested."
      act="Retry task"
      onSend={send}
    >
      {eligibility.resubmits ? (
        <p className="t2">{printable(engine)} retries by submitting a new task, so it needs the arguments.</p>
      ) : (
        <Segments
          legend="Arguments of the retry"
          value={mode}
          options={[
            { value: "same", label: "Original arguments" },
            { value: "changed", label: "Changed arguments" },
          ]}
          onChange={setMode}
        />
      )}
      {mode === "same" ? (
        <p className="t2">The task runs again with its original arguments.</p>
      ) : (
        <>
          <AreaField
            label="Positional arguments (args), a JSON list"
            value={args}
            rows={4}
            spellCheck={false}
            hint={hint(args)}
            error={isTried || typedArgs !== null ? readA.error : null}
            onChange={(event) => setArgs(event.currentTarget.value)}
          />
          <AreaField
            label="Keyword arguments (kwargs), a JSON object"
            value={kwargs}
            rows={4}
            spellCheck={false}
            hint={hint(kwargs)}
            error={isTried || typedKwargs !== null ? readK.error : null}
            onChange={(event) => setKwargs(event.currentTarget.value)}
          />
        </>
      )}
      <Field
        label="Delay (seconds)"
        inputMode="numeric"
        value={delay}
        hint="0 runs immediately. Maximum 24 hours."
        error={delayError}
        onChange={(event) => setDelay(event.currentTarget.value)}
      />
    </CommandDialog>
  );
}
