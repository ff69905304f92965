import { plural, type ScheduleDetail } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import controls from "../../../ui/controls.module.css";
import { Panel, PanelEmpty } from "../../../ui/panels/Panel.tsx";
import { FireStrip } from "../fires/FireStrip.tsx";
import { stripCells, stripCounts } from "../fires/strip-cells.ts";
import { missedBySchedule } from "../misfires/missed-slots.ts";
import { ownMisfiresQuery, runsQuery } from "../queries.ts";
import css from "../schedules.module.css";

/** What the edited schedule fired until now. */
export function SoFarPanel({ slug, schedule: { id } }: { slug: string; schedule: ScheduleDetail }) {
  const runs = useQuery(runsQuery(slug, [id]));
  const misfires = useQuery(ownMisfiresQuery(slug, id));
  const missed = missedBySchedule(misfires.data ?? []).get(id) ?? [];
  return (
    <Panel
      title="So far"
      read={runs}
      rows={1}
      empty={({ items }) =>
        (items[0]?.fires.length ?? 0) + missed.length > 0 ? null : (
          <PanelEmpty kind="none-yet">It hasn't fired yet.</PanelEmpty>
        )
      }
    >
      {({ items }) => {
        const cells = stripCells(items[0]?.fires ?? [], missed);
        return (
          <div className={`${controls.rows} ${css.fields}`}>
            <div className={css.key}>
              <FireStrip cells={cells} />
              <AppLink href={paths.schedule(slug, id)}>
                Last {plural(cells.length, "slot")}: {stripCounts(cells)}
              </AppLink>
            </div>
            <p className={controls.hint}>
              Saving a new time computes the next run from now on. Fires that were missed before are not made up.
            </p>
          </div>
        );
      }}
    </Panel>
  );
}
