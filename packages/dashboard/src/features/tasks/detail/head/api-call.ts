/** A curl command that fetches this task. `jar` is the cookie jar from docs/reference/api.md. */
export function curlOf(origin: string, slug: string, engine: string, taskId: string): string {
  const path = ["api", "v1", "projects", slug, "tasks", engine, taskId].map(quoteFree).join("/");
  return `curl -sb jar '${origin}/${path}'`;
}

// encodeURIComponent keeps single quotes, which would end the shell's quoting.
function quoteFree(part: string): string {
  return encodeURIComponent(part).replaceAll("'", "%27");
}
