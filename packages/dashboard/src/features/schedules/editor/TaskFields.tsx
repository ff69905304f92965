import { priorities } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import controls from "../../../ui/controls.module.css";
import { AreaField, Field } from "../../../ui/forms/Field.tsx";
import { bytesOf } from "../../../ui/forms/json-inputs.ts";
import { ChoiceField } from "../../../ui/forms/Select.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import { bytes } from "../../../ui/time/format.ts";
import { agentsQuery } from "../../agents/index.ts";
import { queuesQuery } from "../../queues/index.ts";
import css from "../schedules.module.css";
import type { FieldsProps } from "./schedule-form.ts";

/** Name, engine and queue, with what agents have reported as suggestions. */
export function NameFields({ slug, form, errors, set }: FieldsProps) {
  const agents = useQuery(agentsQuery(slug)).data?.items ?? [];
  const queues = useQuery(queuesQuery(slug)).data?.items ?? [];
  const engines = [...new Set(agents.flatMap((agent) => agent.engine_adapters))].sort();
  const [engineList, queueList] = [useId(), useId()];
  return (
    <PanelFrame title="Schedule">
      <div className={`${controls.rows} ${css.fields}`}>
        <Field
          label="Name"
          maxLength={200}
          autoComplete="off"
          placeholder="billing.close_day"
          value={form.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          error={errors.name}
        />
        <div className={css.pair}>
          <Field
            label="Engine"
            maxLength={40}
            list={engineList}
            autoComplete="off"
            placeholder="bullmq"
            value={form.engine}
            onChange={(event) => set({ engine: event.currentTarget.value })}
            error={errors.engine}
          />
          <Suggestions id={engineList} of={engines} />
          <Field
            label="Queue"
            maxLength={200}
            list={queueList}
            autoComplete="off"
            placeholder="Default of the engine"
            value={form.queue}
            onChange={(event) => set({ queue: event.currentTarget.value })}
            error={errors.queue}
          />
          <Suggestions
            id={queueList}
            of={queues.filter(({ engine }) => form.engine === "" || engine === form.engine).map(({ name }) => name)}
          />
        </div>
      </div>
    </PanelFrame>
  );
}

function Suggestions({ id, of }: { id: string; of: readonly string[] }) {
  return (
    <datalist id={id}>
      {of.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}

/** The task that is started, with its arguments. */
export function TaskFields({ form, errors, set }: FieldsProps) {
  return (
    <PanelFrame title="Task">
      <div className={`${controls.rows} ${css.fields}`}>
        <div className={css.pair}>
          <Field
            label="Task name"
            maxLength={500}
            autoComplete="off"
            spellCheck={false}
            value={form.task_name}
            onChange={(event) => set({ task_name: event.currentTarget.value })}
            error={errors.task_name}
          />
          <ChoiceField
            label="Priority"
            value={form.priority}
            options={priorities}
            onChange={(priority) => set({ priority })}
            error={errors.priority}
          />
        </div>
        <AreaField
          label="Keyword arguments (kwargs), a JSON object"
          rows={3}
          spellCheck={false}
          value={form.kwargs}
          onChange={(event) => set({ kwargs: event.currentTarget.value })}
          hint={sizeText(form.kwargs)}
          error={errors.kwargs}
        />
        <AreaField
          label="Positional arguments (args), a JSON list"
          rows={2}
          spellCheck={false}
          value={form.args}
          onChange={(event) => set({ args: event.currentTarget.value })}
          hint={sizeText(form.args)}
          error={errors.args}
        />
      </div>
    </PanelFrame>
  );
}

const sizeText = (text: string): string => `${bytes(bytesOf(text))} of 64 KB`;
