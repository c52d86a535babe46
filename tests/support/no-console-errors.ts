import { afterEach, beforeEach, expect, type MockInstance, vi } from 'vitest';

let complaints: MockInstance;

beforeEach(() => {
  complaints = vi.spyOn(console, 'error');
});

afterEach(() => {
  expect(complaints.mock.calls).toEqual([]);
  vi.restoreAllMocks();
});
