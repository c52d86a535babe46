import type { Draft, UnfinishedDesign } from '#contract/drafts';
import { createFromDraft } from '#host/codes/code/create';
import type { TestHost } from '../../support/host';

/** Key of the browser that saves the drafts. */
export const VISITOR = 'the key of one browser, long enough';

export async function saveDraft(host: TestHost, fields: Record<string, string | Blob>) {
  const form = new FormData();
  const all = { visitor: VISITOR, fields: JSON.stringify({ type: 'link', content: 'kept' }), ...fields };
  for (const [name, value] of Object.entries(all)) form.set(name, value);
  const response = await host.request('/api/drafts', { method: 'POST', body: form });
  return { ...((await response.json()) as { data: Draft; code: string }), status: response.status };
}

/** Makes a draft a code of an account, and returns the id of the code; null if it cannot become one. */
export function become(host: TestHost, accountId: string, draftId: string) {
  return host.db.orm.transaction((transaction) =>
    createFromDraft(transaction, host.deps, accountId, draftId, host.clock.now()),
  );
}

/** The unfinished design on the dashboard of an account. */
export async function unfinishedOf(host: TestHost, token: string): Promise<UnfinishedDesign | null> {
  const response = await host.request('/api/dashboard/overview', { token });
  return ((await response.json()) as { data: { unfinishedDesign: UnfinishedDesign | null } }).data
    .unfinishedDesign;
}
