import { Button } from "../../../ui/buttons/Button.tsx";
import { Check } from "../../../ui/buttons/Checkbox.tsx";
import controls from "../../../ui/controls.module.css";
import { Icon } from "../../../ui/Icon.tsx";
import { Menu, menuItem, menuRule } from "../../../ui/layers/Layers.tsx";
import css from "../list.module.css";
import { type ColumnId, columnFacts, columnIds, moved, phoneColumns, resized, toggled, widthOf } from "./columns.ts";
import type { ColumnChoice } from "./use-columns.ts";

const stepRem = 1;

/** Selects, reorders and resizes the columns, by pointer or keyboard. */
export function ColumnsMenu({ choice }: { choice: ColumnChoice }) {
  return (
    <Menu
      label="Columns"
      button={
        <>
          <Icon name="columns" />
          Columns
        </>
      }
    >
      {() => <Columns choice={choice} />}
    </Menu>
  );
}

/** The columns of a phone row, besides state and name. */
export function PhoneColumns({ choice: { layout, change } }: { choice: ColumnChoice }) {
  return phoneColumns.slice(2).map((id) => {
    const isShown = layout.shown.includes(id);
    return (
      <button
        key={id}
        type="button"
        data-entry=""
        data-stay=""
        className={menuItem}
        aria-pressed={isShown}
        onClick={() => change(toggled(layout, id))}
      >
        <span className="grow">{columnFacts[id].label}</span>
        {isShown ? <Icon name="check" /> : null}
      </button>
    );
  });
}

function Columns({ choice }: { choice: ColumnChoice }) {
  const { layout, change, reset, isDefault } = choice;
  const hidden = columnIds.filter((id) => !layout.shown.includes(id));
  const place = (id: ColumnId) => layout.shown.indexOf(id);
  return (
    <>
      <ul className={css.columns}>
        {[...layout.shown, ...hidden].map((id) => {
          const isShown = layout.shown.includes(id);
          const { label } = columnFacts[id];
          return (
            <li key={id}>
              <Check
                className={`${controls.check} grow`}
                data-entry=""
                data-stay=""
                checked={isShown}
                aria-disabled={id === "name"}
                onChange={() => change(toggled(layout, id))}
              >
                {label}
              </Check>
              {isShown ? (
                <>
                  <Step icon="up" name={`${label}: move up`} onStep={() => change(moved(layout, id, place(id) - 1))} />
                  <Step
                    icon="down"
                    name={`${label}: move down`}
                    onStep={() => change(moved(layout, id, place(id) + 1))}
                  />
                  <Step
                    icon="minus"
                    name={`${label}: narrower`}
                    onStep={() => change(resized(layout, id, widthOf(layout, id) - stepRem))}
                  />
                  <Step
                    icon="plus"
                    name={`${label}: wider`}
                    onStep={() => change(resized(layout, id, widthOf(layout, id) + stepRem))}
                  />
                </>
              ) : null}
            </li>
          );
        })}
      </ul>
      <hr className={menuRule} />
      <button type="button" data-entry="" className={menuItem} aria-disabled={isDefault} onClick={reset}>
        Reset columns
      </button>
    </>
  );
}

function Step({ icon, name, onStep }: { icon: string; name: string; onStep: () => void }) {
  return (
    <Button
      variant="icon"
      icon={icon}
      aria-label={name}
      title={name}
      onClick={({ currentTarget: button }) => {
        onStep();
        // An item that moves in the list loses focus.
        requestAnimationFrame(() => button.focus());
      }}
    />
  );
}
