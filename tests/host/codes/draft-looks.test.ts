import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResponseOf } from '#contract/call';
import type { getCode } from '#contract/codes';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { become, saveDraft, unfinishedOf } from './draft-calls';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());

const enteredLook = {
  readyMade: 'own',
  moduleShape: 'dots',
  ringShape: 'circle',
  centreShape: 'circle',
  moduleColour: '036',
  cornerColour: '#A4210D',
  groundColour: '#ffffff',
  gradient: 'on',
  gradientColour: '#1c5c3a',
  gradientAngle: '45',
  frame: 'caption-below',
  caption: ' Scan  for the menu ',
  frameColour: '#14203c',
};

const saveLook = (style: object, id?: string) =>
  saveDraft(host, {
    fields: JSON.stringify({ type: 'link', content: 'look.example', style }),
    ...(id && { id }),
  });

async function codeMadeOf(draftId: string, account: TestAccount) {
  const id = await become(host, account.id, draftId);
  const answer = await host.request(`/api/qrcodes/${id}`, { token: account.token });
  return ((await answer.json()) as ResponseOf<typeof getCode>).data.code;
}

test('a design keeps its look as typed, and becomes a code with that look', async () => {
  const { data } = await saveLook(enteredLook);
  expect(data).toMatchObject({ fields: { style: enteredLook }, problems: {} });
  const code = await codeMadeOf(data.id, await host.account());
  expect(code.style).toEqual({
    version: 1,
    moduleShape: 'dots',
    ringShape: 'circle',
    centreShape: 'circle',
    moduleColour: '#003366',
    cornerColour: '#a4210d',
    groundColour: '#ffffff',
    transparentGround: false,
    gradientColour: '#1c5c3a',
    gradientAngle: 45,
    frame: 'caption-below',
    caption: 'Scan for the menu',
    frameColour: '#14203c',
  });
});

test('an unchanged look is the default look', async () => {
  const entered = {
    moduleShape: 'square',
    frame: 'none',
    frameColour: '#a4210d',
    caption: 'kept',
    gradientAngle: '9',
  };
  const { data } = await saveLook(entered);
  expect((await codeMadeOf(data.id, await host.account())).style).toBeNull();
});

test.each([
  [{ moduleColour: 'red' }, { moduleColour: ['colour_invalid'] }],
  [{ moduleColour: '' }, { moduleColour: ['colour_invalid'] }],
  [
    { moduleColour: '#eee', cornerColour: '#ddd' },
    { moduleColour: ['colour_contrast'], cornerColour: ['colour_contrast'] },
  ],
  [{ gradient: 'on', gradientColour: '#fefefe' }, { gradientColour: ['colour_contrast'] }],
  [{ gradient: 'on', gradientColour: '#000', gradientAngle: '1e2' }, { gradientAngle: ['angle_invalid'] }],
  [{ gradient: 'on', gradientColour: '#000', gradientAngle: '-1' }, { gradientAngle: ['angle_invalid'] }],
  [{ gradientColour: 'of no gradient', gradientAngle: 'x' }, {}],
  [{ frame: 'badge', frameColour: 'x' }, { frameColour: ['colour_invalid'] }],
  [{ frame: 'none', frameColour: 'x' }, {}],
  [{ frame: 'ticket', caption: 'é'.repeat(31) }, { caption: ['caption_too_long'] }],
  [{ frame: 'ticket', caption: 'Call ☎' }, { caption: ['caption_letters'] }],
  [
    { frame: 'ticket', caption: 'Menu', groundColour: '#fff', frameColour: '#fff' },
    { frameColour: ['frame_invisible'] },
  ],
  [{ moduleShape: 'constructor' }, { moduleShape: ['style_invalid'] }],
])('a design keeps an invalid look, and reports it at its fields (%#)', async (style, problems) => {
  const { status, data } = await saveLook(style);
  expect(status).toBe(201);
  expect(data).toMatchObject({ fields: { style } });
  expect(data.problems).toEqual(problems);
  if (Object.keys(problems).length === 0) return;
  const account = await host.account();
  expect(await become(host, account.id, data.id)).toBeNull();
  expect((await unfinishedOf(host, account.token))?.reason).toBe(Object.values(problems).flat()[0]);
});

test('overlong fields of a look are refused, and unknown ones are dropped', async () => {
  const { code } = await saveLook({ caption: 'x'.repeat(201) });
  expect(code).toBe('invalid');
  const { data } = await saveLook({ caption: 'kept', other: 'x', __proto__: { frame: 'badge' } });
  expect(data.fields.style).toEqual({ caption: 'kept' });
});
