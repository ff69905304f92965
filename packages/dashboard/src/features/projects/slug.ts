/** Derives a project slug from a name: `[a-z0-9](-?[a-z0-9])*`, at most 63 characters. */
export function slugFrom(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+/, "")
    .slice(0, 63)
    .replace(/(?<!-)-+$/, "");
}
