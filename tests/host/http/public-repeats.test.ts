import { expect, test } from 'vitest';
import { rateLimits } from '#host/db/accounts.tables';
import { account, call, host, setUpProgram } from '../../support/program';

setUpProgram();
const once = (key: string) => ({ 'Idempotency-Key': key });
const hook = (one = 0) => ({ url: `https://hooks.program.com/${one}`, events: ['code.deleted'] });
const makeHook = async () => (await call('POST', '/webhooks', hook())).body.data;

test('an 11th webhook is refused by its own name', async () => {
  for (let one = 0; one < 10; one += 1) await call('POST', '/webhooks', hook(one));
  const refused = await call('POST', '/webhooks', hook(11));
  expect([refused.status, refused.body.code]).toEqual([409, 'webhook_limit']);
});

test('a second rotation within a day says when it is possible', async () => {
  const { id } = await makeHook();
  await call('POST', `/webhooks/${id}/rotate`);
  host.clock.advance(3_600_000);
  const refused = await call('POST', `/webhooks/${id}/rotate`);
  expect([refused.status, refused.body.code]).toEqual([409, 'rotated_recently']);
  expect(refused.headers.get('retry-after')).toBe(String(23 * 3_600));
});

test('a job that expects another number of codes is told the real one', async () => {
  for (let one = 0; one < 3; one += 1) await host.code(account.id);
  const refused = await call('POST', '/jobs', { act: 'delete', filter: {}, expected: 2 });
  expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
    409,
    'count_differs',
    [{ pointer: '/expected', code: 'count_differs:3', message: '3 codes match now.' }],
  ]);
});

test('a winner that the rule does not have is a mistake in the body', async () => {
  const { id } = await host.code(account.id);
  const rule = await call('POST', `/codes/${id}/rules`, { variants: [{ target: 'https://a.example/' }] });
  const refused = await call('POST', `/codes/${id}/rules/${rule.body.data.id}/winner`, { route: 999 });
  expect([refused.status, refused.body.errors]).toMatchObject([
    422,
    [{ pointer: '/route', code: 'route_unknown' }],
  ]);
});

test.each(['test', 'rotate', 'resend'])(
  'with an idempotency key, %s of a webhook takes effect once',
  async (act) => {
    const { id } = await makeHook();
    const path = `/webhooks/${id}`;
    const first = await call('POST', `${path}/test`);
    const where = act === 'resend' ? `${path}/deliveries/${first.body.data.id}/resend` : `${path}/${act}`;
    const [sent, again] = [
      await call('POST', where, undefined, once('k')),
      await call('POST', where, undefined, once('k')),
    ];
    expect([sent.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true']);
    expect(again.text).toBe(sent.text);
    const log = (await call('GET', `${path}/deliveries`)).body.data.length;
    expect(log).toBe(act === 'rotate' ? 1 : 2);
    const other = await call('POST', where, undefined, once('another'));
    expect(other.status).toBe(act === 'rotate' ? 409 : 200);
  },
);

const BUDGETS = [
  ['/codes', { type: 'link', content: 'https://a.example/' }, 'creation'],
  ['/codes/batch', { codes: [{ type: 'link', content: 'https://a.example/' }] }, 'creation-batch'],
  ['/codes/ID/copies', {}, 'creation'],
  ['/codes/ID/rules', { variants: [{ target: 'https://a.example/' }] }, 'change'],
  ['/jobs', { act: 'archive', filter: { search: 'nothing' } }, 'bulk'],
] as const;

test.each(BUDGETS)('a dry run of %s leaves the hourly budget as it is', async (path, body, budget) => {
  const { id } = await host.code(account.id);
  const tried = await call('POST', `${path.replace('ID', id)}?dry_run=true`, body);
  expect(tried.status).toBe(200);
  expect(await spentOf(budget)).toBe(0);
  await call('POST', path.replace('ID', id), body);
  expect(await spentOf(budget)).toBe(1);
});

async function spentOf(budget: string): Promise<number> {
  const rows = await host.db.orm.select().from(rateLimits);
  return rows.find(({ key }) => key === `${budget}:${account.id}`)?.points ?? 0;
}
