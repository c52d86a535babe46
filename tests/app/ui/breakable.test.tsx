import { expect, test } from 'vitest';
import { Breakable } from '~/ui/breakable';
import { rendered } from './rendered';

test.each([
  ['apps.apple.com/app/id123456789', 'apps.|apple.com/|app/|id123456789'],
  ['shop.example/a?table=12&from=poster', 'shop.|example/|a?|table=|12&amp;|from=|poster'],
  ['https://example.com/', 'https://|example.com/'],
  ['hello@example.com', 'hello@|example.com'],
  ['Night of the beans, 2027-05-01', 'Night of the beans, 2027-05-01'],
  ['Table 2.5, and/or the bar', 'Table 2.5, and/|or the bar'],
  ['Wie geht es? Gut.', 'Wie geht es? Gut.'],
  ['/', '/'],
  ['', ''],
])('an address breaks after its signs, and words stay whole: %s', (text, parts) => {
  const html = rendered(<Breakable text={text} />);
  expect(html.replaceAll('<wbr/>', '|')).toBe(parts);
});
