import { describe, expect, test } from 'vitest';
import { checkStyle } from '#contract/style-rules';
import { drawnStyleOf, nameOfStyle, textsOfStyle } from '~/codes/look/look-input';
import { readyMadeStyles } from '~/codes/look/ready-made-styles';
import { drawCaptioned } from '~/codes/pictures/caption.server';
import { gradeDrawing } from '~/codes/pictures/grade.server';

const looks = readyMadeStyles(() => 'Scan for the menu');
const ADDRESSES = ['https://QDR.LI/R/7K3M9QXD', 'https://example.com/the-menu-of-our-terrace?table=12'];

test('there are eight', () => {
  expect(looks).toHaveLength(8);
});

describe.each(looks)('$name', ({ name, style }) => {
  test('is a valid look', () => {
    expect(checkStyle(style)).toEqual({});
  });

  test('is recognised in a form, whatever its caption', () => {
    const texts = { ...textsOfStyle(style), caption: 'In other words' };
    expect(nameOfStyle(drawnStyleOf(texts), looks)).toBe(name);
    expect(nameOfStyle(drawnStyleOf({ ...texts, moduleColour: '#000' }), looks)).toBe('own');
  });

  test.each(ADDRESSES)('has grade A for %s', async (payload) => {
    const { grade, missed } = await gradeDrawing(drawCaptioned(payload, { style }), payload);
    expect([grade, missed]).toEqual(['A', expect.anything()]);
  });
});
