/** The request that answers with this task, ready for a shell. The key is named, never written. */
export function curlOf(origin: string, slug: string, engine: string, taskId: string): string {
  const path = ["api", "v1", "projects", slug, "tasks", engine, taskId].map(quoteFree).join("/");
  return `curl -H "Authorization: Bearer $SVC_API_KEY" '${origin}/${path}'`;
}

// encodeURIComponent leaves the quote alone, and an id with one would end the shell's quoting.
function quoteFree(part: string): string {
  return encodeURIComponent(part).replaceAll("'", "%27");
}
