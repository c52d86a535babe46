import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DARK, LIGHT } from '#contract/colours';

test('the colours are those of the website’s style sheet', () => {
  const styles = readFileSync('app/styles.css', 'utf8');
  const pairs = (Object.keys(LIGHT) as (keyof typeof LIGHT)[]).map((name) => {
    const variable = name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`);
    return `--color-${variable}: light-dark(${LIGHT[name]}, ${DARK[name]});`;
  });
  expect(pairs.filter((pair) => !styles.includes(pair))).toEqual([]);
});
