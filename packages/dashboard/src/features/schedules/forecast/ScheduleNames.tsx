import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { nameText } from "../../../ui/time/format.ts";

interface ScheduleNamesProps {
  slug: string;
  /** Some of them. */
  schedules: readonly { id: string; name: string }[];
  /** Of all. */
  count: number;
}

const mostNames = 3;

/** `a, b, c and 4 more`, with links. */
export function ScheduleNames({ slug, schedules, count }: ScheduleNamesProps) {
  const named = schedules.slice(0, mostNames);
  const more = count - named.length;
  return (
    <span>
      {named.map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 ? ", " : ""}
          <AppLink href={paths.schedule(slug, id)}>{nameText(name)}</AppLink>
        </span>
      ))}
      {more > 0 ? ` and ${more} more` : ""}
    </span>
  );
}
