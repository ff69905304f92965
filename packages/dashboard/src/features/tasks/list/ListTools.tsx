import { densities, setDensity, useDensity, useIsPhone } from "../../../ui/appearance.ts";
import { Button } from "../../../ui/buttons/Button.tsx";
import controls from "../../../ui/controls.module.css";
import { Icon } from "../../../ui/Icon.tsx";
import { Menu, menuItem, menuLabel, menuRule } from "../../../ui/layers/Layers.tsx";
import { maximumPerSecond } from "../following/tail-pace.ts";
import type { TaskList } from "../following/use-task-list.ts";
import css from "../list.module.css";
import { ColumnsMenu, PhoneColumns } from "../views/ColumnsMenu.tsx";
import type { ColumnChoice } from "../views/use-columns.ts";

interface ListToolsProps {
  columns: ColumnChoice;
  list: TaskList;
  follows: boolean;
  isTop: boolean;
  onFollow: (follows: boolean) => void;
  /** Why updates are paused; null if they aren't. */
  frozen: string | null;
  onRelease: () => void;
  onExport: () => void;
}

/** Display and update options of the list, and the export. */
export function ListTools(props: ListToolsProps) {
  const { columns, frozen, onRelease } = props;
  const density = useDensity();
  return (
    <span className={css.tools}>
      {useIsPhone() ? (
        <Menu
          label="Density, columns and export"
          buttonLabel="Density, columns and export"
          button={<Icon name="columns" />}
        >
          <p className={menuLabel}>Density</p>
          <RowHeights />
          <hr className={menuRule} />
          <p className={menuLabel}>Row details</p>
          <PhoneColumns choice={columns} />
          <hr className={menuRule} />
          <button type="button" data-entry="" className={menuItem} onClick={props.onExport}>
            Export tasks
          </button>
        </Menu>
      ) : (
        <>
          <ColumnsMenu choice={columns} />
          <Menu
            label="Density"
            button={
              <>
                <Icon name="density" />
                Density: {density}
              </>
            }
          >
            <RowHeights />
          </Menu>
          <Button variant="tool" icon="download" title="Save the matching tasks as a file" onClick={props.onExport}>
            Export
            <span className="vh">tasks</span>
          </Button>
        </>
      )}
      {frozen === null ? (
        <Follow {...props} />
      ) : (
        <Button
          variant="tool"
          icon="pause"
          className={controls.held}
          aria-label="Updates paused"
          title={`${frozen}. Click to resume.`}
          onClick={onRelease}
        >
          <span className="lg">Updates paused</span>
        </Button>
      )}
      <span className="vh" role="status">
        {frozen ?? ""}
      </span>
    </span>
  );
}

function RowHeights() {
  const density = useDensity();
  return densities.map((one) => (
    <button
      key={one}
      type="button"
      data-entry=""
      className={menuItem}
      aria-pressed={one === density}
      onClick={() => setDensity(one)}
    >
      <span className="grow">{one}</span>
      {one === density ? <Icon name="check" /> : null}
    </button>
  ));
}

function Follow({ list, follows, isTop, onFollow }: ListToolsProps) {
  const isFlooded = follows && list.isFlooded;
  const label = isFlooded
    ? `Live tail paused: over ${maximumPerSecond} new tasks per second`
    : follows && !isTop
      ? "Live tail: scroll to top"
      : "Live tail";
  return (
    <Button
      variant="tool"
      icon={isFlooded ? "pause" : "play"}
      className={isFlooded ? controls.held : undefined}
      aria-label={label}
      aria-pressed={follows && !isFlooded}
      title={isFlooded ? "Resume live tail" : "Show new tasks as they arrive while the list is at the top"}
      onClick={() => (isFlooded ? list.followAgain() : onFollow(!follows))}
    >
      <span className={isFlooded ? "" : "lg"}>{label}</span>
    </Button>
  );
}
