export interface TopItemProps {
  /** Whether the current page belongs to a project. */
  hasProject: boolean;
}
