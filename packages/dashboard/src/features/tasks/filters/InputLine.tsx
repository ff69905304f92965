import type { Task } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { JsonPanel } from "../../../ui/json/JsonView.tsx";
import { NoteLine } from "../../../ui/panels/Lines.tsx";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import { type ListRow, taskQuery } from "../../task-data/index.ts";

/** What a task of the list was given, read when somebody asks for it. */
export function InputLine({ slug, row }: { slug: string; row: ListRow }) {
  const task = useQuery(taskQuery(slug, row.engine, row.task_id));
  return (
    <QueryBoundary name="The input" read={task} rows={3} isPart>
      {(data) =>
        data === null ? <NoteLine>The task is no longer here.</NoteLine> : <Input {...data} id={`input-${row.id}`} />
      }
    </QueryBoundary>
  );
}

function Input({ id, args, kwargs }: Pick<Task, "id" | "args" | "kwargs">) {
  const parts = useMemo(() => {
    const given = [
      { label: "args", value: args as unknown, isGiven: args.length > 0 },
      { label: "kwargs", value: kwargs as unknown, isGiven: Object.keys(kwargs).length > 0 },
    ].filter((part) => part.isGiven);
    return given.length > 0 ? given : [{ label: "args", value: args as unknown }];
  }, [args, kwargs]);
  return <JsonPanel id={id} title="Input" parts={parts} />;
}
