import { type Static, Type } from "typebox";

const maxDays = 36_500;

export const auditSettings = Type.Object({
  SVC_AUDIT_RETENTION_DAYS: Type.Integer({
    default: 90,
    minimum: 1,
    maximum: maxDays,
    description: "days to keep audit rows",
  }),
  SVC_AUDIT_RETENTION_BY_CLASS: Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: maxDays }), {
    default: {},
    description:
      'JSON object of days by class, such as {"auth":30}; a class is the part of an action before its first dot. Rows are removed oldest first, so a row that must stay also keeps all newer rows',
  }),
  SVC_AUDIT_RETENTION_SWEEP_INTERVAL_SECONDS: Type.Integer({
    default: 3600,
    minimum: 60,
    maximum: 86_400,
    description: "interval between audit retention sweeps, in seconds",
  }),
  SVC_AUDIT_RETENTION_SWEEP_BATCH_SIZE: Type.Integer({
    default: 5000,
    minimum: 100,
    maximum: 100_000,
    description: "maximum audit rows removed in one transaction",
  }),
  SVC_AUDIT_RETENTION_SWEEP_MAX_PER_PASS: Type.Integer({
    default: 200_000,
    minimum: 1000,
    maximum: 10_000_000,
    description: "maximum audit rows removed in one sweep",
  }),
  SVC_AUDIT_CHAIN_VERIFY_ENABLED: Type.Boolean({
    default: false,
    description: "verify the whole audit chain periodically, in one of the processes",
  }),
  SVC_AUDIT_CHAIN_VERIFY_INTERVAL_SECONDS: Type.Integer({
    default: 86_400,
    minimum: 900,
    maximum: 604_800,
    description: "interval between verifications of the audit chain, in seconds",
  }),
});
export type AuditSettings = Static<typeof auditSettings>;
