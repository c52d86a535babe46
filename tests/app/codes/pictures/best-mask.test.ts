import fc from 'fast-check';
import { create } from 'qrcode/lib/core/qrcode.js';
import { expect, test } from 'vitest';
import { applyBestMask } from '~/codes/pictures/best-mask';

const LEVEL_H = { errorCorrectionLevel: 'H' as const };

test('the best mask is the one that the drawing library finds, in every size', () => {
  const payload = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(payload, fc.integer({ min: 1, max: 40 }), (text, version) => {
      const needed = create(text, LEVEL_H).version;
      const options = { ...LEVEL_H, version: Math.max(needed, version) };
      const { modules } = create(text, { ...options, maskPattern: 0 });
      applyBestMask(modules);
      expect(Buffer.from(modules.data).equals(create(text, options).modules.data)).toBe(true);
    }),
    { numRuns: 150 },
  );
});
