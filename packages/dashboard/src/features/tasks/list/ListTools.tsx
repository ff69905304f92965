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
  /** Why the rows stay as they are; null while they are renewed. */
  held: string | null;
  onRelease: () => void;
  onExport: () => void;
}

/** What changes how the list looks and lives, and not what is in it. */
export function ListTools(props: ListToolsProps) {
  const { columns, held, onRelease } = props;
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
          <p className={menuLabel}>In each row</p>
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
      {held === null ? (
        <Follow {...props} />
      ) : (
        <Button
          variant="tool"
          icon="pause"
          className={controls.held}
          aria-label="Updates paused"
          title={`${held}. Press to let go`}
          onClick={onRelease}
        >
          <span className="lg">Updates paused</span>
        </Button>
      )}
      <span className="vh" role="status">
        {held === null ? "" : held}
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
  const words = isFlooded
    ? `Live tail paused: over ${maximumPerSecond} new tasks per second`
    : follows && !isTop
      ? "Live tail waits for the top"
      : "Live tail";
  return (
    <Button
      variant="tool"
      icon={isFlooded ? "pause" : "play"}
      className={isFlooded ? controls.held : undefined}
      aria-label={words}
      aria-pressed={follows && !isFlooded}
      title={isFlooded ? "Resume live tail" : "Show new tasks as they arrive while the list is at the top"}
      onClick={() => (isFlooded ? list.followAgain() : onFollow(!follows))}
    >
      <span className={isFlooded ? "" : "lg"}>{words}</span>
    </Button>
  );
}
