import { plural } from "@svc/client";
import type { ReactNode } from "react";
import { useState } from "react";
import { Button } from "../../../ui/buttons/Button.tsx";
import { useKeys } from "../../../ui/layers/keys.ts";
import panel from "../../../ui/panels/panel.module.css";
import { QueryBoundary, type ReadResult } from "../../../ui/panels/QueryBoundary.tsx";
import { count } from "../../../ui/time/format.ts";
import css from "../audit.module.css";
import type { Names } from "../labels.ts";
import { maximumPages } from "../queries.ts";
import { type Recorded, RecordTable, rowButtonId } from "./RecordTable.tsx";
import { RowDrawer } from "./RowDrawer.tsx";

/** The parts of an infinite query's result that the list uses. */
export interface ListRead extends ReadResult<{ pages: readonly { items: readonly Recorded[] }[] }> {
  isPlaceholderData: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

interface RecordListProps {
  label: string;
  read: ListRead;
  names: Names;
  showsProject: boolean;
  isExact: boolean;
  hasUserFilter: boolean;
  onOnly: (filter: { action?: string; user?: string }) => void;
  empty: ReactNode;
}

const help = {
  title: "Audit entries",
  entries: [
    ["j, k", "Next or previous entry, while one is open"],
    ["n", "Show new entries"],
    ["Escape", "Close the entry"],
  ],
} as const;

export const rowsIn = (read: ListRead): readonly Recorded[] => read.data?.pages.flatMap((page) => page.items) ?? [];

/** The loaded entries, a button for older ones, and the open entry. */
export function RecordList({
  label,
  read,
  names,
  showsProject,
  isExact,
  hasUserFilter,
  onOnly,
  empty,
}: RecordListProps) {
  const [opened, setOpened] = useState<string | null>(null);
  const rows = rowsIn(read);
  const at = rows.findIndex((row) => row.id === opened);
  const row = rows[at];
  const close = () => {
    setOpened(null);
    if (opened === null) return;
    (document.getElementById(rowButtonId(opened)) ?? document.getElementById("main"))?.focus();
  };
  const step = (by: number) => {
    const next = at < 0 ? undefined : rows[at + by];
    if (next === undefined) return;
    setOpened(next.id);
    document.getElementById(rowButtonId(next.id))?.scrollIntoView({ block: "nearest" });
  };
  useKeys({ j: () => step(1), k: () => step(-1), Escape: close }, help);

  const pages = read.data?.pages.length ?? 0;
  return (
    <QueryBoundary name={label} read={read}>
      <div aria-busy={read.isPlaceholderData}>
        {rows.length === 0 ? (
          empty
        ) : (
          <RecordTable
            label={label}
            rows={rows}
            hasMore={read.hasNextPage}
            names={names}
            showsProject={showsProject}
            isExact={isExact}
            opened={opened}
            onOpen={(id) => (id === opened ? close() : setOpened(id))}
          />
        )}
        {rows.length === 0 ? null : (
          <p className={`${panel.foot} ${css.foot}`}>
            {read.hasNextPage
              ? `The newest ${count(rows.length)} entries. `
              : `${plural(rows.length, "entry", "entries")}. End of list. `}
            {!read.hasNextPage ? null : pages < maximumPages ? (
              <Button variant="link" isPending={read.isFetchingNextPage} onClick={() => read.fetchNextPage()}>
                {read.isFetchingNextPage ? "Loading…" : "Load older entries"}
              </Button>
            ) : (
              "Narrow the filters to see older entries."
            )}
          </p>
        )}
      </div>
      {row === undefined ? null : (
        <RowDrawer
          row={row}
          names={names}
          hasUserFilter={hasUserFilter}
          onOnly={(filter) => {
            setOpened(null);
            onOnly(filter);
          }}
          onClose={close}
        />
      )}
    </QueryBoundary>
  );
}
