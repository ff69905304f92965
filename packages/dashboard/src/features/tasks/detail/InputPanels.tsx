import type { Task } from "@svc/client";
import { useMemo } from "react";
import { JsonPanel } from "../../../ui/json/JsonView.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import css from "./task.module.css";

/** What the task was given and what it gave back. Most engines use only one of args and kwargs. */
export function InputPanels({ task }: { task: Task }) {
  const { args, kwargs, result } = task;
  const input = useMemo(() => {
    const parts = [
      { label: "args", value: args as unknown, isEmpty: args.length === 0 },
      { label: "kwargs", value: kwargs as unknown, isEmpty: Object.keys(kwargs).length === 0 },
    ].filter((part) => !part.isEmpty);
    return parts.length > 0 ? parts : [{ label: "args", value: args as unknown }];
  }, [args, kwargs]);
  const output = useMemo(() => [{ label: "result", value: result }], [result]);
  return (
    <>
      <JsonPanel id="input" title="Input" parts={input} />
      {task.state === "success" ? (
        <JsonPanel id="result" title="Result" parts={output} />
      ) : (
        <PanelFrame title="Result">
          <p className={css.empty}>{task.finished_at ? "The task did not return." : "Nothing yet."}</p>
        </PanelFrame>
      )}
    </>
  );
}
