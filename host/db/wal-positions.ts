/** A position in the write-ahead log of a server, in bytes: everything committed earlier has a lower one. */
export type WalPosition = number;

/** SQL for the write position of a server; null if it is a replica. */
export const WRITTEN = `(case when not pg_is_in_recovery() then pg_current_wal_lsn() end - '0/0'::pg_lsn)::bigint`;

/** SQL for the position up to which a replica has replayed, or any other server has written. */
export const REACHED = `(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end
  - '0/0'::pg_lsn)::bigint`;

/** Positions of the primary over time, so that the age of a replica is known without comparing two clocks. */
interface WalHistory {
  /** Records the primary's position at a time. */
  note(time: number, position: WalPosition): void;
  /** The last known time whose commits are all before this position; null if none is known. */
  timeOf(position: WalPosition): number | null;
}

const MAX_ENTRIES = 120;

/** Times must be monotonic. A primary behind the last position is a new one: positions of the old one are dropped. */
export function createWalHistory(): WalHistory {
  let history: { time: number; position: WalPosition }[] = [];
  return {
    note(time, position) {
      const last = history.at(-1);
      if (last && position < last.position) history = [];
      else if (last?.position === position) history.pop();
      history.push({ time, position });
      if (history.length > MAX_ENTRIES) history.shift();
    },
    timeOf: (position) => history.findLast((one) => one.position <= position)?.time ?? null,
  };
}
