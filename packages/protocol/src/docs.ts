export { schedulerContractDocument } from "./scheduler/contract-document.ts";
