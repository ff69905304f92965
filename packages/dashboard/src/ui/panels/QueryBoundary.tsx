import { ApiProblem } from "@svc/client";
import type { ReactNode } from "react";
import { ErrorPanel, Skeleton } from "./Feedback.tsx";
import { InlineError } from "./Lines.tsx";

/** The state of a read, such as a query result. Loaded data are kept when a later read fails. */
export interface ReadResult<Data> {
  data: Data | undefined;
  error: unknown;
  refetch: () => unknown;
}

interface QueryBoundaryProps<Data> {
  /** What is loaded, capitalised: `The issue`, `Commands`. */
  name: string;
  read: ReadResult<Data>;
  /** The height of the skeleton, in table rows. */
  rows?: number;
  /** Whether it is inside the frame of a panel or dialog. */
  isPart?: boolean;
  /** Whether a surrounding element reports that refreshing failed. */
  isQuiet?: boolean;
  /** Shown instead of the error panel, by error code. */
  refusals?: Readonly<Record<string, (problem: ApiProblem) => ReactNode>>;
  /** The content, or a function that renders it from the data. */
  children: ReactNode | ((data: Data) => ReactNode);
}

/**
 * Renders loaded data; before that, a skeleton, or the error with a retry button. When refreshing fails, the loaded data stay below
 * a line with the error.
 */
export function QueryBoundary<Data>({ name, read, children, ...props }: QueryBoundaryProps<Data>) {
  const { data, error, refetch } = read;
  if (data !== undefined) {
    return (
      <>
        {props.isQuiet ? null : <StaleLine name={name} read={read} />}
        {typeof children === "function" ? children(data) : children}
      </>
    );
  }
  if (!error) return <Skeleton rows={props.rows} label={`Loading ${inSentence(name)}`} />;
  const refusal = error instanceof ApiProblem ? props.refusals?.[error.code]?.(error) : undefined;
  return (
    refusal ?? (
      <ErrorPanel
        isPart={props.isPart}
        title={`Couldn't load ${inSentence(name)}`}
        error={error}
        onRetry={() => void refetch()}
      />
    )
  );
}

export const inSentence = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** A line above content that is incomplete or stale because a read failed; nothing when it succeeded. */
export function StaleLine({ name, read }: { name: string; read: ReadResult<unknown> }) {
  if (!read.error) return null;
  const title = `Couldn't ${read.data === undefined ? "load" : "refresh"} ${inSentence(name)}`;
  return <InlineError title={title} error={read.error} onRetry={() => void read.refetch()} />;
}
