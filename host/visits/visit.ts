import type { Agent } from './classify';

export interface Visit {
  /** Null for an address nobody made. */
  codeId: string | null;
  /** Milliseconds since the epoch. */
  at: number;
  source: 'scan' | 'click';
  class: 'human' | 'bot' | 'preview' | 'owner';
  outcome: 'served' | 'private' | 'unknown' | 'deleted';
  agent: Agent;
  language: string;
  country: string;
  /** Used for the visitor's number of the day, and never written. */
  clientIp: string;
}
