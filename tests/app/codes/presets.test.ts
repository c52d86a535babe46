import sharp from 'sharp';
import { expect, test } from 'vitest';
import { readPresets } from './pictures/logos';

const presets = Array.from(await readPresets());

test('there are at least fourteen presets with plain file names', () => {
  expect(presets.length).toBeGreaterThanOrEqual(14);
  for (const [name] of presets) expect(name).toMatch(/^[a-z]+(-[a-z]+)*\.svg$/);
});

test.each(presets)('%s is a plain drawing in the two preset colours', (_name, svg) => {
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 24 24" /);
  expect(svg).not.toMatch(/<script|<style|<image|href|url\(| on\w+=/i);
  const colours = new Set(svg.match(/#[\da-f]{3,8}/gi));
  expect(Array.from(colours).filter((colour) => colour !== '#14203c' && colour !== '#c4361f')).toEqual([]);
});

test.each(presets)('%s fills its square, centred, without touching the edge', async (_name, svg) => {
  const { data, info } = await sharp(Buffer.from(svg), { density: 720 })
    .extractChannel('alpha')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const painted = Array.from(data.entries()).filter(([, alpha]) => alpha > 127);
  const columns = painted.map(([index]) => index % info.width);
  const rows = painted.map(([index]) => Math.floor(index / info.width));
  const [left, right] = [columns.reduce((a, b) => Math.min(a, b)), columns.reduce((a, b) => Math.max(a, b))];
  const [top, bottom] = [rows.reduce((a, b) => Math.min(a, b)), rows.reduce((a, b) => Math.max(a, b))];
  expect(info.width).toBe(240);
  expect(Math.min(left, top, 239 - right, 239 - bottom)).toBeGreaterThan(4);
  expect(Math.max(right - left, bottom - top)).toBeGreaterThan(185);
  expect(Math.abs((left + right) / 2 - 119.5)).toBeLessThan(8);
  expect(Math.abs((top + bottom) / 2 - 119.5)).toBeLessThan(8);
});
