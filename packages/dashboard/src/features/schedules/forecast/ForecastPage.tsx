import { plural } from "@svc/client";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../../address/paths.ts";
import { type PageLoader, readAhead } from "../../../api/read-ahead.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { ButtonLink } from "../../../ui/buttons/Button.tsx";
import { TableToggle } from "../../../ui/charts/TableToggle.tsx";
import { Empty, NoteLine } from "../../../ui/panels/Lines.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { StaleLine } from "../../../ui/panels/QueryBoundary.tsx";
import { ScrollBox } from "../../../ui/panels/ScrollBox.tsx";
import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { count, nameText } from "../../../ui/time/format.ts";
import { usePage } from "../../../ui/title.ts";
import { RunTime } from "../Countdown.tsx";
import { forecastQuery } from "../queries.ts";
import css from "../schedules.module.css";
import { knownZone, runText, weekdayOf } from "../when.ts";
import { ForecastGrid } from "./ForecastGrid.tsx";
import { forecastDays } from "./forecast-grid.ts";
import { ScheduleNames } from "./ScheduleNames.tsx";

const hoursOfDay = Array.from({ length: 24 }, (_, hour) => hour);

export const loader: PageLoader<{ slug: string }> = ({ params: { slug } }) => readAhead(forecastQuery(slug));

/** What the schedules of the project will fire in the next seven days, and which of them fire in the same minute. */
export function ForecastPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/schedules/forecast" });
  usePage([[slug, paths.project(slug)], ["Schedules", paths.schedules(slug)], ["Forecast"]]);
  const read = useSuspenseQuery(forecastQuery(slug));
  const forecast = read.data;
  const zone = knownZone(forecast.timezone);
  const [isTable, setTable] = useState(false);
  const days = forecastDays(forecast.hours).map(({ date, cells }) => ({
    label: `${weekdayOf(Date.parse(date), "UTC")} ${date.slice(5)}`,
    cells,
  }));
  return (
    <>
      <div className={panel.head}>
        <h1>Forecast</h1>
        <span className="t3 grow">
          The next 7 days of {plural(forecast.schedule_count, "enabled schedule")}, in {forecast.timezone}
        </span>
      </div>
      <StaleLine name="The forecast" read={read} />
      {forecast.schedule_count === 0 ? (
        <Empty title="Nothing to forecast" chips={<ButtonLink href={paths.schedules(slug)}>View schedules</ButtonLink>}>
          <p>No schedule of this project that svc fires is enabled.</p>
        </Empty>
      ) : (
        <div className={`${panel.page} ${panel.stack}`}>
          {forecast.is_capped ? (
            <NoteLine>The project has more runs than a forecast counts. The numbers are too small.</NoteLine>
          ) : null}
          <PanelFrame
            title="Fires by hour"
            note="darker: more fires"
            actions={<TableToggle name="Fires by hour" isTable={isTable} onChange={setTable} />}
          >
            <ScrollBox label="Fires by hour">
              {isTable ? (
                <DataTable
                  size="dense"
                  rows={days}
                  rowKey={({ label }) => label}
                  columns={[
                    { header: "Day", isRowHeader: true, cell: ({ label }) => label },
                    ...hoursOfDay.map((hour) => ({
                      header: String(hour).padStart(2, "0"),
                      className: "num",
                      cell: ({ cells }: (typeof days)[number]) => (cells[hour]?.times ? cells[hour].fires : ""),
                    })),
                  ]}
                />
              ) : (
                <div className={css.fields}>
                  <ForecastGrid rows={days} />
                </div>
              )}
            </ScrollBox>
          </PanelFrame>
          <PanelFrame title="Same minute" note="minutes in which several schedules fire">
            {forecast.collisions.length === 0 ? (
              <p className={panel.foot}>No two schedules fire in the same minute.</p>
            ) : (
              <DataTable
                label="Same minute"
                rows={forecast.collisions}
                rowKey={({ at }) => at}
                columns={[
                  { header: "Minute", cell: ({ at }) => <RunTime at={at} zone={zone} /> },
                  { header: "Schedules", className: "num", cell: (one) => count(one.schedule_count) },
                  {
                    header: "Names",
                    cellClass: panel.named,
                    cell: (one) => <ScheduleNames slug={slug} schedules={one.schedules} count={one.schedule_count} />,
                  },
                  {
                    header: "Suggestion",
                    cell: ({ at, schedules, move }) =>
                      move === null ? (
                        <span className="t3">–</span>
                      ) : (
                        <AppLink
                          href={paths.editSchedule(slug, move.schedule_id, { expression: move.expression })}
                          title={`Opens the editor with ${move.expression}. Nothing else fires in that minute in the next 7 days.`}
                        >
                          Move {nameText(schedules.find(({ id }) => id === move.schedule_id)?.name ?? "one")} to{" "}
                          {runText(Date.parse(move.at), zone, Date.parse(at))}
                        </AppLink>
                      ),
                  },
                ]}
              />
            )}
          </PanelFrame>
        </div>
      )}
    </>
  );
}
