import { eq } from 'drizzle-orm';
import type { Code } from '#contract/codes';
import { activities } from '#host/db/accounts.tables';
import type { TestHost } from '../../support/host';

function formOf(fields: Record<string, string | Blob>): FormData {
  const form = new FormData();
  const all = {
    isPublic: 'true',
    type: 'link',
    data: 'https://example.com/',
    parameters: '{"width":300}',
    ...fields,
  };
  for (const [name, value] of Object.entries(all)) form.set(name, value);
  return form;
}

/** Posts a public link, changed by `fields`, as the form does. */
export async function postCode(host: TestHost, token: string, fields: Record<string, string | Blob>) {
  const response = await host.request('/api/qrcodes', { method: 'POST', body: formOf(fields), token });
  return {
    status: response.status,
    body: (await response.json()) as { data: Code; code: string; errors: Record<string, string[]> },
  };
}

/** A page of the codes of an account. */
export async function listCodes(host: TestHost, token: string, query = '') {
  const response = await host.request(`/api/qrcodes${query}`, { token });
  return (await response.json()) as {
    data: Code[];
    meta: { page: number; limit: number; total: number };
  };
}

/** What the recent activity of an account names, in alphabetical order. */
export async function activitiesOf(host: TestHost, accountId: string): Promise<string[]> {
  const rows = await host.db.orm.select().from(activities).where(eq(activities.accountId, accountId));
  return rows.map(({ type }) => type).sort();
}
