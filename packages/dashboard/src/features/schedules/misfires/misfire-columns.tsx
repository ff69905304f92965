import type { Misfire } from "@svc/client";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import type { Column } from "../../../ui/tables/columns.tsx";
import { duration, nameText, printable } from "../../../ui/time/format.ts";
import { Age, Stamp } from "../../../ui/time/Stamp.tsx";
import { misfireKinds } from "./missed-slots.ts";

export const misfireKey = ({ schedule_id, expected_fire_at, misfire_kind }: Misfire): string =>
  `${schedule_id} ${expected_fire_at} ${misfire_kind}`;

/** Without a slug the schedule is known and left out. */
export const misfireColumns = (slug?: string): readonly Column<Misfire>[] => [
  ...(slug === undefined
    ? []
    : [
        {
          header: "Schedule",
          cell: ({ schedule_id, name }: Misfire) => (
            <AppLink href={paths.schedule(slug, schedule_id)}>
              <b>{nameText(name)}</b>
            </AppLink>
          ),
          small: ({ engine }: Misfire) => printable(engine),
        },
      ]),
  {
    header: "What happened",
    width: "9rem",
    cell: ({ misfire_kind }) => misfireKinds[misfire_kind] ?? printable(misfire_kind),
    // Phones have no column for it.
    small:
      slug === undefined
        ? () => null
        : ({ detected_at }) => (
            <span className="sm">
              <Age at={detected_at} suffix=" ago" />
            </span>
          ),
  },
  {
    header: "Planned",
    className: slug === undefined ? undefined : "lg",
    width: "12rem",
    cell: ({ expected_fire_at }) => <Stamp at={expected_fire_at} to="minute" />,
  },
  {
    header: "Measured",
    className: "num",
    width: "8rem",
    phoneWidth: "6rem",
    title: () => "How late it was, or how long it ran",
    cell: ({ lateness_seconds }) => duration(lateness_seconds * 1000),
  },
  {
    header: "Limit",
    className: "num lg",
    cellClass: "t2",
    width: "6rem",
    cell: ({ grace_seconds }) => duration(grace_seconds * 1000),
  },
  {
    header: "Detected",
    className: slug === undefined ? "num" : "num lg",
    cellClass: "t2",
    width: "8rem",
    phoneWidth: "6rem",
    cell: ({ detected_at }) => <Age at={detected_at} suffix=" ago" />,
  },
];
