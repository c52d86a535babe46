import { gzipSync } from 'node:zlib';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Picked } from '~/codes/create/live-drawing';

const OUTLINE = { words: [{ path: 'M0 0Z', width: 5 }], isRightToLeft: false, space: 2, capHeight: 7 };

const requested = vi.fn<() => Promise<Response>>();

beforeEach(() => {
  requested.mockReset();
  vi.stubGlobal('fetch', requested);
  vi.useFakeTimers();
  vi.resetModules();
  return () => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  };
});

/** Types a caption and waits for the responses. */
async function type(caption: string) {
  const { outlineOf } = await import('~/codes/create/live-drawing');
  const onArrival = vi.fn();
  const before = outlineOf(caption, onArrival);
  await vi.runAllTimersAsync();
  return { before, arrived: onArrival.mock.calls.length, after: outlineOf(caption, onArrival) };
}

test('outlines are requested once, and so is the check whether a caption can be drawn', async () => {
  requested.mockImplementation(async () => Response.json(OUTLINE));
  expect(await type('Menu')).toEqual({ before: undefined, arrived: 1, after: OUTLINE });
  expect(await type('Menu')).toEqual({ before: OUTLINE, arrived: 0, after: OUTLINE });
  requested.mockImplementation(async () => Response.json({ problem: 'caption_letters' }, { status: 422 }));
  expect(await type('漢')).toEqual({ before: OUTLINE, arrived: 1, after: undefined });
  expect(requested).toHaveBeenCalledTimes(2);
});

test.each([429, 500, 503])('after a %i response, the next change requests again', async (status) => {
  requested.mockImplementation(async () => new Response(null, { status }));
  expect(await type('Menu')).toMatchObject({ arrived: 0 });
  requested.mockImplementation(async () => Response.json(OUTLINE));
  expect(await type('Menu')).toMatchObject({ arrived: 1, after: OUTLINE });
});

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>';
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

class Input {
  type = 'text';
  constructor(
    readonly value: string,
    readonly files?: File[],
  ) {}
}

/** Draws the form with a chosen file; resolves to the URL of the logo in the drawing. */
async function drawnWith(file: File, picked: Picked) {
  vi.useRealTimers();
  vi.stubGlobal('HTMLInputElement', Input);
  const { drawLive } = await import('~/codes/create/live-drawing');
  const inputs: Record<string, Input> = {
    content: new Input('https://a.example'),
    logo: new Input('', [file]),
  };
  const elements = { namedItem: (name: string) => inputs[name] ?? null };
  const { preview } = await drawLive({ elements } as unknown as HTMLFormElement, {
    picked,
    logoVersion: 0,
    code: undefined,
    onArrival: () => {},
  });
  return preview.drawn?.logo?.href;
}

test.each<[string, Uint8Array | string, string, string]>([
  ['an SVG named as a PNG', SVG, 'logo.png', 'image/svg+xml'],
  ['an SVG without a type', `\ufeff\n${SVG}`, 'logo', 'image/svg+xml'],
  ['an SVG in UTF-16', Buffer.from(`\ufeff${SVG}`, 'utf16le'), 'logo.svg', 'image/svg+xml'],
  ['a compressed SVG', gzipSync(SVG), 'logo.svgz', 'image/svg+xml'],
  ['a PNG named as an SVG', PNG, 'logo.svg', 'image/png'],
])('a browser shows %s by its content', async (_, bytes, name, type) => {
  const made = vi.spyOn(URL, 'createObjectURL');
  const file = new File([bytes as BlobPart], name, { type: name.endsWith('.png') ? 'image/png' : '' });
  const picked: Picked = { current: null };
  const href = await drawnWith(file, picked);
  expect(href).toMatch(/^blob:/);
  const [blob] = (made.mock.lastCall ?? []) as Blob[];
  expect(blob?.type).toBe(type);
  expect(Buffer.from((await blob?.arrayBuffer()) ?? new ArrayBuffer(0))).toEqual(
    name.endsWith('z') ? Buffer.from(SVG) : Buffer.from(bytes as string),
  );
  expect(await drawnWith(file, picked)).toBe(href);
  made.mockRestore();
});

test.each([
  ['<svg width="32" height="16">', '<svg width="32" height="16" viewBox="0 0 32 16">'],
  [
    "<svg id='a' height='1.5px' width='3px'><svg/>",
    `<svg id='a' height='1.5px' width='3px' viewBox="0 0 3 1.5"><svg/>`,
  ],
  ['<svg width="32" height="16" viewBox="0 0 1 1">', '<svg width="32" height="16" viewBox="0 0 1 1">'],
  ['<svg width="100%" height="16">', '<svg width="100%" height="16">'],
  ['<svg><rect width="32" height="16"/>', '<svg><rect width="32" height="16"/>'],
])('a browser shows %s in its proportions', async (svg, shown) => {
  const made = vi.spyOn(URL, 'createObjectURL');
  await drawnWith(new File([svg], 'a.svg'), { current: null });
  const [blob] = (made.mock.lastCall ?? []) as Blob[];
  expect(await blob?.text()).toBe(shown);
  made.mockRestore();
});

test('a compressed file that is damaged is shown as it is', async () => {
  const made = vi.spyOn(URL, 'createObjectURL');
  const file = new File([gzipSync(SVG).subarray(0, 30) as BlobPart], 'logo.svgz');
  await drawnWith(file, { current: null });
  expect(made).toHaveBeenLastCalledWith(file);
  made.mockRestore();
});

test('the address of the file chosen before is released', async () => {
  const released = vi.spyOn(URL, 'revokeObjectURL');
  const picked: Picked = { current: null };
  const first = await drawnWith(new File([SVG], 'a.svg'), picked);
  const second = await drawnWith(new File([SVG], 'b.svg'), picked);
  expect(second).not.toBe(first);
  expect(released.mock.calls).toEqual([[first]]);
  const { releasePicked } = await import('~/codes/create/live-drawing');
  releasePicked(picked);
  await Promise.resolve();
  expect(released.mock.calls).toEqual([[first], [second]]);
  expect(picked.current).toBeNull();
  released.mockRestore();
});
