import { type Static, Type } from "typebox";

const maxDays = 36_500;

export const auditSettings = Type.Object({
  SVC_AUDIT_RETENTION_DAYS: Type.Integer({
    default: 90,
    minimum: 1,
    maximum: maxDays,
    description: "days an audit row is kept",
  }),
  SVC_AUDIT_RETENTION_BY_CLASS: Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: maxDays }), {
    default: {},
    description:
      'JSON object of class to days, where a class is the first dotted part of an action: {"auth":30}. Rows go oldest first only, so the first one that must stay keeps all behind it',
  }),
  SVC_AUDIT_RETENTION_SWEEP_INTERVAL_SECONDS: Type.Integer({
    default: 3600,
    minimum: 60,
    maximum: 86_400,
    description: "seconds between two looks for audit rows past their days",
  }),
  SVC_AUDIT_RETENTION_SWEEP_BATCH_SIZE: Type.Integer({
    default: 5000,
    minimum: 100,
    maximum: 100_000,
    description: "audit rows that one transaction removes at most",
  }),
  SVC_AUDIT_RETENTION_SWEEP_MAX_PER_PASS: Type.Integer({
    default: 200_000,
    minimum: 1000,
    maximum: 10_000_000,
    description: "audit rows that one look removes at most",
  }),
  SVC_AUDIT_CHAIN_VERIFY_ENABLED: Type.Boolean({
    default: false,
    description: "verify the whole audit chain again and again, in one process of all",
  }),
  SVC_AUDIT_CHAIN_VERIFY_INTERVAL_SECONDS: Type.Integer({
    default: 86_400,
    minimum: 900,
    maximum: 604_800,
    description: "seconds between two verifications of the audit chain",
  }),
});
export type AuditSettings = Static<typeof auditSettings>;
