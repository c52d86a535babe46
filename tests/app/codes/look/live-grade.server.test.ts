import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { TaskKilled } from '#runtime/processes/pool-errors';
import type { Examination } from '~/codes/look/scan-report';
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

/** The examination of a text code in a look, as the live preview requests it. */
async function ask(look: Record<string, string>, { isPrinted }: { isPrinted: boolean }) {
  const unused = { subject: '', body: '', ssid: '', passphrase: '' };
  const fields = { type: 'text', content: CONTENT, ...unused, style: { ...SQUARES, ...look } };
  const body = JSON.stringify({ fields, useWhiteBackground: false, isPrinted });
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  const answer = await website.browse('/create/receipt', { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Examination | null;
}

test('trying out a look on an existing code grades it with the content of its files', async () => {
  expect(await ask(POOR, { isPrinted: true })).toMatchObject({ scan: { grade: null } });
  expect((await ask(POOR, { isPrinted: false }))?.scan.grade).toMatch(/^[ABC]$/);
});

test.each([
  ['too little contrast', { moduleColour: '#8bc34a', cornerColour: '#8bc34a', groundColour: '#ffffff' }],
  ['light on dark', { moduleColour: '#ffffff', cornerColour: '#ffffff', groundColour: '#14203c' }],
  ['a colour still being typed', { ...INKED, moduleColour: '#1420' }],
  ['a frame without its caption', { ...INKED, frame: 'ticket', caption: '', frameColour: '#14203c' }],
])('a look with %s gets no grade', async (_, look) => {
  for (const isPrinted of [false, true]) expect(await ask(look, { isPrinted })).toBeNull();
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
  expect(first?.scan.grade).toBe('A');
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
  expect(answers.map((answer) => answer?.scan.grade ?? null).sort()).toEqual(['A', 'A', null]);
  expect(tasks).toEqual(['examine', 'examine']);
});

test('a design that is requested again is not examined again', async () => {
  const look = { ...INKED, groundColour: '#fffff0' };
  const first = await ask(look, { isPrinted: true });
  expect(first?.scan.grade).toBe('A');
  const tasks = watchTasks();
  expect(await ask(look, { isPrinted: true })).toEqual(first);
  expect(tasks).toEqual([]);
  await ask({ ...look, groundColour: '#fffff1' }, { isPrinted: true });
  expect(tasks).toEqual(['examine']);
});
