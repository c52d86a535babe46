import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

test('a publicly reachable website does not start with generated secrets', async () => {
  vi.stubEnv('PUBLIC_URL', 'https://quadrille.example');
  vi.stubEnv('SESSION_SECRET', undefined);
  vi.stubEnv('INTERNAL_SECRET', undefined);
  await expect(import('~/http/env.server')).rejects.toThrow(/SESSION_SECRET[\s\S]*INTERNAL_SECRET/);
});
