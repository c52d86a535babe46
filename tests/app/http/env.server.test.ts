import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.resetModules();
});

test('a publicly reachable website does not start with generated secrets', async () => {
  vi.stubEnv('PUBLIC_URL', 'https://quadrille.example');
  vi.stubEnv('SESSION_SECRET', undefined);
  vi.stubEnv('INTERNAL_SECRET', undefined);
  const reported = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
  await expect(import('~/http/env.server')).rejects.toThrow('exit 1');
  expect(exit).toHaveBeenCalledOnce();
  expect(reported.mock.calls.flat().join('')).toMatch(
    /^Settings: .*SESSION_SECRET.*\n.*INTERNAL_SECRET.*\n$/,
  );
});
