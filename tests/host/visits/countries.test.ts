import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Logger, pino } from 'pino';
import { expect, test } from 'vitest';
import { openCountries, readInstalledDatabase } from '#host/visits/receive/countries';

const silent = pino({ level: 'silent' });

function recordingLog(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  return { log: pino({ level: 'warn' }, { write: (line: string) => lines.push(line) }), lines };
}

test.each([
  ['81.2.69.142', 'GB'],
  ['::ffff:81.2.69.142', 'GB'],
  ['2a02:8071::1', 'DE'],
  ['2001:4860:4860::8888', 'US'],
  ['127.0.0.1', ''],
  ['10.1.2.3', ''],
  ['::1', ''],
  ['fd00::1', ''],
  ['fe80::1%eth0', ''],
  ['', ''],
  ['no address', ''],
  ['1.2.3.4.5', ''],
  ['81.2.69.142%eth0', ''],
])('the country of %s is %j', (ip, country) => {
  expect(openCountries(readInstalledDatabase, silent).find(ip)).toBe(country);
});

test('the installed database says when it was compiled', () => {
  const { asOf } = openCountries(readInstalledDatabase, silent);
  expect(asOf?.getTime()).toBeGreaterThan(Date.UTC(2026, 0));
});

test.each([
  ['missing', () => readFileSync(join(tmpdir(), 'no-such-folder', 'countries.mmdb'))],
  ['empty', () => Buffer.alloc(0)],
  ['not a database', () => Buffer.from('<html>'.repeat(1_000))],
])('a file that is %s leaves countries unknown, and a line in the log says so', (_, read) => {
  const { log, lines } = recordingLog();
  const countries = openCountries(read, log);
  expect([countries.find('81.2.69.142'), countries.asOf]).toEqual(['', null]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('visits are counted without a country');
});

test('no damage to the file makes a look-up throw', () => {
  const whole = readInstalledDatabase();
  const damage = fc.record({
    // The first half of the cases hits the nodes, the second the data and the metadata at the end.
    from: fc.oneof(
      fc.nat(whole.length - 1),
      fc.integer({ min: whole.length - 4_000, max: whole.length - 1 }),
    ),
    length: fc.integer({ min: 1, max: 4_096 }),
    value: fc.nat(255),
  });
  fc.assert(
    fc.property(damage, fc.array(fc.ipV4(), { minLength: 50, maxLength: 50 }), (part, ips) => {
      const bytes = Buffer.from(whole).fill(
        part.value,
        part.from,
        Math.min(part.from + part.length, whole.length),
      );
      const { find } = openCountries(() => bytes, silent);
      for (const ip of ips) expect(find(ip)).toMatch(/^(?:[A-Z]{2})?$/);
    }),
    { numRuns: 50 },
  );
});
