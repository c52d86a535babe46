import { afterAll, afterEach, beforeEach, expect, type MockInstance, vi } from 'vitest';

let complaints: MockInstance;

beforeEach(() => {
  complaints = vi.spyOn(console, 'error');
});

afterEach(() => {
  expect(complaints.mock.calls).toEqual([]);
  vi.restoreAllMocks();
});

// Files that share a process would start programs with the settings of the one before.
afterAll(() => {
  vi.unstubAllEnvs();
});
