/** A place in the write-ahead log of a server, in bytes: whatever was committed before it is written further down. */
export type WalPosition = number;

/** SQL for how far a server has written; null where it is a replica. */
export const WRITTEN = `(case when not pg_is_in_recovery() then pg_current_wal_lsn() end - '0/0'::pg_lsn)::bigint`;

/** SQL for how far a server has come: what a replica has replayed, and any other has written. */
export const REACHED = `(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end
  - '0/0'::pg_lsn)::bigint`;

/** Where the primary was at which time, so that no two clocks need be compared to say how old a replica is. */
interface WalHistory {
  /** The primary had written so far at a time or later. */
  note(time: number, position: WalPosition): void;
  /** The last known time whose commits are all before this position; null where none is known. */
  timeOf(position: WalPosition): number | null;
}

const KEPT = 120;

/** Moments are any that only grow. A primary that is behind the last one is another: what that one wrote counts no more. */
export function createWalHistory(): WalHistory {
  let noted: { time: number; position: WalPosition }[] = [];
  return {
    note(time, position) {
      const last = noted.at(-1);
      if (last && position < last.position) noted = [];
      else if (last?.position === position) noted.pop();
      noted.push({ time, position });
      if (noted.length > KEPT) noted.shift();
    },
    timeOf: (position) => noted.findLast((one) => one.position <= position)?.time ?? null,
  };
}
