import { beforeEach, expect, test, vi } from 'vitest';
import type { Code } from '#contract/codes';

type BestMask = typeof import('~/codes/pictures/best-mask');

beforeEach(() => vi.resetModules());

async function versionOfNone(): Promise<string> {
  const { thumbnailVersion } = await import('~/codes/list/thumbnails.server');
  return thumbnailVersion([]);
}

test('pictures that browsers have cached are loaded again if a later release draws codes in another way', async () => {
  const now = await versionOfNone();
  vi.resetModules();
  expect(await versionOfNone()).toBe(now);
  vi.resetModules();
  vi.doMock('~/codes/pictures/best-mask', async (original) => {
    const { withMask } = await original<BestMask>();
    return { withBestMask: (symbol: Parameters<BestMask['withBestMask']>[0]) => withMask(symbol, 0) };
  });
  expect(await versionOfNone()).not.toBe(now);
});

test('pictures that browsers have cached are loaded again if a code was made anew with the same content', async () => {
  const { thumbnailVersion } = await import('~/codes/list/thumbnails.server');
  const codeWith = (id: string) => ({ id, dynamic: false, content: 'WIFI:S:Bar;;', type: 'wifi' }) as Code;
  expect(thumbnailVersion([codeWith('new')])).not.toBe(thumbnailVersion([codeWith('old')]));
});
