import { useQuery } from "@tanstack/react-query";
import { paths } from "../../../address/paths.ts";
import { ButtonLink } from "../../../ui/buttons/Button.tsx";
import { StaleLine } from "../../../ui/panels/QueryBoundary.tsx";
import { useZone } from "../../../ui/time/instants.ts";
import { forecastQuery } from "../queries.ts";
import css from "../schedules.module.css";
import { QuarterStrip } from "./QuarterStrip.tsx";
import { quartersOf } from "./quarters.ts";

interface ForecastStripProps {
  slug: string;
  /** The edited schedule, whose stored fires are left out; null for a new one. Absent outside of the editor. */
  edited?: string | null;
  /** Its fires as typed, by the start of their quarter of an hour. */
  own?: ReadonlyMap<number, number> | undefined;
}

/** The fires of the next 24 hours, above the list and the editor. */
export function ForecastStrip({ slug, edited, own }: ForecastStripProps) {
  const read = useQuery(forecastQuery(slug, edited ?? undefined));
  const { zone } = useZone();
  return (
    <>
      <StaleLine name="The forecast" read={read} />
      <section className={css.ahead} aria-label="Forecast">
        <h2>Forecast</h2>
        <span className="t3">
          <span className="lg">fires per 15 min{own ? " with this schedule" : ""}, </span>next 24 h, {zone}
        </span>
        <ButtonLink variant="link" href={paths.forecast(slug)}>
          7 days
        </ButtonLink>
        {read.data ? <QuarterStrip quarters={quartersOf(read.data.quarters, own)} hasOwn={own !== undefined} /> : null}
      </section>
    </>
  );
}
