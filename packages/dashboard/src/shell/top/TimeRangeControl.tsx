import { type FormEvent, useState } from "react";
import { boundsOf, instantRange, presets, type RangeFallback } from "../../address/range-bounds.ts";
import { useAddressRange, useSetTimeRange, useShownFallback } from "../../address/time-range.ts";
import { Button, buttonClass } from "../../ui/buttons/Button.tsx";
import { Segments } from "../../ui/buttons/Segments.tsx";
import { Field } from "../../ui/forms/Field.tsx";
import { dialogFoot, Menu, menuItem, menuLabel, menuRule } from "../../ui/layers/Layers.tsx";
import { chooseZone, minuteText, useZone, zonedMs } from "../../ui/time/instants.ts";
import css from "./range.module.css";
import { zoneOptions } from "./zones.ts";

/** The project's time range, kept in the URL. Shown on pages that use it. */
export function TimeRangeControl() {
  const fallback = useShownFallback();
  return fallback === null ? null : <Control key={fallback} fallback={fallback} />;
}

function Control({ fallback }: { fallback: RangeFallback }) {
  const address = useAddressRange();
  const setRange = useSetTimeRange();
  const { zone, choice } = useZone();
  const isUnset = address.since === undefined && address.until === undefined;
  const chosen = isUnset ? fallback : address.until === undefined ? address.since : undefined;
  const options = [
    ...presets.map(({ since, label, text }) => ({ value: since as string, label, title: `The ${text}` })),
    ...(fallback === "all" ? [{ value: "all", label: "all", title: "No time limit" }] : []),
  ];
  const preset = options.find((option) => option.value === chosen);
  const choose = (value: string) => setRange(value === "all" ? {} : { since: value });

  return (
    <div className={css.range}>
      <Segments className="lg" legend="Time range" value={preset?.value ?? null} options={options} onChange={choose} />
      <Menu
        label="Time range"
        place={css.rangepop}
        buttonClass={buttonClass({ variant: "tool", className: preset ? css.custom : `${css.custom} ${css.chosen}` })}
        openedBy="."
        button={
          <>
            <span className="sm">
              <span className="vh">Time range and zone: </span>
              {preset?.label ?? "custom"} · {zoneOptions.find(({ value }) => value === choice)?.label}
            </span>
            <span className="lg">
              <span className="vh">Time range: </span>custom
            </span>
          </>
        }
      >
        {() => (
          <>
            <p className={menuLabel}>Time range</p>
            {options.map(({ value, label, title }) => (
              <button
                key={value}
                type="button"
                data-entry=""
                className={menuItem}
                aria-pressed={value === chosen}
                title={title}
                onClick={() => choose(value)}
              >
                <span className="grow">{value === "all" ? "all time" : title.replace("The ", "")}</span>
                <span className="t3">{label}</span>
              </button>
            ))}
            <div className={`${css.zone} sm flex`}>
              <span className="t3">Times in</span>
              <Segments legend="Time zone" value={choice} options={zoneOptions} onChange={chooseZone} />
            </div>
            <hr className={menuRule} />
            <CustomRange key={`${address.since} ${address.until} ${zone}`} fallback={fallback} />
          </>
        )}
      </Menu>
    </div>
  );
}

/** Start and end in the chosen zone; the end is optional. Initialised when the menu opens. */
function CustomRange({ fallback }: { fallback: RangeFallback }) {
  const address = useAddressRange();
  const setRange = useSetTimeRange();
  const { zone, label } = useZone();
  const [shown] = useState(() => boundsOf(address, fallback, Date.now()));
  const local = (at: number) => minuteText(at, zone).replace(" ", "T");
  const [from, setFrom] = useState(shown.sinceMs === null ? "" : local(shown.sinceMs));
  const [to, setTo] = useState(shown.isOpen ? "" : local(shown.untilMs));
  const [error, setError] = useState<string | null>(null);

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fromMs = zonedMs(from, zone);
    const toMs = zonedMs(to, zone);
    if (Number.isNaN(fromMs)) return setError("Enter a start time.");
    if (to !== "" && !(toMs > fromMs)) return setError("The end must be after the start.");
    if (to === "" && fromMs >= Date.now()) return setError("The start must be in the past.");
    const range = instantRange(fromMs, to === "" ? fromMs : toMs);
    setRange(to === "" ? { since: range.since ?? "" } : range);
    event.currentTarget.closest<HTMLElement>("[popover]")?.hidePopover();
  };

  return (
    <form className={css.rangeform} onSubmit={submit} noValidate>
      <Field
        label={`From, ${label}`}
        type="datetime-local"
        step={1}
        value={from}
        error={error}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <Field
        label={`To, ${label}`}
        type="datetime-local"
        step={1}
        value={to}
        hint="Leave empty for the current time"
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <div className={dialogFoot}>
        <Button type="submit" variant="main">
          Apply
        </Button>
      </div>
    </form>
  );
}
