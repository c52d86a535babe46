import { expect, test } from 'vitest';
import { RuleFigures } from '~/codes/rules/rule-list';
import { rendered, tagWith } from '../../ui/rendered';

const figures: Parameters<typeof RuleFigures>[0]['figures'] = {
  days: 30,
  periods: [7, 30],
  note: '1 Nov to 30 Nov',
  since: null,
  earlier: null,
};

test('the links to other periods keep the visit that is tried', () => {
  const address = '/user/qrcodes/1/rules?at=2026-12-01T23%3A30&system=android&language=es&period=30';
  const link = tagWith(rendered(<RuleFigures figures={figures} />, address), 'a', 'period=7');
  expect(link).toContain(
    'href="/user/qrcodes/1/rules?at=2026-12-01T23%3A30&amp;system=android&amp;language=es&amp;period=7"',
  );
});
