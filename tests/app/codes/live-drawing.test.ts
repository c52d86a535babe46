import { beforeEach, expect, test, vi } from 'vitest';

const OUTLINE = { words: [{ path: 'M0 0Z', width: 5 }], isRightToLeft: false, space: 2, capHeight: 7 };

const asked = vi.fn<() => Promise<Response>>();

beforeEach(() => {
  asked.mockReset();
  vi.stubGlobal('fetch', asked);
  vi.useFakeTimers();
  vi.resetModules();
  return () => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  };
});

/** Types a caption and waits for the responses. */
async function type(caption: string) {
  const { outlineOf } = await import('~/codes/live-drawing');
  const onArrival = vi.fn();
  const before = outlineOf(caption, onArrival);
  await vi.runAllTimersAsync();
  return { before, arrived: onArrival.mock.calls.length, after: outlineOf(caption, onArrival) };
}

test('outlines are requested once, and so is the check whether a caption can be drawn', async () => {
  asked.mockImplementation(async () => Response.json(OUTLINE));
  expect(await type('Menu')).toEqual({ before: undefined, arrived: 1, after: OUTLINE });
  expect(await type('Menu')).toEqual({ before: OUTLINE, arrived: 0, after: OUTLINE });
  asked.mockImplementation(async () => Response.json({ problem: 'caption_letters' }, { status: 422 }));
  expect(await type('漢')).toEqual({ before: OUTLINE, arrived: 1, after: undefined });
  expect(asked).toHaveBeenCalledTimes(2);
});

test.each([429, 500, 503])('after a %i response, the next change requests again', async (status) => {
  asked.mockImplementation(async () => new Response(null, { status }));
  expect(await type('Menu')).toMatchObject({ arrived: 0 });
  asked.mockImplementation(async () => Response.json(OUTLINE));
  expect(await type('Menu')).toMatchObject({ arrived: 1, after: OUTLINE });
});
