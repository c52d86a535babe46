import { eq, inArray } from 'drizzle-orm';
import type { Job, JobProblem } from '#contract/jobs';
import { runDueJobs } from '#host/codes/bulk/run';
import type { Orm } from '#host/db/client';
import { codeChanges, codes } from '#host/db/codes.tables';
import type { TestAccount, TestHost } from '../../support/host';

/** What the owner of the current test's account does to change many codes at once. */
export function jobCalls(current: () => { host: TestHost; account: TestAccount }) {
  async function call<T>(method: string, path: string, body?: object, token = current().account.token) {
    const init = { method, token, ...(body && { body: JSON.stringify(body) }) };
    const response = await current().host.request(path, init);
    return { status: response.status, body: (await response.json()) as T };
  }

  const start = (body: object, token?: string) =>
    call<{ data: Job; code: string; errors: object }>('POST', '/api/jobs', body, token);

  const read = async (id: string) => (await call<{ data: Job }>('GET', `/api/jobs/${id}`)).body.data;

  const problems = async (id: string, query = '') =>
    (await call<{ data: JobProblem[]; meta: { total: number } }>('GET', `/api/jobs/${id}/problems${query}`))
      .body;

  function runAll(orm: Orm = current().host.db.orm) {
    const { deps, db } = current().host;
    return runDueJobs({ ...deps, db: { ...db, orm } }, new AbortController().signal);
  }

  function rows() {
    const { host, account } = current();
    return host.db.orm.select().from(codes).where(eq(codes.accountId, account.id));
  }

  function changesOf(ids: string[]) {
    return current().host.db.orm.select().from(codeChanges).where(inArray(codeChanges.codeId, ids));
  }

  /** Creates this many codes, all tagged `old`; returns their ids. */
  async function many(count: number): Promise<string[]> {
    const { host, account } = current();
    const made = [];
    for (let index = 0; index < count; index += 1)
      made.push(await host.code(account.id, { name: `code ${index}`, tags: ['old'] }));
    return made.map(({ id }) => id);
  }

  return { call, start, read, problems, runAll, rows, changesOf, many };
}
