import { describe, expect, test } from 'vitest';
import { createTextIndex } from '#host/codes/search/text-index';

const MANY = 2_000;

describe('the index of texts', () => {
  test('finds the texts that contain another one', () => {
    const { index, found } = indexOf(['menu', 'the menu card', 'wine']);
    index.search('menu');
    expect(found()).toEqual([0, 1]);
    index.search('wine');
    expect(found()).toEqual([2]);
    index.search('beer');
    expect(found()).toEqual([]);
  });

  test('finds all texts by an empty one and none by null', () => {
    const { index, found } = indexOf(['menu', '']);
    expect(found()).toEqual([0, 1]);
    index.search(null);
    expect(found()).toEqual([]);
    index.replace(0, 'null');
    expect(found()).toEqual([]);
    index.search('');
    expect(found()).toEqual([0, 1]);
  });

  test('finds nothing across two texts', () => {
    const { index, found } = indexOf(['one', 'two']);
    index.search('onetwo');
    expect(found()).toEqual([]);
    index.search('e');
    expect(found()).toEqual([0]);
  });

  test('finds the first, a middle and the last of many texts', () => {
    const { index, found } = indexOf(Array.from({ length: MANY }, (_, n) => `number ${n}.`));
    expect(found()).toHaveLength(MANY);
    for (const slot of [0, 511, 512, 1_023, 1_500, MANY - 1]) {
      index.search(` ${slot}.`);
      expect(found()).toEqual([slot]);
    }
    index.search('number');
    expect(found()).toHaveLength(MANY);
  });

  test('matches texts added or replaced after a search against it', () => {
    const { index, found } = indexOf(['menu', 'wine']);
    index.search('menu');
    index.replace(0, 'beer');
    index.replace(1, 'wine menu');
    const added = index.add('menu of the day');
    expect(found()).toEqual([1]);
    expect(index.isFound(added)).toBe(true);
    index.search('beer');
    expect(found()).toEqual([0]);
    expect(index.isFound(added)).toBe(false);
  });

  test('reuses the slot of a removed text, which is no longer found', () => {
    const { index, found } = indexOf(['menu', 'wine']);
    index.search('menu');
    index.remove(0);
    expect(found()).toEqual([]);
    expect(index.add('menu card')).toBe(0);
    expect(found()).toEqual([0]);
    expect([index.lengthAt(0), index.lengthAt(1)]).toEqual([9, 4]);
  });
});

function indexOf(texts: string[]) {
  const index = createTextIndex();
  const slots = texts.map((text) => index.add(text));
  return { index, found: () => slots.filter((slot) => index.isFound(slot)) };
}
