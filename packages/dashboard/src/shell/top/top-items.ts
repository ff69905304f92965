import type { ComponentType } from "react";
import { ConnectionChip } from "./ConnectionChip.tsx";
import { ThemeSwitch } from "./ThemeSwitch.tsx";
import type { TopItemProps } from "./top-item.ts";
import { UserMenu } from "./UserMenu.tsx";

/** The items at the end of the top bar, in order. */
export const topItems: readonly { readonly id: string; readonly Item: ComponentType<TopItemProps> }[] = [
  { id: "connection", Item: ConnectionChip },
  { id: "theme", Item: ThemeSwitch },
  { id: "user", Item: UserMenu },
];
