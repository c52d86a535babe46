import type { UnfinishedDesign } from '#contract/drafts';
import type { Orm } from '#host/db/client';
import type { Deps } from '#host/http/deps';
import { readLinkRules } from './blocking';
import { readDraft } from './contents';
import { findUnfinishedDraft } from './drafts.store';

/** A design saved before the purchase that could not become a code, with the first reason; or null. */
export async function findUnfinishedDesign(
  { db, settings }: { db: { orm: Orm }; settings: Deps['settings'] },
  accountId: string,
  now: Date,
): Promise<UnfinishedDesign | null> {
  const draft = await findUnfinishedDraft(db.orm, accountId, now);
  if (!draft) return null;
  const { type, content, ssid, name } = draft.fields;
  const read = readDraft(draft.fields, await readLinkRules(db.orm, settings));
  const [reason = null] = 'refused' in read ? Object.values(read.refused).flat() : [];
  return { id: draft.id, type, name: (name || (type === 'wifi' ? ssid : content)).trim(), reason };
}
