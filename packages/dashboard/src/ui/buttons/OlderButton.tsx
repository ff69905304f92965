import type { ReactNode } from "react";
import { count } from "../time/format.ts";
import { Button } from "./Button.tsx";

/** The properties of an infinite query that the button needs. */
export interface PagedRead {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

/** Loads the next page of a list. Keeps the focus while loading. */
export function OlderButton({ read, children }: { read: PagedRead; children: ReactNode }) {
  return (
    <Button isPending={read.isFetchingNextPage} onClick={() => read.fetchNextPage()}>
      {children}
    </Button>
  );
}

/** The end of such a list: a button for the next page, or its length. */
export function OlderOrAll({ read, shown, children }: { read: PagedRead; shown: number; children: ReactNode }) {
  return read.hasNextPage ? <OlderButton read={read}>{children}</OlderButton> : `End of list (${count(shown)}).`;
}
