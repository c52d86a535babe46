import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { TaskKilled } from '#runtime/processes/pool-errors';
import type { Findings } from '~/codes/look/scan-report';
import { createTestWebsite, type TestWebsite } from '../../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({ '/create/receipt': 'codes/create/receipt-route.ts' });
});
afterAll(() => website.close());

const SQUARES = { moduleShape: 'square', ringShape: 'square', centreShape: 'square', frame: 'none' };
const INKED = { moduleColour: '#14203c', cornerColour: '#14203c', groundColour: '#ffffee' };
/** Passes validation, but decoders hardly read it, least of all in a large symbol. */
const POOR = {
  moduleShape: 'dots',
  ringShape: 'leaf',
  centreShape: 'circle',
  moduleColour: '#000000',
  cornerColour: '#000000',
  groundColour: '#3131ff',
};
const CONTENT =
  'Table 4, by the window that looks at the garden and the old trees, where the bread is warm and the wine is cool';

/** What is found in a text code with a look, as the live preview requests it. */
function ask(look: Record<string, string>, { isPrinted }: { isPrinted: boolean }) {
  return askFor({ type: 'text', content: CONTENT, style: { ...SQUARES, ...look } }, { isPrinted });
}

async function askFor(fields: Record<string, unknown>, others: Record<string, unknown> = {}) {
  const body = new FormData();
  body.set('design', JSON.stringify({ fields, useWhiteBackground: false, ...others }));
  const answer = await website.browse('/create/receipt', { method: 'POST', body });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Findings;
}

test('trying out a look on an existing code grades it with the content of its files', async () => {
  expect(await ask(POOR, { isPrinted: true })).toMatchObject({ examination: { scan: { grade: null } } });
  expect((await ask(POOR, { isPrinted: false })).examination?.scan.grade).toMatch(/^[ABC]$/);
});

test.each([
  [
    'too little contrast',
    { moduleColour: '#8bc34a', cornerColour: '#8bc34a', groundColour: '#ffffff' },
    'the contrast must be at least',
  ],
  [
    'light on dark',
    { moduleColour: '#ffffff', cornerColour: '#ffffff', groundColour: '#14203c' },
    'lighter than the background',
  ],
  ['a colour still being typed', { ...INKED, moduleColour: '#1420' }, 'Enter a colour as #'],
  [
    'a frame without its caption',
    { ...INKED, frame: 'ticket', caption: '', frameColour: '#14203c' },
    'Enter the frame text',
  ],
])('a look with %s gets the reason instead of a grade', async (_, look, reason) => {
  for (const isPrinted of [false, true])
    expect(await ask(look, { isPrinted })).toEqual({ problem: expect.stringContaining(reason) });
});

test.each([
  [
    'a Wi-Fi password that no router takes',
    { type: 'wifi', ssid: 'Net', passphrase: 'court', security: 'WPA' },
    'A WPA password has 8 to 63 plain characters',
  ],
  ['an incomplete e-mail address', { type: 'email', content: 'info@zur-linde' }, 'Enter an e-mail address'],
])('%s gets the reason instead of a grade', async (_, fields, reason) => {
  expect(await askFor(fields)).toEqual({ problem: expect.stringContaining(reason) });
});

async function askWithLogo(logo: Blob, cookie = '') {
  const body = new FormData();
  const fields = { type: 'link', content: 'https://logo.example/' };
  body.set('design', JSON.stringify({ fields, useWhiteBackground: true, preset: undefined }));
  body.set('logo', new File([logo], 'mark.png'));
  const answer = await website.browse('/create/receipt', { method: 'POST', body, headers: { cookie } });
  expect(answer.status).toBe(200);
  const findings = (await answer.json()) as Findings & { draft?: string };
  return { findings, cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
}

test('a logo that was just chosen is graded, and kept for the next request', async () => {
  const create = { width: 40, height: 40, channels: 3, background: '#c4361f' } as const;
  const png = new Blob([new Uint8Array(await sharp({ create }).png().toBuffer())]);
  const { findings, cookie } = await askWithLogo(png);
  expect(findings).toMatchObject({ draft: expect.any(String), examination: { scan: { grade: 'A' } } });
  const { draft } = findings;
  const again = new URLSearchParams({
    design: JSON.stringify({
      fields: { type: 'link', content: 'https://logo.example/' },
      useWhiteBackground: true,
      draft,
    }),
  });
  const ask = async (headers: Record<string, string>) =>
    (await website.browse('/create/receipt', { method: 'POST', body: again, headers })).json();
  expect(await ask({ cookie })).toEqual({ examination: findings.examination });
  // Without the key of its browser there is no logo, and a grade without it would be another one.
  expect(await ask({})).toEqual({});
});

test('a file that cannot be a logo gets the reason instead of a grade', async () => {
  const { findings } = await askWithLogo(new Blob(['not an image']));
  expect(findings).toEqual({ problem: expect.stringContaining('We cannot read this kind of file') });
});

/** Names of the pool's tasks from now on; `before` runs before each and may throw. */
function watchTasks(before: () => void = () => {}): string[] {
  const pool = globalThis.drawingPool;
  if (!pool) throw new Error('nothing has been drawn yet');
  const run = pool.run.bind(pool);
  const tasks: string[] = [];
  pool.run = (async (...order: Parameters<typeof run>) => {
    tasks.push(order[0]);
    before();
    return run(...order);
  }) as typeof run;
  onTestFinished(() => {
    pool.run = run;
  });
  return tasks;
}

test('equal designs that are requested at the same time are examined once', async () => {
  const tasks = watchTasks();
  const look = { ...INKED, groundColour: '#ffffe0' };
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => ask(look, { isPrinted: true })));
  expect(first?.examination?.scan.grade).toBe('A');
  expect(others).toEqual([first, first]);
  expect(tasks).toEqual(['examine']);
});

test('a design is examined again when the examination it would have shared was refused', async () => {
  let refusals = 1;
  const tasks = watchTasks(() => {
    if (refusals-- > 0) throw new TaskKilled('time', '');
  });
  const look = { ...INKED, groundColour: '#ffffe1' };
  const answers = await Promise.all([1, 2, 3].map(() => ask(look, { isPrinted: true })));
  expect(answers.map((answer) => answer.examination?.scan.grade ?? null).sort()).toEqual(['A', 'A', null]);
  expect(tasks).toEqual(['examine', 'examine']);
});

test('a design that is requested again is not examined again', async () => {
  const look = { ...INKED, groundColour: '#fffff0' };
  const first = await ask(look, { isPrinted: true });
  expect(first?.examination?.scan.grade).toBe('A');
  const tasks = watchTasks();
  expect(await ask(look, { isPrinted: true })).toEqual(first);
  expect(tasks).toEqual([]);
  await ask({ ...look, groundColour: '#fffff1' }, { isPrinted: true });
  expect(tasks).toEqual(['examine']);
});
