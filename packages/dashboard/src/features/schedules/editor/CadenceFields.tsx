import { Segments } from "../../../ui/buttons/Segments.tsx";
import controls from "../../../ui/controls.module.css";
import { Field } from "../../../ui/forms/Field.tsx";
import { ChoiceField } from "../../../ui/forms/Select.tsx";
import { ZoneField } from "../../../ui/forms/ZoneField.tsx";
import { Glyph } from "../../../ui/Icon.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import css from "../schedules.module.css";
import { type CadenceKind, cronParts, type FieldsProps, solarEvents, splitSolar } from "./schedule-form.ts";

const kindLabels: Readonly<Record<CadenceKind, string>> = {
  cron: "Cron",
  interval: "Interval",
  clocked: "Once",
  solar: "Sun",
};

const kinds = Object.entries(kindLabels).map(([value, label]) => ({ value: value as CadenceKind, label }));

/** When it fires. `description` is that of the last valid cadence. */
export function CadenceFields({ description, ...fields }: FieldsProps & { description: string | null | undefined }) {
  const { form, errors, set } = fields;
  return (
    <PanelFrame title="When">
      <div className={`${controls.rows} ${css.fields}`}>
        <div>
          <Segments legend="Kind" value={form.kind} options={kinds} onChange={(kind) => set({ kind })} />
        </div>
        <ExpressionFields {...fields} />
        {form.kind === "interval" ? null : (
          <ZoneField
            value={form.timezone}
            onChange={(timezone) => set({ timezone })}
            hint={
              form.kind === "clocked"
                ? "Of the date and time above."
                : "Its changes to and from daylight saving time apply."
            }
            error={errors.timezone}
          />
        )}
        <p role="status" className={css.words}>
          {errors.expression || errors.timezone || !description ? null : (
            <>
              <Glyph name="success" />
              <b>{description}</b>
            </>
          )}
        </p>
      </div>
    </PanelFrame>
  );
}

function ExpressionFields({ form, errors, set }: FieldsProps) {
  const { kind, expressions } = form;
  const expression = expressions[kind];
  const setExpression = (text: string) => set({ expressions: { ...expressions, [kind]: text } });
  const bound = {
    autoComplete: "off",
    spellCheck: false,
    maxLength: 1024,
    value: expression,
    onChange: (event: { currentTarget: { value: string } }) => setExpression(event.currentTarget.value),
    error: errors.expression,
  };
  switch (kind) {
    case "cron":
      return (
        <>
          <Field
            label="Expression"
            hint="Minute, hour, day, month, weekday, and optionally seconds last. Also @hourly, @daily, @weekly, @monthly, @yearly."
            {...bound}
          />
          <CronParts expression={expression} />
        </>
      );
    case "interval":
      return <Field label="Every (seconds)" inputMode="numeric" hint="1–31,536,000 seconds." {...bound} />;
    case "clocked":
      return isLocalTime(expression) ? (
        <Field label="Date and time" type="datetime-local" step={1} {...bound} />
      ) : (
        <Field label="Date and time" hint="Such as 2027-03-01T06:00." {...bound} />
      );
    case "solar": {
      const [event, latitude, longitude] = splitSolar(expression);
      const join = (...parts: string[]) => setExpression(parts.join(":"));
      return (
        <>
          <ChoiceField
            label="Event"
            value={event}
            options={[
              ...solarEvents.map((one) => [one, one.replace("_", " ")] as const),
              ...(isKnownEvent(event) ? [] : [event]),
            ]}
            onChange={(next) => join(next, latitude, longitude)}
            error={errors.expression}
          />
          <div className={css.pair}>
            <Field
              label="Latitude"
              inputMode="decimal"
              hint="-90 (south) to 90 (north)."
              value={latitude}
              onChange={({ currentTarget }) => join(event, currentTarget.value, longitude)}
            />
            <Field
              label="Longitude"
              inputMode="decimal"
              hint="-180 (west) to 180 (east)."
              value={longitude}
              onChange={({ currentTarget }) => join(event, latitude, currentTarget.value)}
            />
          </div>
        </>
      );
    }
  }
}

const isKnownEvent = (event: string): boolean => solarEvents.some((one) => one === event);

/** What a browser's field for date and time can show. */
const isLocalTime = (text: string): boolean => /^(\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?)?$/.test(text);

function CronParts({ expression }: { expression: string }) {
  const parts = cronParts(expression);
  if (parts.length === 0) return null;
  return (
    <dl className={css.parts} aria-label="Parts of the expression">
      {parts.map(({ text, name }) => (
        <div key={name}>
          <dt className="mono">{text}</dt>
          <dd>{name}</dd>
        </div>
      ))}
    </dl>
  );
}
