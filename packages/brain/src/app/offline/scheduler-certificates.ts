export {
  type MintedCertificate,
  MintRefused,
  maxValidityDays,
  mintCertificate,
} from "../../features/scheduler-grpc/index.ts";
