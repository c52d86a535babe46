import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { Problem } from '#contract/errors';
import { insertLogo } from '#host/codes/logos/store';
import { account, call, host, setUpProgram } from '../../support/program';

setUpProgram();
const target = 'https://a.example/';
const link = { type: 'link', content: target };
const at = '2090-01-01T00:00:00Z';

test.each<[string, string, object, string[]]>([
  ['POST', '/codes', { ...link, style: { color: '#000000' } }, ['/style/color']],
  ['POST', '/codes', { ...link, logo: { kind: 'none', name: 'x' } }, ['/logo/name']],
  [
    'POST',
    '/codes/batch',
    { codes: [link, { ...link, style: { 'a/b': 1, color: 1 } }] },
    ['/codes/1/style/a~1b', '/codes/1/style/color'],
  ],
  ['PATCH', '/codes/ID', { style: { moduleShape: 'dots', shape: 'dots' } }, ['/style/shape']],
  ['PATCH', '/codes/ID', { logo: { kind: 'preset', name: 'heart.svg', size: 2 } }, ['/logo/size']],
  ['PATCH', '/codes/ID', { routing: { rule: [] } }, ['/routing/rule']],
  [
    'PATCH',
    '/codes/ID',
    { routing: { rules: [{ language: 'fr', variants: [{ target, weight: 1 }] }] } },
    ['/routing/rules/0/language', '/routing/rules/0/variants/0/weight'],
  ],
  [
    'PATCH',
    '/codes/ID',
    { routing: { schedule: { at, target, timeZone: 'UTC' } } },
    ['/routing/schedule/timeZone'],
  ],
  ['PATCH', '/codes/ID', { routing: { pause: { text: 'Closed' } } }, ['/routing/pause/text']],
  ['PATCH', '/codes/ID', { routing: { end: { at, text: 'Over' } } }, ['/routing/end/text']],
  ['POST', '/codes/ID/rules', { variants: [{ target, weight: 1 }] }, ['/variants/0/weight']],
  ['PUT', '/codes/ID/rules/1', { variants: [{ target, weight: 1 }] }, ['/variants/0/weight']],
  ['POST', '/looks', { name: 'Terrace', style: { color: '#000000' } }, ['/style/color']],
  ['POST', '/jobs', { act: 'style', filter: {}, style: { color: '#000000' } }, ['/style/color']],
  [
    'POST',
    '/jobs',
    { act: 'retarget', filter: {}, retarget: { kind: 'set', target, find: 'x' } },
    ['/retarget/find'],
  ],
])('%s %s refuses what it does not know inside a field: %j', async (method, path, body, pointers) => {
  const { id } = await host.code(account.id);
  const refused = await call(method, path.replace('ID', id), body);
  expect([refused.status, refused.body?.code]).toEqual([422, 'invalid']);
  const { errors } = Problem.parse(refused.body);
  expect(errors.map(({ pointer, code }) => `${pointer} ${code}`).sort()).toEqual(
    pointers.map((pointer) => `${pointer} field_unknown`),
  );
});

test('what a code has may be sent back as it was read', async () => {
  const logo = { id: randomUUID(), accountId: account.id, name: 'mark.png', png: Buffer.from('a picture') };
  await insertLogo(host.db.orm, { ...logo, createdAt: host.clock.now() });
  const { id } = await host.code(account.id, { type: 'link', content: target, logoId: logo.id });
  const routing = {
    rules: [{ languages: ['fr'], variants: [{ target: 'https://fr.example/' }] }],
    schedule: { at, target: 'https://later.example/' },
    pause: { message: 'Closed' },
    end: { visits: 1_000, target: 'https://over.example/' },
  };
  const changed = await call('PATCH', `/codes/${id}`, { routing, style: { moduleShape: 'dots' } });
  expect(changed.status).toBe(200);
  const { style, logo: shown, tags } = changed.body.data;
  const before = (await call('GET', `/codes/${id}/routing`)).body.data.routing;
  expect([shown.name, before.end]).toMatchObject([
    'mark.png',
    { route: expect.any(Number), reachedAt: null },
  ]);
  const sent = { style, logo: shown, tags, routing: before };
  const again = await call('PATCH', `/codes/${id}`, sent);
  expect([again.status, again.body.data]).toMatchObject([200, { style, logo: shown, tags }]);
  expect((await call('GET', `/codes/${id}/routing`)).body.data.routing).toEqual(before);
  const made = await call('POST', '/codes', { ...link, style, logo: shown });
  expect([made.status, made.body.data]).toMatchObject([201, { style, logo: shown }]);
});

test('campaign parameters have any name', async () => {
  const made = await call('POST', '/codes', { ...link, campaign: { utm_source: 'menu', table: '7' } });
  expect([made.status, made.body.data.campaign]).toMatchObject([201, { table: '7' }]);
});
