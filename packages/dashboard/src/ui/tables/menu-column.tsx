import type { ReactNode } from "react";
import { Icon } from "../Icon.tsx";
import { Menu } from "../layers/Layers.tsx";
import panel from "../panels/panel.module.css";
import type { Column } from "./columns.tsx";

/** The last column of a table: a menu of row actions, with the row's name in the button's label. */
export function menuColumn<Row>(nameOf: (row: Row) => string, entries: (row: Row) => ReactNode): Column<Row> {
  return {
    header: "Actions",
    isHeaderHidden: true,
    className: panel.acts,
    cell: (row) => {
      const label = `Actions of ${nameOf(row)}`;
      return (
        <Menu label={label} variant="icon" buttonLabel={label} button={<Icon name="more" />}>
          {() => entries(row)}
        </Menu>
      );
    },
  };
}
