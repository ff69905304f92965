import type { ReactNode } from "react";
import { count } from "../time/format.ts";
import { Button } from "./Button.tsx";

/** A list that is read page by page: what `useInfiniteQuery` tells of it. */
export interface PagedRead {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

/** Reads the next page of a list, one at a time. It keeps the focus while it reads. */
export function OlderButton({ read, children }: { read: PagedRead; children: ReactNode }) {
  return (
    <Button isPending={read.isFetchingNextPage} onClick={() => read.fetchNextPage()}>
      {children}
    </Button>
  );
}

/** The foot of such a list: its next page, or that there is none. */
export function OlderOrAll({ read, shown, children }: { read: PagedRead; shown: number; children: ReactNode }) {
  return read.hasNextPage ? <OlderButton read={read}>{children}</OlderButton> : `These are all: ${count(shown)}.`;
}
