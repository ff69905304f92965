import { Button } from "../buttons/Button.tsx";

/** Switches a chart between drawing and table. `name` tells one chart's switch from another's. */
export function TableToggle({
  name,
  isTable,
  onChange,
}: {
  name: string;
  isTable: boolean;
  onChange: (isTable: boolean) => void;
}) {
  const text = isTable ? "As chart" : "As table";
  return (
    <Button variant="link" aria-label={`${text}: ${name}`} onClick={() => onChange(!isTable)}>
      {text}
    </Button>
  );
}
