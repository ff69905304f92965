import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { JsonPanel } from "../../../ui/json/JsonView.tsx";
import { Bones } from "../../../ui/panels/Feedback.tsx";
import { FailedLine } from "../../../ui/panels/Lines.tsx";
import { type ListRow, taskQuery } from "../../task-data/index.ts";

/** What a task of the list was given, read when somebody asks for it. */
export function InputLine({ slug, row }: { slug: string; row: ListRow }) {
  const { data, isPending, error, refetch } = useQuery(taskQuery(slug, row.engine, row.task_id));
  const parts = useMemo(() => {
    if (!data) return [];
    const { args, kwargs } = data;
    const given = [
      { label: "args", value: args as unknown, isGiven: args.length > 0 },
      { label: "kwargs", value: kwargs as unknown, isGiven: Object.keys(kwargs).length > 0 },
    ].filter((part) => part.isGiven);
    return given.length > 0 ? given : [{ label: "args", value: args as unknown }];
  }, [data]);
  if (data) return <JsonPanel id={`input-${row.id}`} title="Input" parts={parts} />;
  return isPending ? (
    <Bones rows={3} label="Loading the input" />
  ) : (
    <FailedLine title="The input could not be read" error={error} onRetry={() => void refetch()} />
  );
}
