export interface TopItemProps {
  /** The bar stands above a page of a project. */
  hasProject: boolean;
}
