/** The contract between the service and its schedulers, as a file of protocol buffers. docs/reference prints it. */
export const schedulerProto = `// The contract between the service and its schedulers. The service implements it; schedulers call it over mutual TLS.
syntax = "proto3";

package svc.scheduler.v1;

import "google/protobuf/timestamp.proto";

service SchedulerService {
  // Versions and the time of the service.
  rpc Ping(PingRequest) returns (PingResponse);
  // Every schedule of the projects in one consistent read: a header, a frame per schedule, and the digest of all.
  rpc ListScheduleSnapshot(SnapshotRequest) returns (stream SnapshotFrame);
  // Changes after a revision, in order, and at least every 5 s how far the service has scanned.
  rpc WatchSchedules(WatchRequest) returns (stream WatchFrame);
  // Fires a slot. A repeated request with the same fire_id returns the stored answer.
  rpc FireSchedule(FireScheduleRequest) returns (FireScheduleResponse);
  // Fires up to 250 slots, each as FireSchedule does; the results are in the order of the fires.
  rpc FireSchedules(FireSchedulesRequest) returns (FireSchedulesResponse);
  // Moves next_run_at over slots that are skipped.
  rpc AdvanceScheduleCursor(AdvanceCursorRequest) returns (AdvanceCursorResponse);
  // For schedulers that observe the work themselves: the outcome of a fire.
  rpc AcknowledgeFireResult(AcknowledgeRequest) returns (AcknowledgeResponse);
  // Stops a schedule that cannot be fired until an administrator releases it.
  rpc QuarantineSchedule(QuarantineRequest) returns (QuarantineResponse);
}

message PingRequest {}

message PingResponse {
  string brain_version = 1;
  google.protobuf.Timestamp brain_time = 2;
  uint32 contract_version = 3;
  string cadence_fingerprint = 4;
}

message Schedule {
  string id = 1;
  string project_id = 2;
  string engine = 3;
  string name = 4;
  string task_name = 5;
  string kind = 6;
  string expression = 7;
  string timezone = 8;
  string queue = 9;
  string priority = 10;
  // Canonical JSON.
  bytes args_json = 11;
  bytes kwargs_json = 12;
  bool is_enabled = 13;
  bool paused = 14;
  bool quarantined = 15;
  string catch_up = 16;
  string overlap_policy = 17;
  google.protobuf.Timestamp last_run_at = 18;
  google.protobuf.Timestamp next_run_at = 19;
  int64 total_runs = 20;
  int64 revision = 21;
  string control_token = 22;
  string definition_digest = 23;
  string cadence_fingerprint = 24;
}

message SnapshotRequest {
  // Empty for all projects that the certificate may see.
  repeated string project_ids = 1;
  // Rows read at once, 1 to 1000; 100 when unset.
  uint32 page_size = 2;
  // Above 1: at most that many schedules in one frame rows, up to 100. Otherwise each has its own frame row.
  uint32 rows_per_frame = 3;
  // The client has every change up to this revision: schedules that have not changed since come as cursors in frames rows. 0 for none.
  int64 known_through = 4;
}

message SnapshotFrame {
  oneof frame {
    SnapshotHeader header = 1;
    SnapshotRow row = 2;
    SnapshotComplete complete = 3;
    SnapshotRows rows = 4;
  }
}

message SnapshotHeader {
  string snapshot_id = 1;
  uint32 contract_version = 2;
}

message SnapshotRow {
  string snapshot_id = 1;
  Schedule schedule = 2;
}

message SnapshotRows {
  string snapshot_id = 1;
  // Either these or the cursors.
  repeated Schedule schedules = 2;
  repeated ScheduleCursor cursors = 3;
}

// A schedule that the client knows. Cursors move without a revision.
message ScheduleCursor {
  string id = 1;
  int64 revision = 2;
  google.protobuf.Timestamp next_run_at = 3;
}

message SnapshotComplete {
  string snapshot_id = 1;
  // The revision after which the watch continues.
  int64 watermark = 2;
  int64 row_count = 3;
  string digest = 4;
}

message WatchRequest {
  repeated string project_ids = 1;
  int64 after_revision = 2;
}

message WatchFrame {
  oneof frame {
    ScheduleChange change = 1;
    ScannedThrough scanned_through = 2;
    Gap gap = 3;
  }
}

enum ChangeKind {
  CHANGE_KIND_UNSPECIFIED = 0;
  UPSERT = 1;
  TOMBSTONE = 2;
}

message ScheduleChange {
  ChangeKind kind = 1;
  int64 revision = 2;
  string project_id = 3;
  string schedule_id = 4;
  // Unset for a tombstone.
  Schedule schedule = 5;
}

message ScannedThrough {
  int64 revision = 1;
  int64 server_revision = 2;
}

// The changes after the requested revision are no longer stored; take a new snapshot.
message Gap {}

enum Disposition {
  DISPOSITION_UNSPECIFIED = 0;
  ACCEPTED = 1;
  RETRY = 2;
  QUARANTINED = 3;
  SLOT_RESOLVED = 4;
  STALE_CONTROL = 5;
  SKIPPED_OVERLAP = 6;
  CADENCE_MISMATCH = 7;
}

message FireScheduleRequest {
  string schedule_id = 1;
  string fire_id = 2;
  google.protobuf.Timestamp scheduled_for = 3;
  google.protobuf.Timestamp fired_at = 4;
  string control_token = 5;
  string definition_digest = 6;
  int64 revision = 7;
  google.protobuf.Timestamp expected_next_run_at = 8;
  // Unset when no slot follows.
  google.protobuf.Timestamp prepared_next_run_at = 9;
  string cadence_fingerprint = 10;
  bool missed = 11;
}

message FireScheduleResponse {
  Disposition disposition = 1;
  string command_id = 2;
  bool buffered = 3;
  google.protobuf.Timestamp last_run_at = 4;
  google.protobuf.Timestamp next_run_at = 5;
  int64 total_runs = 6;
  Schedule live = 7;
  string error_code = 8;
  string error_message = 9;
}

message FireSchedulesRequest {
  repeated FireScheduleRequest fires = 1;
}

message FireSchedulesResponse {
  repeated FireOutcome results = 1;
}

message FireOutcome {
  oneof outcome {
    FireScheduleResponse answer = 1;
    // What FireSchedule fails with.
    FireRefusal refusal = 2;
  }
}

message FireRefusal {
  // A status code of gRPC.
  uint32 code = 1;
  string message = 2;
}

message AdvanceCursorRequest {
  string schedule_id = 1;
  string control_token = 2;
  string definition_digest = 3;
  int64 revision = 4;
  google.protobuf.Timestamp expected_next_run_at = 5;
  google.protobuf.Timestamp skipped_through = 6;
  uint32 skipped_count = 7;
  google.protobuf.Timestamp prepared_next_run_at = 8;
  string cadence_fingerprint = 9;
}

enum AdvanceDisposition {
  ADVANCE_DISPOSITION_UNSPECIFIED = 0;
  ADVANCE_APPLIED = 1;
  ADVANCE_IDEMPOTENT = 2;
  ADVANCE_SLOT_RESOLVED = 3;
  ADVANCE_STALE_CONTROL = 4;
  ADVANCE_CADENCE_MISMATCH = 5;
}

message AdvanceCursorResponse {
  AdvanceDisposition disposition = 1;
  google.protobuf.Timestamp next_run_at = 2;
  Schedule live = 3;
}

enum FireResult {
  FIRE_RESULT_UNSPECIFIED = 0;
  SUCCESS = 1;
  FAILED = 2;
  TIMEOUT = 3;
}

message AcknowledgeRequest {
  string fire_id = 1;
  FireResult status = 2;
  string error = 3;
  string new_task_id = 4;
}

message AcknowledgeResponse {
  bool applied = 1;
}

message QuarantineRequest {
  string schedule_id = 1;
  string control_token = 2;
  string reason_code = 3;
  string detail = 4;
}

enum QuarantineOutcome {
  QUARANTINE_OUTCOME_UNSPECIFIED = 0;
  QUARANTINE_APPLIED = 1;
  QUARANTINE_ALREADY_APPLIED = 2;
  QUARANTINE_STALE_CONTROL = 3;
  QUARANTINE_NOT_FOUND = 4;
}

message QuarantineResponse {
  QuarantineOutcome outcome = 1;
  int64 revision = 2;
}
`;
