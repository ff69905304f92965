import type { ReactNode } from "react";
import { Button } from "../../../ui/buttons/Button.tsx";
import { RetryButton } from "../../../ui/buttons/RetryButton.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { count } from "../../../ui/time/format.ts";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import { maximumRows } from "../../task-data/index.ts";
import type { TaskList } from "../following/use-task-list.ts";
import css from "../grid.module.css";

interface ListEndProps {
  list: TaskList;
  onOlder?: (until: string) => void;
  /** Outside the grid, which has no rows. */
  isLoose?: boolean;
}

/** The content below the last loaded row. */
export function ListEnd({ list, onOlder, isLoose = false }: ListEndProps) {
  const { query } = list;
  if (query.isFetchNextPageError) {
    return (
      <EndRow isLoose={isLoose}>
        <span role="alert">Couldn't load older tasks. {causeOf(query.error)}</span>
        <RetryButton error={query.error} onRetry={list.readOlder} variant="link" />
      </EndRow>
    );
  }
  if (query.isFetchingNextPage) {
    return (
      <p className={css.end} role="status">
        {query.data?.pages.at(-1)?.reached ? <Reached list={list} /> : null} Loading older tasks
      </p>
    );
  }
  if (list.isIdle) {
    return (
      <EndRow isLoose={isLoose}>
        <Reached list={list} />
        <Button variant="link" onClick={list.readOlder}>
          Continue
        </Button>
      </EndRow>
    );
  }
  if (list.isFull) {
    const oldest = list.rows.at(-1)?.received_at;
    return (
      <EndRow isLoose={isLoose}>
        <span>
          {count(maximumRows)} tasks are loaded, the maximum for this page. Narrow the filters, or continue from here.
        </span>
        {oldest && onOlder ? (
          <Button variant="link" onClick={() => onOlder(oldest)}>
            Show older tasks
          </Button>
        ) : null}
      </EndRow>
    );
  }
  return query.hasNextPage ? null : <p className={css.end}>End of list</p>;
}

/** Controls inside a grid must be in a grid cell. */
function EndRow({ isLoose, children }: { isLoose: boolean; children: ReactNode }) {
  if (isLoose) return <div className={css.end}>{children}</div>;
  return (
    <div role="row" tabIndex={-1}>
      <div role="gridcell" tabIndex={-1} className={css.end}>
        {children}
      </div>
    </div>
  );
}

/** How far back an unfinished search got. */
function Reached({ list }: { list: TaskList }) {
  const reached = list.query.data?.pages.at(-1)?.reached;
  return reached ? (
    <span>
      Searched back to <Stamp at={reached} />, {count(list.rows.length)} found.
    </span>
  ) : (
    <span>No more found so far.</span>
  );
}

/** The number of tasks as far as known; an unfinished search also shows how far back it got. */
export function FoundSoFar({ list, matching }: { list: TaskList; matching: string | undefined }) {
  const { rows, query } = list;
  const reached = query.hasNextPage ? query.data?.pages.at(-1)?.reached : null;
  if (!reached && query.hasNextPage && matching !== undefined) {
    return (
      <>
        <b className="t1">{matching}</b> tasks match
      </>
    );
  }
  if (!reached) return `${count(rows.length)}${query.hasNextPage ? "+" : ""} shown`;
  return (
    <>
      <b className="t1">{count(rows.length)}</b> found, searched back to <Stamp at={reached} />
    </>
  );
}
