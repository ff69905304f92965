import { CatchBoundary } from "@tanstack/react-router";
import { type ReactNode, useId } from "react";
import { Glyph, Icon } from "../Icon.tsx";
import { ErrorPanel } from "./Feedback.tsx";
import panel from "./panel.module.css";
import css from "./panel-states.module.css";
import { inSentence, QueryBoundary, type ReadResult } from "./QueryBoundary.tsx";

/** The state of a panel's read, such as a query result. */
export interface PanelRead<Data> extends ReadResult<Data> {
  /** Whether the data belong to the previous query: they are dimmed until the new data arrive. */
  isPlaceholderData?: boolean;
}

interface PanelProps<Data> {
  title: string;
  /** The time window of the figures, such as `24 h, UTC` or `now`. */
  window?: ReactNode;
  /** Links and buttons on the right of the header. */
  actions?: ReactNode;
  read: PanelRead<Data>;
  /** The height of the skeleton, in table rows. */
  rows: number;
  /** The empty state; null when there is content. */
  empty?: (data: Data) => ReactNode;
  /** A note above the content about what is missing in it. */
  missing?: (data: Data) => ReactNode;
  /** Replaces the frame's class, for panels that are cells of a board. */
  className?: string | undefined;
  children: (data: Data) => ReactNode;
}

/**
 * A part of a page with its own loading, error and empty state, independent of the rest of the page. When a refresh fails, the content
 * stays below an error line.
 */
export function Panel<Data>({ title, window, actions, className, ...body }: PanelProps<Data>) {
  const id = useId();
  return (
    <section className={className ?? panel.panel} aria-labelledby={id}>
      <header className={css.head}>
        <h2 id={id}>{title}</h2>
        {window === undefined ? null : <span className={`${css.window} cut`}>{window}</span>}
        {actions === undefined ? null : <span className={css.actions}>{actions}</span>}
      </header>
      <CatchBoundary
        getResetKey={() => body.read.data}
        errorComponent={({ error, reset }) => (
          <ErrorPanel isPart title={`Couldn't show ${inSentence(title)}`} error={error} onRetry={reset} />
        )}
      >
        <PanelBody title={title} {...body} />
      </CatchBoundary>
    </section>
  );
}

type BodyProps<Data> = Omit<PanelProps<Data>, "window" | "actions" | "className">;

function PanelBody<Data>({ title, read, rows, empty, missing, children }: BodyProps<Data>) {
  const { isPlaceholderData = false } = read;
  return (
    <QueryBoundary name={title} read={read} rows={rows} isPart refusals={notForRole}>
      {(data) => {
        const lacks = missing?.(data) ?? null;
        return (
          <>
            {lacks === null ? null : (
              <p className={css.missing} role="note">
                <Glyph name="unknown" />
                <span>{lacks}</span>
              </p>
            )}
            <div className={isPlaceholderData ? css.before : undefined} aria-busy={isPlaceholderData}>
              {empty?.(data) ?? children(data)}
            </div>
          </>
        );
      }}
    </QueryBoundary>
  );
}

const notForRole = {
  forbidden: () => <PanelEmpty kind="not-for-role">Ask an administrator of the project if you need it.</PanelEmpty>,
};

const kinds = {
  "none-yet": { title: "Nothing yet", icon: <Glyph name="pending" /> },
  "no-match": { title: "No matches", icon: <Icon name="funnel" /> },
  "not-for-role": { title: "Not for your role", icon: <Icon name="lock" /> },
} as const;

interface PanelEmptyProps {
  kind: keyof typeof kinds;
  /** What will appear here, or what to do. */
  children: ReactNode;
}

/** The empty state of a panel: no data yet, nothing matches, or no access. */
export function PanelEmpty({ kind, children }: PanelEmptyProps) {
  const { title, icon } = kinds[kind];
  return (
    <div className={css.empty}>
      <h3>
        {icon}
        {title}
      </h3>
      <p>{children}</p>
    </div>
  );
}
