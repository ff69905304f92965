import type { Task } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { JsonPanel } from "../../../ui/json/JsonView.tsx";
import { NoteLine } from "../../../ui/panels/Lines.tsx";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import { type ListRow, taskQuery } from "../../task-data/index.ts";

/** The input of a listed task, loaded on request. */
export function InputLine({ slug, row }: { slug: string; row: ListRow }) {
  const task = useQuery(taskQuery(slug, row.engine, row.task_id));
  return (
    <QueryBoundary name="The input" read={task} rows={3} isPart>
      {(data) =>
        data === null ? <NoteLine>The task no longer exists.</NoteLine> : <Input {...data} id={`input-${row.id}`} />
      }
    </QueryBoundary>
  );
}

function Input({ id, args, kwargs }: Pick<Task, "id" | "args" | "kwargs">) {
  const parts = useMemo(() => {
    const inputs = [
      { label: "args", value: args as unknown, isPresent: args.length > 0 },
      { label: "kwargs", value: kwargs as unknown, isPresent: Object.keys(kwargs).length > 0 },
    ].filter((part) => part.isPresent);
    return inputs.length > 0 ? inputs : [{ label: "args", value: args as unknown }];
  }, [args, kwargs]);
  return <JsonPanel id={id} title="Input" parts={parts} />;
}
