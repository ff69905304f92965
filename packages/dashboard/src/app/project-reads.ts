import { type PageLoader, readAhead } from "../api/read-ahead.ts";
import { projectQuery, statsQuery } from "../features/projects/index.ts";

/** The reads of the frame around every page of a project. */
export const loader: PageLoader<{ slug: string }> = ({ params: { slug } }) => {
  // Nothing waits for these figures.
  void readAhead(statsQuery(slug));
  return readAhead(projectQuery(slug));
};
