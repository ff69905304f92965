import { useQueries } from "@tanstack/react-query";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { printable } from "../../../ui/time/format.ts";
import { facetQuery, filtersOf, type TasksSearch } from "../../task-data/index.ts";
import { knownOf, valuesAtOnce } from "../filters/facets.ts";
import { meantSearch } from "../filters/payload-keys.ts";

interface DidYouMeanProps {
  slug: string;
  search: TasksSearch;
  onGo?: () => void;
}

/** Suggests a payload search for text such as `customer=42`; shows nothing for other text. */
export function DidYouMean({ slug, search, onGo }: DidYouMeanProps) {
  const isMeant = meantSearch(search, {}) !== null;
  // The other filters. Ages are rounded to the minute, which keeps the query key stable.
  const { search: _, q: __, ...others } = filtersOf(search, Math.floor(Date.now() / 60_000) * 60_000);
  const reads = useQueries({
    queries: (["args", "result"] as const).map((field) => ({
      ...facetQuery(slug, { ...others, field, limit: valuesAtOnce }),
      enabled: isMeant,
    })),
  });
  if (!isMeant || reads.some(({ isPending }) => isPending)) return null;
  const meant = meantSearch(search, knownOf(reads.map(({ data }) => data)));
  if (meant === null) return null;
  return (
    <p role="status">
      Did you mean{" "}
      <AppLink className="mono" href={paths.tasks(slug, meant.search)} onClick={onGo}>
        {printable(meant.q)}
      </AppLink>
      ?
    </p>
  );
}
