export { SchedulersPanel } from "./SchedulersPanel.tsx";
