import type { CodeType } from '#contract/contents/contents';

/** What the list shows of a code. */
export interface CodeRow {
  id: string;
  name: string;
  /** Shortened content; null for an unnamed code, which is listed by its content. */
  content: string | null;
  tags: string[];
  type: CodeType;
  visibility: 'private' | 'public';
  isArchived: boolean;
  /** Whether its owner has paused it, it has ended, or rules decide where it leads; null for none of these. */
  routing: 'paused' | 'ended' | 'rules' | null;
  /** Why an operator blocked it; null when it is not blocked. */
  blocked: { reason: string | null } | null;
  /** Whether its destination is known to fail. */
  isFailing: boolean;
  link: string;
  dynamic: boolean;
  counted: boolean;
  createdAt: string;
  visits: number;
  /** `ago`: how long ago that was, in words. */
  lastVisit: { at: string; ago: string } | null;
  recentVisits: number[];
  visits30: number;
}
