import {
  type AnyRoute,
  createRoute,
  lazyRouteComponent,
  type ParsedLocation,
  type ResolveAllParamsFromParent,
  type ResolveParams,
  type RouteComponent,
} from "@tanstack/react-router";
import type { PageLoader } from "../api/read-ahead.ts";

/** @template Params those of the page's address. */
type PageFile<Name extends string, Params> = { [One in Name]: RouteComponent } & { loader?: PageLoader<Params> };
type SearchReader<Search> = (raw: Record<string, unknown>) => Search;

/** For so long after the start the first page waits for its reads: drawing it once, with its content, costs less than drawing it twice. */
const longestWaitMs = 150;
const firstPageIsDue = new Promise<void>((resolve) => setTimeout(resolve, longestWaitMs));

/** Starts the reads that a file exports as `loader`, once the file is here. Pages that are opened later do not wait for theirs. */
export function readsOf<Params>(load: () => Promise<{ loader?: PageLoader<Params> }>): PageLoader<Params> {
  return async (at) => {
    // Where the file is missing, the component of the page reports it.
    const file = await load().catch(() => undefined);
    await Promise.race([file?.loader?.(at), firstPageIsDue]);
  };
}

/**
 * Makes the routes of pages that stand below `parent`. Each page is a file of its own that is loaded when the page is opened. It exports
 * the component, by the name that is given here, and perhaps a `loader` for its first reads.
 */
export function pagesBelow<Parent extends AnyRoute>(parent: Parent, pendingComponent?: RouteComponent) {
  return <const Path extends string, Search, Name extends string>(
    path: Path,
    validateSearch: SearchReader<Search>,
    load: () => Promise<PageFile<Name, ResolveAllParamsFromParent<Parent, ResolveParams<Path>>>>,
    name: Name,
    beforeLoad?: (at: { location: ParsedLocation }) => Promise<void>,
  ) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      validateSearch,
      component: lazyRouteComponent(load, name),
      // An arrow of its own: the type of the routes must not depend on the files of the pages, which read that type.
      loader: (at) => readsOf(load)(at),
      ...(pendingComponent ? { pendingComponent } : {}),
      ...(beforeLoad ? { beforeLoad } : {}),
    });
}
