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

/** Display settings of the dashboard. They stay in this browser. */
export function AppearancePage() {
  usePage([["Projects", paths.home()], ["Appearance"]]);
  return (
    <>
      <div className={panel.head}>
        <h1>Appearance</h1>
      </div>
      <AccountNav />
      <div className={panel.page}>
        <p className="t2">Saved in this browser. Changes apply immediately.</p>
        <dl className={css.settings}>
          <Row name="Theme" text="“System” follows your device's setting.">
            <Choice legend="Theme" setting={themeSetting} />
          </Row>
          <Row name="Contrast" text="“More” makes secondary text and borders easier to see.">
            <Choice legend="Contrast" setting={contrastSetting} />
          </Row>
          <Row name="Density" text="Row height of the task list: 32, 36 or 44 px.">
            <DensityChoice />
          </Row>
          <ZoneRow />
          <Row name="Sidebar" text="The navigation on the left of a project, with or without labels.">
            <Choice legend="Sidebar" setting={railSetting} />
          </Row>
          <Row
            name="Single-key shortcuts"
            text="For example / for the filter, or g t for tasks. Turn them off if you use speech input or press keys by accident. Escape, Enter, arrow keys and Ctrl or Command+K always work."
          >
            <Choice legend="Single-key shortcuts" setting={shortcutsSetting} />
          </Row>
        </dl>
      </div>
    </>
  );
}

function Row({ name, text, children }: { name: string; text: ReactNode; children: ReactNode }) {
  return (
    <div>
      <dt>
        <b>{name}</b>
        <span className="t2">{text}</span>
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
  { value: "mine", label: "local" },
  { value: "project", label: "project" },
];

function ZoneRow() {
  const { choice, zone } = useZone();
  const now = useNow();
  return (
    <Row
      name="Times"
      text={
        <>
          In UTC, in this browser's time zone, or in the current project's. It is now{" "}
          <time>{fullText(now, zone).slice(0, 16)}</time> {zone}.
        </>
      }
    >
      <Segments legend="Times" value={choice} options={zones} onChange={chooseZone} />
    </Row>
  );
}
