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

/** How long the first page waits for its reads: rendering it once with its content costs less than rendering it twice. */
const longestWaitMs = 150;
const firstPageIsDue = new Promise<void>((resolve) => setTimeout(resolve, longestWaitMs));

/** Runs the `loader` that a page's file exports, once it is loaded. Pages opened later do not wait for their reads. */
export function readsOf<Params>(load: () => Promise<{ loader?: PageLoader<Params> }>): PageLoader<Params> {
  return async (at) => {
    // If the file fails to load, the page's component reports it.
    const file = await load().catch(() => undefined);
    await Promise.race([file?.loader?.(at), firstPageIsDue]);
  };
}

/**
 * Creates the routes of pages below `parent`. Each page is a separate file, loaded on demand, that exports the component `name` and
 * optionally a `loader` for its first reads.
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
      // Wrapped in an arrow function: the routes' type must not depend on the page files, which use that type.
      loader: (at) => readsOf(load)(at),
      ...(pendingComponent ? { pendingComponent } : {}),
      ...(beforeLoad ? { beforeLoad } : {}),
    });
}
