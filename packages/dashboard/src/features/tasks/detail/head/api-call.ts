/** The request that answers with this task, ready for a shell; `jar` holds the session, as docs/reference/api.md makes it. */
export function curlOf(origin: string, slug: string, engine: string, taskId: string): string {
  const path = ["api", "v1", "projects", slug, "tasks", engine, taskId].map(quoteFree).join("/");
  return `curl -sb jar '${origin}/${path}'`;
}

// encodeURIComponent leaves the quote alone, and an id with one would end the shell's quoting.
function quoteFree(part: string): string {
  return encodeURIComponent(part).replaceAll("'", "%27");
}
