import { CatchBoundary } from "@tanstack/react-router";
import { type ReactNode, useId } from "react";
import { Glyph, Icon } from "../Icon.tsx";
import { ErrorPanel } from "./Feedback.tsx";
import panel from "./panel.module.css";
import css from "./panel-states.module.css";
import { inSentence, QueryBoundary, type ReadResult } from "./QueryBoundary.tsx";

/** What a panel needs to know about the read behind it; the result of a query fits. */
export interface PanelRead<Data> extends ReadResult<Data> {
  /** The data belong to what was asked before: they stay, dimmed, until the answer comes. */
  isPlaceholderData?: boolean;
}

interface PanelProps<Data> {
  title: string;
  /** Which time the figures belong to, such as `24 h, UTC` or `now`. Every figure has one. */
  window?: ReactNode;
  /** Links and buttons at the right end of the head. */
  actions?: ReactNode;
  read: PanelRead<Data>;
  /** How many table rows the loaded content is about as high as. */
  rows: number;
  /** What is shown instead of the content when there is nothing in it; null when there is. */
  empty?: (data: Data) => ReactNode;
  /** What the content lacks, said above it. */
  missing?: (data: Data) => ReactNode;
  /** Replaces the frame, for panels that are cells of a board. */
  className?: string | undefined;
  children: (data: Data) => ReactNode;
}

/**
 * A part of a page that loads, fails and is empty on its own: whatever happens in it, the rest of the page stays. A read
 * that fails after the first keeps what was shown, with a line above it.
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
  "no-match": { title: "Nothing matches", icon: <Icon name="funnel" /> },
  "not-for-role": { title: "Not for your role", icon: <Icon name="lock" /> },
} as const;

interface PanelEmptyProps {
  kind: keyof typeof kinds;
  /** Says what would be here, or what to do about it. */
  children: ReactNode;
}

/** The three reasons for an empty panel: nothing was there, a filter hides it, or the role does. */
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
