import type { ReactNode } from "react";
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
