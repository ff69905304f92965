/** The lines of a series, one per range without gaps, and the areas under them. The scale begins at 0. */
export function sparkPaths(
  values: readonly (number | null)[],
  { width, height }: { width: number; height: number },
): { lines: string[]; areas: string[] } {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const stepPx = width / Math.max(1, values.length - 1);
  const x = (at: number) => round(at * stepPx);
  // Leaves half the line width free above and below.
  const y = (value: number) => round(height - 1 - (value / most) * (height - 2));
  const lines: string[] = [];
  const areas: string[] = [];
  for (const [from, to] of knownRanges(values)) {
    const points = values.slice(from, to).map((value, at) => `${x(from + at)} ${y(value ?? 0)}`);
    const end = to - 1;
    // A single value would draw nothing.
    lines.push(points.length === 1 ? `M${points[0]}h1` : `M${points.join("L")}`);
    areas.push(`M${x(from)} ${height}L${points.join("L")}L${x(end)} ${height}Z`);
  }
  return { lines, areas };
}

/** [from, to) of each run of known values. */
function knownRanges(values: readonly (number | null)[]): [number, number][] {
  const found: [number, number][] = [];
  let from = -1;
  for (const [at, value] of [...values, null].entries()) {
    if (value !== null && from < 0) from = at;
    if (value === null && from >= 0) {
      found.push([from, at]);
      from = -1;
    }
  }
  return found;
}

const round = (value: number) => Math.round(value * 10) / 10;
