import { expect, test } from 'vitest';
import { CpuBudget } from '#runtime/processes/cpu-budget';

test('a network may use its budget, and what it has used is forgotten within a minute', () => {
  const budget = new CpuBudget(1_000);
  budget.charge(['a'], 1_000, 0);
  expect(budget.isExceeded(['a'], 0)).toBe(false);
  budget.charge(['a'], 500, 0);
  expect(budget.isExceeded(['a'], 29_999)).toBe(true);
  expect(budget.isExceeded(['a'], 30_000)).toBe(false);
  expect(budget.isExceeded(['b'], 0)).toBe(false);
  budget.charge(['a'], 1_000, 90_000);
  expect(budget.isExceeded(['a'], 90_000)).toBe(false);
});

test('a wider network has twice the budget for all of its networks together', () => {
  const budget = new CpuBudget(1_000);
  budget.charge(['a', 'x', 'all'], 1_000, 0);
  budget.charge(['b', 'x', 'all'], 1_000, 0);
  expect(budget.isExceeded(['c', 'x', 'all'], 0)).toBe(false);
  budget.charge(['c', 'x', 'all'], 1, 0);
  expect(budget.isExceeded(['d', 'x', 'all'], 0)).toBe(true);
  expect(budget.isExceeded(['d', 'y', 'all'], 0)).toBe(false);
  budget.charge(['d', 'y', 'all'], 2_000, 0);
  expect(budget.isExceeded(['e', 'z', 'all'], 0)).toBe(true);
  expect(budget.isExceeded(['e', 'z', 'all'], 60_000)).toBe(false);
});
