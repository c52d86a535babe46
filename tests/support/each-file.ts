import { afterAll, afterEach, beforeEach, expect, type MockInstance, vi } from 'vitest';

let complaints: MockInstance;

beforeEach(() => {
  complaints = vi.spyOn(console, 'error');
});

afterEach(() => {
  expect(complaints.mock.calls).toEqual([]);
  vi.restoreAllMocks();
});

// Otherwise, test files that share a process would start programs with the settings of the previous file.
afterAll(() => {
  vi.unstubAllEnvs();
});
