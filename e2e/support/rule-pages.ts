import type { Page } from '@playwright/test';
import { send } from '../../tests/support/json-calls';
import type { Account, Factories } from './fixtures';
import { host } from './host';
import type { Visited } from './visited';

const EVENING = { from: '22:00', to: '02:00', weekdays: [1, 2, 3, 4, 5], timeZone: 'Europe/Berlin' };
const SPLIT = [
  { target: 'https://checked.example/a', percent: 60 },
  { target: 'https://checked.example/b', percent: 40 },
];

/** Every page about where a code leads, in each of its visually different states. */
export async function rulePages(
  factories: Factories,
  account: Account,
  refused: NonNullable<Visited['act']>,
): Promise<Visited[]> {
  const plain = await factories.code(account, { content: 'https://plain.example/' });
  const ruled = await factories.code(account, { content: 'https://ruled.example/' });
  const closed = await factories.code(account, { content: 'https://closed.example/' });
  const [next, last] = [1, 2].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
  await change(account, ruled, {
    rules: [
      { ...EVENING, languages: ['fr', 'de'], countries: ['AT', 'CH'], variants: SPLIT },
      { variants: [{ target: 'https://checked.example/all' }] },
      { systems: ['android'], variants: [{ target: 'https://checked.example/never' }] },
    ],
    schedule: { at: next, target: 'https://checked.example/next' },
    end: { at: last, visits: 5_000, message: 'The offer is over.' },
  });
  await change(account, closed, { pause: { message: 'Back on Monday at 9.' } });
  const [split] = await rulesOf(account, ruled);
  const path = `/user/qrcodes/${ruled.id}`;
  const tried = `${path}/rules?at=2026-12-01T23:30&country=&system=android&language=es#answer`;
  return [
    { name: 'rules, none yet', path: `/user/qrcodes/${plain.id}/rules`, signedIn: true },
    { name: 'rules', path: `${path}/rules`, signedIn: true },
    { name: 'rules, tried', path: tried, signedIn: true },
    { name: 'rules, tried at no time', path: `${path}/rules?at=`, signedIn: true, isAlike: true },
    { name: 'add a rule', path: `${path}/rules/new`, signedIn: true },
    { name: 'add a rule, refused', path: `${path}/rules/new`, signedIn: true, act: refused },
    { name: 'change a split', path: `${path}/rules/${split?.id}`, signedIn: true },
    {
      name: 'keep a target of a split',
      path: `${path}/rules/${split?.id}/keep?route=${split?.variants[0]?.route}`,
      signedIn: true,
    },
    { name: 'code with rules and an end', path, signedIn: true, act: openHistory },
    { name: 'paused code', path: `/user/qrcodes/${closed.id}`, signedIn: true },
    { name: 'visit of a paused code', path: `/r/${closed.slug}` },
  ];
}

async function change(account: Account, { id }: { id: string }, routing: object): Promise<void> {
  const answer = await send(host, 'PATCH', `/api/qrcodes/${id}`, { routing }, account);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body.message}`);
}

async function rulesOf(account: Account, { id }: { id: string }) {
  const { body } = await send(host, 'GET', `/api/qrcodes/${id}/routing`, undefined, account);
  const { routing } = body.data as {
    routing: { rules: { id: number; variants: { route: number }[] }[] };
  };
  return routing.rules;
}

async function openHistory(page: Page): Promise<void> {
  await page.locator('#history > summary').click();
}
