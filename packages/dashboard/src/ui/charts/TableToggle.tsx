import { Button } from "../buttons/Button.tsx";

/** Switches between chart and table. `name` is the chart's, to keep the button's name unique. */
export function TableToggle({
  name,
  isTable,
  onChange,
}: {
  name: string;
  isTable: boolean;
  onChange: (isTable: boolean) => void;
}) {
  const text = isTable ? "Show chart" : "Show table";
  return (
    <Button variant="link" aria-label={`${text}: ${name}`} onClick={() => onChange(!isTable)}>
      {text}
    </Button>
  );
}
