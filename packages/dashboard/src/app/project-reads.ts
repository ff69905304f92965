import { type PageLoader, readAhead } from "../api/read-ahead.ts";
import { projectQuery, statsQuery } from "../features/projects/index.ts";

/** What the frame of every page of a project reads. */
export const loader: PageLoader<{ slug: string }> = ({ params: { slug } }) => {
  // Nothing waits for these figures.
  void readAhead(statsQuery(slug));
  return readAhead(projectQuery(slug));
};
