import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { matchesWords, useListFilter } from "../../../address/list-filter.ts";
import { paths } from "../../../address/paths.ts";
import { type PageLoader, readAhead } from "../../../api/read-ahead.ts";
import { usePollMs } from "../../../live/live.ts";
import { Button, ButtonLink } from "../../../ui/buttons/Button.tsx";
import { FilterBox } from "../../../ui/forms/FilterBox.tsx";
import { Empty } from "../../../ui/panels/Lines.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { StaleLine } from "../../../ui/panels/QueryBoundary.tsx";
import { WindowTable } from "../../../ui/tables/WindowTable.tsx";
import { count } from "../../../ui/time/format.ts";
import { usePage } from "../../../ui/title.ts";
import { misfireRows, misfiresQuery } from "../queries.ts";
import { misfireColumns, misfireKey } from "./misfire-columns.tsx";

export const loader: PageLoader<{ slug: string }> = ({ params: { slug } }) => readAhead(misfiresQuery(slug));

/** Slots that were not fired in time, and runs over the limits of their schedule, newest first. */
export function MisfiresPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/schedules/misfires" });
  usePage([[slug, paths.project(slug)], ["Schedules", paths.schedules(slug)], ["Misfires"]]);
  const [filter, setFilter] = useListFilter();
  const read = useSuspenseQuery({ ...misfiresQuery(slug), refetchInterval: usePollMs() });
  const all = read.data;
  const rows = all.filter(({ name, engine }) => matchesWords(filter, [name, engine]));
  return (
    <>
      <div className={panel.head}>
        <h1>Misfires</h1>
        <span className="t3 grow">
          Slots that were not fired in time, and runs that exceeded a limit of their schedule, newest first
        </span>
        {all.length > 0 ? <FilterBox label="Filter misfires" value={filter} onChange={setFilter} /> : null}
      </div>
      <StaleLine name="Misfires" read={read} />
      {all.length === 0 ? (
        <Empty title="No misfires" chips={<ButtonLink href={paths.schedules(slug)}>View schedules</ButtonLink>}>
          <p>Every slot was fired in time. Misfires appear here, for example when no scheduler is running.</p>
        </Empty>
      ) : rows.length === 0 ? (
        <Empty title="No misfires match" chips={<Button onClick={() => setFilter("")}>Clear filter</Button>}>
          <p>No misfire has this text in the name or engine of its schedule.</p>
        </Empty>
      ) : (
        <WindowTable
          label="Misfires"
          size="wide"
          rows={rows}
          rowKey={misfireKey}
          isOpenEnded={all.length === misfireRows}
          rowPx={45}
          columns={misfireColumns(slug)}
        >
          {all.length === misfireRows ? (
            <p className={panel.foot}>The newest {count(misfireRows)} misfires. Older ones are not shown.</p>
          ) : null}
        </WindowTable>
      )}
    </>
  );
}
