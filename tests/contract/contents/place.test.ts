import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkContent, compose, contentLine, payloadOf } from '#contract/contents/contents';
import { positionText, readPosition } from '#contract/contents/positions';

const place = (position: string, more = {}) => ({ type: 'place' as const, content: '', position, ...more });

test.each([
  ['48.1, 11.5', '48.1, 11.5'],
  ['48.137154,11.576124', '48.137154, 11.576124'],
  ['48,137154 11,576124', '48.137154, 11.576124'],
  ['48,137154; 11,576124', '48.137154, 11.576124'],
  ['-33.8568 151.2153', '-33.8568, 151.2153'],
  ['geo:37.786971,-122.399677;u=35', '37.786971, -122.399677'],
  ['geo:37.78,-122.39?z=12', '37.78, -122.39'],
  ['48°08\'14"N 11°34\'31"E', '48.137222, 11.575278'],
  ['N 48° 8.25′, E 11° 34.5′', '48.1375, 11.575'],
  ['33°51′S 151°12′E', '-33.85, 151.2'],
  [
    'https://www.google.com/maps/place/X/@48.1,11.4,17z/data=!3m1!4b1!4m6!3m5!8m2!3d48.1371!4d11.5754',
    '48.1371, 11.5754',
  ],
  ['https://www.google.com/maps/@48.1371,11.5754,15z', '48.1371, 11.5754'],
  ['https://maps.google.com/?q=48.1371,11.5754', '48.1371, 11.5754'],
  ['https://www.google.com/maps/search/?api=1&query=48.1371%2C11.5754', '48.1371, 11.5754'],
  ['https://maps.apple.com/?ll=48.1371,11.5754&q=Marienplatz', '48.1371, 11.5754'],
  ['https://maps.apple.com/place?coordinate=48.1371,11.5754&name=X', '48.1371, 11.5754'],
  ['https://www.openstreetmap.org/#map=17/48.1371/11.5754', '48.1371, 11.5754'],
  ['https://www.openstreetmap.org/?mlat=48.2&mlon=11.6#map=17/48.1/11.5', '48.2, 11.6'],
  ['https://www.bing.com/maps?cp=48.1371%7E11.5754&lvl=15', '48.1371, 11.5754'],
])('%j is the position %s', (entered, position) => {
  expect(checkContent(place(entered))).toEqual([]);
  expect(JSON.parse(compose(place(entered)).content)).toEqual({ position });
  expect(payloadOf(place(entered))).toBe(`geo:${position.replace(' ', '')}`);
});

test.each([
  ['', 'position_required'],
  ['Marienplatz', 'position_invalid'],
  ['48.1', 'position_invalid'],
  ['91, 11', 'position_invalid'],
  ['48, 181', 'position_invalid'],
  ['1, 2, 3.4.5 and more, 999', null],
  // East in German, west in French, Spanish and Italian: Madrid would be in the sea.
  ['40°24′59″N 3°42′09″O', 'position_invalid'],
  ['https://maps.app.goo.gl/abc', 'position_in_no_address'],
  ['https://example.com/?q=pizza', 'position_in_no_address'],
])('%j is judged: %s', (entered, code) => {
  expect(checkContent(place(entered))).toEqual(code ? [{ field: 'position', code }] : []);
});

test('a place is called by its name, its address or its position', () => {
  const line = (more: object) => contentLine({ type: 'place', content: compose(place('1,2', more)).content });
  expect(line({ placeName: 'Café', placeAddress: 'Rue 1' })).toBe('Café');
  expect(line({ placeAddress: 'Rue 1' })).toBe('Rue 1');
  expect(line({})).toBe('1, 2');
});

test('every position on Earth is read back from its text to a tenth of a metre', () => {
  const angle = (most: number) => fc.double({ min: -most, max: most, noNaN: true });
  fc.assert(
    fc.property(angle(90), angle(180), (latitude, longitude) => {
      const text = positionText({ latitude, longitude });
      expect(text).toMatch(/^-?\d+(?:\.\d{1,6})?, -?\d+(?:\.\d{1,6})?$/);
      const read = readPosition(text);
      expect(Math.abs((read?.latitude ?? 99) - latitude)).toBeLessThan(0.000_001);
      expect(Math.abs((read?.longitude ?? 999) - longitude)).toBeLessThan(0.000_001);
      expect(read && positionText(read).replace('-0,', '0,')).toBe(text.replace(/-0(?=,|$)/g, '0'));
    }),
  );
});

test('whatever is entered, a position is on Earth', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.,;-° \'"NSEW') }), (entered) => {
      const read = readPosition(entered) ?? { latitude: 0, longitude: 0 };
      expect(Math.abs(read.latitude)).toBeLessThanOrEqual(90);
      expect(Math.abs(read.longitude)).toBeLessThanOrEqual(180);
    }),
    { numRuns: 1_000 },
  );
});
