import { useQuery } from "@tanstack/react-query";
import { paths } from "../../../address/paths.ts";
import { ButtonLink } from "../../../ui/buttons/Button.tsx";
import { StaleLine } from "../../../ui/panels/QueryBoundary.tsx";
import { forecastQuery } from "../queries.ts";
import css from "../schedules.module.css";
import { ForecastGrid } from "./ForecastGrid.tsx";

/** The fires of the next 24 hours, above the list. */
export function ForecastStrip({ slug }: { slug: string }) {
  const read = useQuery(forecastQuery(slug));
  const hours = read.data?.hours.slice(0, 24) ?? [];
  return (
    <>
      <StaleLine name="The forecast" read={read} />
      <section className={`${css.ahead} lg`} aria-label="Forecast">
        <h2>Forecast</h2>
        <span className="t3">fires per hour, next 24 h, {read.data?.timezone ?? ""}</span>
        <ButtonLink variant="link" href={paths.forecast(slug)}>
          7 days
        </ButtonLink>
        <ForecastGrid rows={[{ label: null, cells: hours.map((hour) => ({ ...hour, times: 1 })) }]} />
      </section>
    </>
  );
}
