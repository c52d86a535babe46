import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { type CodeDrawing, drawCode, svgOf } from '~/codes/pictures/code-image';
import { squareLogo } from '~/codes/pictures/code-png.server';
import { gradeDrawing } from '~/codes/pictures/grade.server';
import { viewOf } from '~/codes/pictures/views.server';
import { gradeOf, VIEWS } from '~/codes/scan-report';
import { readPresets } from './logos';

const ADDRESS = 'HTTPS://QDR.LI/R/7K3M9QX1';
const LONG = `https://example.com/${'menu-of-the-day/'.repeat(20)}`.slice(0, 255);

test('grades begin at 34, 30 and 25 readings', () => {
  expect([36, 34, 33, 30, 29, 25, 24, 0].map(gradeOf)).toEqual(['A', 'A', 'B', 'B', 'C', 'C', null, null]);
});

describe('a code in ink on paper gets an A', () => {
  test.each([
    ['of one character', 'a'],
    ['with an address of ours', ADDRESS],
    ['with 255 characters', LONG],
    ['with 255 letters that take two bytes', 'é'.repeat(255)],
  ])('%s', async (_, payload) => {
    const heart = (await readPresets()).get('heart.svg') ?? '';
    const logoHref = `data:image/png;base64,${(await squareLogo(Buffer.from(heart))).toString('base64')}`;
    for (const options of [{}, { logoHref }, { logoHref, useWhiteBackground: true }]) {
      expect(await gradeDrawing(drawCode(payload, options), payload)).toMatchObject({ grade: 'A', of: 36 });
    }
  });
});
