import type { Task } from "@svc/client";
import { useMemo } from "react";
import { JsonPanel } from "../../../ui/json/JsonView.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";

/** The task's arguments and result; a single line if there is none. Most engines use only one of args and kwargs. */
export function InputPanels({ task }: { task: Task }) {
  const { args, kwargs, result } = task;
  const input = useMemo(
    () =>
      [
        { label: "args", value: args as unknown, isEmpty: args.length === 0 },
        { label: "kwargs", value: kwargs as unknown, isEmpty: Object.keys(kwargs).length === 0 },
      ].filter((part) => !part.isEmpty),
    [args, kwargs],
  );
  const output = useMemo(() => [{ label: "result", value: result }], [result]);
  const noResult = noResultText(task);
  return (
    <>
      {input.length > 0 ? (
        <JsonPanel id="input" title="Input" parts={input} foot={noResult} />
      ) : (
        <PanelFrame id="input" title="Input" note={["No arguments.", noResult].filter(Boolean).join(" ")} />
      )}
      {task.state === "success" ? <JsonPanel id="result" title="Result" parts={output} /> : null}
    </>
  );
}

/** Why a finished task has no result; undefined if it has one or may still get one. */
function noResultText({ state, finished_at }: Task): string | undefined {
  if (state === "success" || finished_at === null) return undefined;
  if (state === "failure") return "No result: the task failed.";
  return `No result: the task is ${state}.`;
}
