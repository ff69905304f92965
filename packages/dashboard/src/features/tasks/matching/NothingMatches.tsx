import type { ApiProblem } from "@svc/client";
import { paths } from "../../../address/paths.ts";
import { Button, ButtonLink } from "../../../ui/buttons/Button.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { Empty } from "../../../ui/panels/Lines.tsx";
import { printable } from "../../../ui/time/format.ts";
import { activeFilters, type FilterKey, type TasksSearch } from "../../task-data/index.ts";
import { filterName, tokenText } from "../filters/filter-words.ts";
import { type TaskList, useOlderPages } from "../following/use-task-list.ts";
import { ListEnd } from "../list/ListEnd.tsx";
import { DidYouMean } from "./DidYouMean.tsx";

interface NotUnderstoodProps {
  error: ApiProblem;
  slug: string;
  search: TasksSearch;
  onPatch: (patch: Partial<Record<FilterKey, undefined>>) => void;
}

/** The server rejected the URL's filters: shows which ones, with buttons to remove them. */
export function NotUnderstood({ error, slug, search, onPatch }: NotUnderstoodProps) {
  const errors = Array.isArray(error.details.errors)
    ? (error.details.errors as { loc?: unknown[]; message?: string }[])
    : [];
  return (
    <Empty title="Invalid filter" chips={<FilterChips slug={slug} search={search} onPatch={onPatch} />}>
      {errors.map(({ loc, message }) => (
        <p key={String(loc)} role="alert">
          <span className="mono">{printable(String(loc?.at(-1) ?? ""))}</span>: {message}.
        </p>
      ))}
      <DidYouMean slug={slug} search={search} />
      {errors.length === 0 ? <p role="alert">{causeOf(error)}</p> : null}
    </Empty>
  );
}

function FilterChips({ slug, search, onPatch }: Omit<NotUnderstoodProps, "error">) {
  const active = activeFilters(search);
  return (
    <>
      {active.map((key) => (
        <Button key={key} onClick={() => onPatch({ [key]: undefined })} icon="x">
          {filterName(key)}: {printable(tokenText(key, String(search[key])))}
        </Button>
      ))}
      {active.length > 1 ? <ButtonLink href={paths.tasks(slug)}>Clear all filters</ButtonLink> : null}
    </>
  );
}

interface NothingMatchesProps {
  slug: string;
  search: TasksSearch;
  onPatch: (patch: Partial<Record<FilterKey, undefined>>) => void;
  list: TaskList;
}

/** The empty state of the list, with buttons to remove each filter. */
export function NothingMatches({ slug, search, onPatch, list }: NothingMatchesProps) {
  const active = activeFilters(search);
  useOlderPages(list, 0);
  return (
    <Empty
      title={list.query.hasNextPage ? "No matches so far" : active.length > 0 ? "No tasks match" : "No tasks yet"}
      chips={
        <>
          {list.pendingCount > 0 ? (
            <Button variant="main" onClick={list.showPending}>
              Show {list.pendingCount} new
            </Button>
          ) : null}
          <FilterChips slug={slug} search={search} onPatch={onPatch} />
        </>
      }
    >
      {list.query.hasNextPage ? <ListEnd list={list} isLoose /> : null}
      <DidYouMean slug={slug} search={search} />
      <p>
        {active.length > 0
          ? "Text is matched literally. Remove a filter to see more."
          : "Tasks appear here as soon as an agent reports them."}
      </p>
    </Empty>
  );
}
