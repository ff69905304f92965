import type { ReactNode } from "react";
import { paths } from "../../address/paths.ts";
import {
  contrastSetting,
  densities,
  railSetting,
  type Setting,
  setDensity,
  shortcutsSetting,
  themeSetting,
  useDensity,
  useSetting,
} from "../../ui/appearance.ts";
import { Segments } from "../../ui/buttons/Segments.tsx";
import panel from "../../ui/panels/panel.module.css";
import { chooseZone, fullText, useZone, type ZoneChoice } from "../../ui/time/instants.ts";
import { useNow } from "../../ui/time/ticker.ts";
import { usePage } from "../../ui/title.ts";
import { AccountNav } from "./AccountNav.tsx";
import css from "./appearance.module.css";

/** How the dashboard looks and is worked with in this browser. Nothing of it is sent anywhere. */
export function AppearancePage() {
  usePage([["Projects", paths.home()], ["Appearance"]]);
  return (
    <>
      <div className={panel.head}>
        <h1>Appearance</h1>
      </div>
      <AccountNav />
      <div className={panel.page}>
        <p className="t2">Kept in this browser, and in force at once.</p>
        <dl className={css.settings}>
          <Row name="Theme" says="System follows the setting of your device.">
            <Choice legend="Theme" setting={themeSetting} />
          </Row>
          <Row name="Contrast" says="More makes quiet text as strong as the rest, and all lines as strong as edges.">
            <Choice legend="Contrast" setting={contrastSetting} />
          </Row>
          <Row name="Density" says="Of the task list: 32, 36 or 44 pixels.">
            <DensityChoice />
          </Row>
          <ZoneRow />
          <Row name="Rail" says="The list of pages at the left of a project, with or without its words.">
            <Choice legend="Rail" setting={railSetting} />
          </Row>
          <Row
            name="Shortcuts of a single key"
            says="Such as / for the filter or g t for the tasks. Switch them off if you speak your input, or press keys by accident. Escape, Enter, arrows and Ctrl or Command with K always work."
          >
            <Choice legend="Shortcuts of a single key" setting={shortcutsSetting} />
          </Row>
        </dl>
      </div>
    </>
  );
}

function Row({ name, says, children }: { name: string; says: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>
        <b>{name}</b>
        <span className="t2">{says}</span>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

function Choice<Value extends string>({ legend, setting }: { legend: string; setting: Setting<Value> }) {
  const value = useSetting(setting);
  const options = setting.values.map((one) => ({ value: one, label: one }));
  return <Segments legend={legend} value={value} options={options} onChange={setting.set} />;
}

function DensityChoice() {
  const options = densities.map((value) => ({ value, label: value }));
  return <Segments legend="Density" value={useDensity()} options={options} onChange={setDensity} />;
}

const zones: readonly { value: ZoneChoice; label: string }[] = [
  { value: "utc", label: "UTC" },
  { value: "mine", label: "mine" },
  { value: "project", label: "project" },
];

function ZoneRow() {
  const { choice, zone } = useZone();
  const now = useNow();
  return (
    <Row
      name="Times"
      says={
        <>
          In UTC, in this browser's zone, or in the zone of the project on screen. Now it is{" "}
          <time>{fullText(now, zone).slice(0, 16)}</time> {zone}.
        </>
      }
    >
      <Segments legend="Times" value={choice} options={zones} onChange={chooseZone} />
    </Row>
  );
}
