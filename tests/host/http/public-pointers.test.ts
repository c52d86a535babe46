import { beforeEach, expect, test } from 'vitest';
import { Problem } from '#contract/errors';
import { account, call, host, setUpProgram } from '../../support/program';

let id: string;

setUpProgram();
beforeEach(async () => {
  ({ id } = await host.code(account.id));
});

const pointersOf = (body: unknown) => Problem.parse(body).errors.map(({ pointer }) => pointer);

const GOOD = 'https://a.example/';
const halves = (...targets: string[]) => ({ variants: targets.map((target) => ({ target, percent: 50 })) });
const long = 'x'.repeat(40);

test.each<[method: string, path: string, body: object, pointers: string[]]>([
  ['POST', '/codes/ID/rules', { variants: [{ target: 'x y' }] }, ['/variants/0/target']],
  ['POST', '/codes/ID/rules', halves(GOOD, 'x y'), ['/variants/1/target']],
  ['POST', '/codes/ID/rules', { variants: [{ target: GOOD, percent: 0 }] }, ['/variants/0/percent']],
  ['POST', '/codes/ID/rules', { variants: [{ target: GOOD, percent: 50 }] }, ['/variants']],
  ['PUT', '/codes/ID/rules/1', halves('x y', GOOD), ['/variants/0/target']],
  [
    'PATCH',
    '/codes/ID',
    { routing: { rules: [halves(GOOD, GOOD), halves('x y', GOOD)] } },
    ['/routing/rules/1/variants/0/target'],
  ],
  [
    'PATCH',
    '/codes/ID',
    { routing: { rules: [{ variants: [{ target: GOOD, percent: 101 }] }] } },
    ['/routing/rules/0/variants/0/percent'],
  ],
  [
    'PATCH',
    '/codes/ID',
    { routing: { schedule: { at: '2020-01-01T00:00:00Z', target: 'x y' } } },
    ['/routing/schedule/target', '/routing/schedule/at'],
  ],
  [
    'PATCH',
    '/codes/ID',
    { routing: { end: { at: '2020-01-01T00:00:00Z', target: 'x y' } } },
    ['/routing/end/target', '/routing/end/at'],
  ],
  [
    'PATCH',
    '/codes/ID',
    {
      routing: {
        schedule: { at: '2020-01-01T00:00:00Z', target: GOOD },
        end: { at: '2020-01-01T00:00:00Z' },
      },
    },
    ['/routing/schedule/at', '/routing/end/at'],
  ],
  ['POST', '/jobs', { act: 'retarget', filter: {} }, ['/retarget']],
  [
    'POST',
    '/jobs',
    { act: 'retarget', filter: {}, retarget: { kind: 'set', target: 'x y' } },
    ['/retarget/target'],
  ],
  ['POST', '/codes', { type: 'link', content: GOOD, tags: [long] }, ['/tags/0']],
  ['PATCH', '/codes/ID', { tags: ['ok', 'a\u0007b'] }, ['/tags/1']],
  ['PATCH', '/codes/ID', { tags: Array.from({ length: 11 }, (_, one) => `t${one}`) }, ['/tags']],
  ['PATCH', '/codes/ID', { campaign: { utm_source: 'x'.repeat(300) } }, ['/campaign/utm_source']],
])('%s %s %j names the place of each mistake', async (method, path, body, pointers) => {
  const refused = await call(method, path.replace('ID', id), body);
  expect([refused.status, pointersOf(refused.body).sort()]).toEqual([422, [...pointers].sort()]);
});

test.each(['schedule', 'pause', 'end'])('what a type cannot have is named by its part: %s', async (part) => {
  const wifi = { type: 'wifi' as const, content: 'WIFI:T:nopass;S:Caf;;' };
  const { id: other } = await host.code(account.id, wifi);
  const given = {
    schedule: { at: '2030-01-01T00:00:00Z', target: GOOD },
    pause: { message: '' },
    end: { visits: 1_000 },
  };
  const refused = await call('PATCH', `/codes/${other}`, { routing: { [part]: given[part as 'end'] } });
  expect([refused.status, pointersOf(refused.body)]).toEqual([422, [`/routing/${part}`]]);
});
