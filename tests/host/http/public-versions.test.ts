import { expect, test } from 'vitest';
import type { Call } from '#contract/call';
import { account, call, host, setUpProgram } from '../../support/program';

const modules = import.meta.glob<Record<string, unknown>>('/contract/*.ts', { eager: true });
const changes = Object.values(modules)
  .flatMap((exported) => Object.values(exported))
  .filter(isCall)
  .filter(({ path, publicPath, method }) => {
    const isPublic = publicPath !== undefined || path.startsWith('/api/v1/');
    return isPublic && ['PATCH', 'PUT', 'DELETE'].includes(method);
  });

/** Changes that take no `If-Match`, and why. */
const UNVERSIONED: Record<string, string> = {};

setUpProgram();

test('every change of something that is there takes If-Match, or says why not', () => {
  const without = changes.filter(({ versions }) => !versions?.includes('If-Match'));
  expect(without.map(({ name }) => name).sort()).toEqual(Object.keys(UNVERSIONED).sort());
});

/** What a change needs to be there, with its path. */
const THINGS: [start: RegExp, make: () => Promise<Record<string, string>>][] = [
  [
    /codes/,
    async () => {
      const { id } = await host.code(account.id);
      const rule = { variants: [{ target: 'https://a.example/' }] };
      return { id, rule: (await call('POST', `/codes/${id}/rules`, rule)).body.data.id };
    },
  ],
  [
    /looks/,
    async () => ({ id: (await call('POST', '/looks', { name: 'Terrace', style: {} })).body.data.id }),
  ],
  [
    /webhooks/,
    async () => {
      const wanted = { url: 'https://hooks.program.com/', events: ['code.created'] };
      return { id: (await call('POST', '/webhooks', wanted)).body.data.id };
    },
  ],
];
const BODIES: Record<string, object> = {
  updateCode: { name: 'One' },
  changeRule: { variants: [{ target: 'https://b.example/' }] },
  moveRule: { position: 1 },
  updateStyle: { name: 'Bar' },
  updateWebhook: { enabled: false },
};

test.each(changes.filter(({ name }) => !UNVERSIONED[name]).map((change) => [change.name, change] as const))(
  '%s changes only what was read',
  async (name, { method, path, publicPath = path }) => {
    const [, make] = THINGS.find(([about]) => about.test(publicPath)) ?? [];
    const names = (await make?.()) ?? {};
    const where = publicPath
      .replace('/api/v1', '')
      .replace(/\{(\w+)\}/g, (_, part: string) => names[part] ?? '');
    const read = await call('GET', where.replace(/\/rules\/.*/, ''));
    const etag = read.headers.get('etag') ?? '';
    expect([read.status, etag]).toEqual([200, expect.stringMatching(/^".+"$/)]);
    const late = await call(method, where, BODIES[name], { 'if-match': '"another"' });
    expect([late.status, late.body.code]).toEqual([412, 'precondition_failed']);
    expect((await call(method, where, BODIES[name], { 'if-match': etag })).status).toBe(200);
  },
);

test('a look has the ETag of its state when it is made, read and changed', async () => {
  const made = await call('POST', '/looks', { name: 'Terrace', style: {} });
  const path = `/looks/${made.body.data.id}`;
  const etag = made.headers.get('etag');
  expect((await call('GET', path)).body).toEqual(made.body);
  expect((await call('GET', path)).headers.get('etag')).toBe(etag);
  const changed = await call('PATCH', path, { name: 'Bar' }, { 'if-match': etag ?? '' });
  expect([changed.status, changed.body.data.name]).toEqual([200, 'Bar']);
  expect((await call('DELETE', path, undefined, { 'if-match': etag ?? '' })).status).toBe(412);
  const last = changed.headers.get('etag') ?? '';
  expect((await call('DELETE', path, undefined, { 'if-match': last })).status).toBe(200);
  expect((await call('GET', path)).status).toBe(404);
});

function isCall(value: unknown): value is Call {
  return (
    typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'access' in value
  );
}
