import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Bones, FailedLine } from "../../ui/Feedback.tsx";
import { JsonPanel } from "../../ui/JsonView.tsx";
import css from "./grid.module.css";
import { taskQuery } from "./queries.ts";
import type { ListRow } from "./task-pages.ts";

/** Height of the line, whatever it holds: more of it is scrolled inside, so that the rows below keep their place. */
export const inputLineRem = 11;

interface InputLineProps {
  slug: string;
  row: ListRow;
  line: number;
  top: number;
}

/** What a task of the list was given, read when somebody asks for it. */
export function InputLine({ slug, row, line, top }: InputLineProps) {
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
  return (
    <div
      className={css.input}
      role="row"
      aria-rowindex={line}
      style={{ transform: `translateY(${top}px)`, height: `${inputLineRem}rem` }}
    >
      <div role="gridcell">
        {data ? (
          <JsonPanel id={`input-${row.id}`} title="Input" parts={parts} />
        ) : isPending ? (
          <Bones rows={3} label="Loading the input" />
        ) : (
          <FailedLine title="The input could not be read" error={error} onRetry={() => void refetch()} />
        )}
      </div>
    </div>
  );
}
