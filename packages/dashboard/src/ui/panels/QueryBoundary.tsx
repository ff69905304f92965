import { ApiProblem } from "@svc/client";
import type { ReactNode } from "react";
import { ErrorPanel, Skeleton } from "./Feedback.tsx";
import { InlineError } from "./Lines.tsx";

/** What is known of a read; the result of a query fits. Data that were read stay when a later read fails. */
export interface ReadResult<Data> {
  data: Data | undefined;
  error: unknown;
  refetch: () => unknown;
}

interface QueryBoundaryProps<Data> {
  /** What is read, as a sentence begins with it: `The issue`, `Commands`. */
  name: string;
  read: ReadResult<Data>;
  /** How many table rows the content is about as high as. */
  rows?: number;
  /** It stands in the frame of a panel or a dialog. */
  isPart?: boolean;
  /** Something around it says that reading again failed. */
  isQuiet?: boolean;
  /** What is shown instead of the error panel when the service refuses with one of these codes. */
  refusals?: Readonly<Record<string, (problem: ApiProblem) => ReactNode>>;
  /** What is drawn of the data, or what is drawn once they are here. */
  children: ReactNode | ((data: Data) => ReactNode);
}

/**
 * Takes the place of what a read brings until that is here: a skeleton while it loads, then why it failed, with a way
 * to try again. Data that are here stay, below a line that says when they could not be read again.
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
  if (!error) return <Skeleton rows={props.rows} label={`Loading ${name.charAt(0).toLowerCase()}${name.slice(1)}`} />;
  const refusal = error instanceof ApiProblem ? props.refusals?.[error.code]?.(error) : undefined;
  return (
    refusal ?? (
      <ErrorPanel
        isPart={props.isPart}
        title={`${name} could not be read`}
        error={error}
        onRetry={() => void refetch()}
      />
    )
  );
}

/** The line above what is still shown although it, or a part of it, could not be read, or not again; nothing when it was. */
export function StaleLine({ name, read }: { name: string; read: ReadResult<unknown> }) {
  if (!read.error) return null;
  const title = `${name} could not be read${read.data === undefined ? "" : " again"}`;
  return <InlineError title={title} error={read.error} onRetry={() => void read.refetch()} />;
}
