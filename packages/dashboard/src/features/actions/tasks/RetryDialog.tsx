import type { RetryTaskBody } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { Segments } from "../../../ui/buttons/Segments.tsx";
import { AreaField, Field } from "../../../ui/forms/Field.tsx";
import { bytes, nameText, printable } from "../../../ui/time/format.ts";
import { taskQuery } from "../../task-data/index.ts";
import { namedAgent } from "../requests/AgentField.tsx";
import { CommandDialog } from "../requests/CommandDialog.tsx";
import { isOpen, useAble, useIssue, useKept, useWhyNot } from "../requests/use-act.ts";
import { bytesOf, hasMarker, readArgs, readKwargs } from "./override-text.ts";
import { retryRule } from "./task-rules.ts";

interface RetryDialogProps {
  slug: string;
  engine: string;
  taskId: string;
  /** It begins with the fields of changed inputs. */
  isChanged?: boolean;
  onClose: () => void;
}

const maximumDelay = 86_400;

/** Retries one task, as it was or with other inputs. What becomes of it is told by the tray; the task's state is left to its engine. */
export function RetryDialog({ slug, engine, taskId, isChanged = false, onClose }: RetryDialogProps) {
  const taskNow = useQuery(taskQuery(slug, engine, taskId)).data;
  const ableNow = useAble(slug, { engine, capability: "retry_task" });
  const heldNow = useWhyNot(slug, retryRule, { engine, state: taskNow === null ? null : taskNow?.state });
  const issue = useIssue(slug, (to, body: RetryTaskBody) => api.retryTask(to, body));
  // The task may go on before the answer is there, by what was asked for.
  const { task, able, held } = useKept({ task: taskNow, able: ableNow, held: heldNow }, isOpen(issue));
  const [chosenMode, setMode] = useState<"same" | "changed">(isChanged ? "changed" : "same");
  const [agentId, setAgentId] = useState("");
  const [typedArgs, setArgs] = useState<string | null>(null);
  const [typedKwargs, setKwargs] = useState<string | null>(null);
  const [delay, setDelay] = useState("0");
  const [isTried, setTried] = useState(false);

  const mode = able.resubmits ? "changed" : chosenMode;
  const isPartial = task ? hasMarker([task.args, task.kwargs]) : false;
  // Such inputs are never filled in: a retry with a note in the place of a value would fail again, or do something else.
  const args = typedArgs ?? (task && !isPartial ? JSON.stringify(task.args, null, 2) : "");
  const kwargs = typedKwargs ?? (task && !isPartial ? JSON.stringify(task.kwargs, null, 2) : "");
  const readA = readArgs(args);
  const readK = readKwargs(kwargs);
  const seconds = /^\d{1,5}$/.test(delay.trim()) ? Number(delay.trim()) : Number.NaN;
  const delayFault = seconds <= maximumDelay ? null : `Enter a whole number from 0 to ${maximumDelay}`;
  const isWrong = delayFault !== null || (mode === "changed" && (readA.fault !== null || readK.fault !== null));
  const isMarked = mode === "changed" && (readA.isMarked || readK.isMarked);
  const reason = held ?? (isMarked ? "Some inputs were redacted or cut: put the real values there" : null);
  const name = task ? nameText(task.name) : printable(taskId);

  const send = () => {
    setTried(true);
    if (isWrong) return;
    const body: RetryTaskBody = {
      engine,
      task_id: taskId,
      ...namedAgent(able.agents, agentId),
      ...(seconds > 0 && { eta_seconds: seconds }),
      ...(mode === "changed" &&
        readA.value !== null &&
        readK.value !== null && { override_args: readA.value, override_kwargs: readK.value }),
    };
    issue.mutate({ body, told: { words: `Retry ${name}`, task: { engine, taskId } } }, { onSuccess: onClose });
  };
  const hint = (text: string) => (
    <>
      {bytes(bytesOf(text))} of 64 KB.
      {isPartial && text === ""
        ? " The inputs that are stored here were redacted or cut, so they are not filled in."
        : null}
    </>
  );
  return (
    <CommandDialog
      title={`Retry ${name}`}
      onClose={onClose}
      agent={{
        agents: able.agents,
        value: agentId,
        anyWords: "the one that reported the task last",
        onChange: setAgentId,
      }}
      request={issue}
      reason={reason}
      form={{ fault: isTried && isWrong ? issue : null }}
      nothing="No retry was requested."
      act="Retry task"
      onSend={send}
    >
      {able.resubmits ? (
        <p className="t2">{printable(engine)} retries by submitting a new task, so its inputs are needed.</p>
      ) : (
        <Segments
          legend="Inputs of the retry"
          value={mode}
          options={[
            { value: "same", label: "As it was" },
            { value: "changed", label: "With changed inputs" },
          ]}
          onChange={setMode}
        />
      )}
      {mode === "same" ? (
        <p className="t2">The task runs again with its original arguments.</p>
      ) : (
        <>
          <AreaField
            label="Positional inputs (args), a JSON list"
            value={args}
            rows={4}
            spellCheck={false}
            hint={hint(args)}
            error={isTried || typedArgs !== null ? readA.fault : null}
            onChange={(event) => setArgs(event.currentTarget.value)}
          />
          <AreaField
            label="Named inputs (kwargs), a JSON object"
            value={kwargs}
            rows={4}
            spellCheck={false}
            hint={hint(kwargs)}
            error={isTried || typedKwargs !== null ? readK.fault : null}
            onChange={(event) => setKwargs(event.currentTarget.value)}
          />
        </>
      )}
      <Field
        label="Delay (seconds)"
        inputMode="numeric"
        value={delay}
        hint="0 runs immediately. Maximum 24 hours."
        error={delayFault}
        onChange={(event) => setDelay(event.currentTarget.value)}
      />
    </CommandDialog>
  );
}
