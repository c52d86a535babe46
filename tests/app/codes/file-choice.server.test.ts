import { expect, test } from 'vitest';
import { readFileChoice } from '~/codes/files/choice.server';

const read = (query: string) => readFileChoice(new URLSearchParams(query));

test.each([
  ['format=png', { format: 'png', size: 1024, variant: 'tracked' }],
  ['format=pdf&size=', { format: 'pdf', size: 40, variant: 'tracked' }],
  ['format=pdf&size=15', { format: 'pdf', size: 15, variant: 'tracked' }],
  ['format=pdf&size=+500+', { format: 'pdf', size: 500, variant: 'tracked' }],
  ['format=pdf&millimetres=83&pixels=600', { format: 'pdf', size: 83, variant: 'tracked' }],
  ['format=png&millimetres=83&pixels=600', { format: 'png', size: 600, variant: 'tracked' }],
  ['format=jpeg&pixels=4096', { format: 'jpeg', size: 4096, variant: 'tracked' }],
  // The width of pictures, hidden while SVG is chosen, does not matter to it.
  ['format=svg&pixels=9', { format: 'svg', size: 1024, variant: 'tracked' }],
  ['format=svg&variant=direct', { format: 'svg', size: 1024, variant: 'direct' }],
])('%s selects a file to draw', (query, choice) => {
  expect(read(query)).toEqual(choice);
});

test.each(['14', '501', '40.5', '40,5', '4e1', '0x28', '-40', 'forty', '99999999', '٤٠'])(
  'a print %j millimetres wide is refused with the allowed widths',
  (width) => {
    const refusal = { key: 'download_millimetres', values: { least: '15', most: '500' } };
    expect(read(`format=pdf&size=${width}`)).toMatchObject({ notice: refusal });
  },
);

test('a picture that is too small or too large is refused with the allowed widths', () => {
  for (const width of ['299', '4097']) {
    const refusal = { key: 'download_pixels', values: { least: '300', most: '4096' } };
    expect(read(`format=png&size=${width}`)).toMatchObject({ notice: refusal });
  }
});

test.each(['', 'format=gif', 'format=toString', 'format=png&variant=none'])(
  '%j does not select a file',
  (query) => {
    expect(read(query)).toMatchObject({ notice: { key: 'download_unclear' } });
  },
);
