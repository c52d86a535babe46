import { eq } from 'drizzle-orm';
import type { ImportReport } from '#contract/imports';
import type { Job } from '#contract/jobs';
import { runDueJobs } from '#host/codes/bulk/run';
import { codes } from '#host/db/codes.tables';
import type { TestAccount, TestHost } from '../../support/host';

/** What the owner of the current test's account does to import a file. */
export function importCalls(current: () => { host: TestHost; account: TestAccount }) {
  async function upload(
    content: string | Uint8Array<ArrayBuffer>,
    name = 'codes.csv',
    token = current().account.token,
  ) {
    const body = new FormData();
    body.set('file', new File([content], name, { type: 'text/csv' }));
    const response = await current().host.request('/api/imports', { method: 'POST', body, token });
    const read = (await response.json()) as { data: ImportReport; errors?: Record<string, string[]> };
    return { ...read, status: response.status };
  }

  async function start(id: string, body: object = {}, token = current().account.token) {
    const init = { method: 'POST', body: JSON.stringify(body), token };
    const response = await current().host.request(`/api/imports/${id}/start`, init);
    return { ...((await response.json()) as { data: Job; errors?: object }), status: response.status };
  }

  async function read<T>(path: string, token = current().account.token) {
    const response = await current().host.request(path, { token });
    return { ...((await response.json()) as { data: T }), status: response.status };
  }

  const run = () => runDueJobs(current().host.deps, new AbortController().signal);

  /** The codes of the account, oldest first. */
  function own() {
    const { host, account } = current();
    return host.db.orm.select().from(codes).where(eq(codes.accountId, account.id)).orderBy(codes.number);
  }

  return { upload, start, read, run, own };
}
