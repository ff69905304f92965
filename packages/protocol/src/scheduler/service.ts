import { fromJSON, type ServiceDefinition } from "@grpc/proto-loader";
import protobuf from "protobufjs";
import { schedulerProto } from "./proto.ts";

/** The service of the contract for gRPC servers and clients. Its messages have the shapes of messages.ts. */
export function schedulerServiceDefinition(): ServiceDefinition {
  const { root } = protobuf.parse(schedulerProto, { keepCase: true });
  const timestamp = protobuf.common.get("google/protobuf/timestamp.proto");
  if (timestamp?.nested) root.addJSON(timestamp.nested);
  const loaded = fromJSON(root.toJSON(), {
    keepCase: true,
    longs: Number,
    enums: String,
    defaults: true,
    oneofs: true,
  });
  return loaded["svc.scheduler.v1.SchedulerService"] as ServiceDefinition;
}
