import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answer, hearLog, openStandaloneSpool, sendAll, spoolFilesIn } from './spool-fixture';

const LANE = /^[\da-f-]{36} /;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Three visits that a killed process left, the second line changed, with a checksum that is right. */
async function leaveChanged(change: (text: string) => string) {
  const killed = openStandaloneSpool(folder);
  for (const name of ['first', 'second', 'third']) await answer(killed, name);
  const [path = ''] = spoolFilesIn(folder);
  const [first = '', second = '', third] = readFileSync(path, 'utf8').split('\n');
  const text = change(second.slice(9));
  const changed = `${crc32(text).toString(16).padStart(8, '0')} ${text}`;
  writeFileSync(path, `${first}\n${changed}\n${third}\n`);
  return { path, changed };
}

/** What the next process sends, and what it logs as an error. */
async function sendNow() {
  const { log, lines } = hearLog();
  const spool = openStandaloneSpool(folder, log);
  await spool.claimStale();
  const sent = await sendAll(spool);
  await spool.close();
  return { sent, errors: lines.filter(({ level }) => level === 50) };
}

test.each([
  ['a lane that is none', (text: string) => text.replace(LANE, 'no-lane ')],
  ['a number that is too large', (text: string) => text.replace(/ 2 1 /, ` 2${'0'.repeat(20)} 1 `)],
  ['a size that is too large', (text: string) => text.replace(/ 2 1 /, ` 2 ${2 ** 31} `)],
  ['the size zero', (text: string) => text.replace(/ 2 1 /, ' 2 0 ')],
  ['no visits', (text: string) => text.replace(/\[.*/, 'none')],
  ['an empty list of visits', (text: string) => text.replace(/\[.*/, '[0,[]]')],
  ['visits in another form', (text: string) => text.replace(/\[.*/, '[0,[{"a":1}]]')],
  ['a visit of no code', (text: string) => text.replace('[[null', '[["no code"')],
  ['a visitor that is no number', (text: string) => text.replace('null]]', '"no number"]]')],
  ['a text that the database refuses', (text: string) => text.replace('"second"', '"\\u0000"')],
  ['a time after the year 9999', (text: string) => text.replace(/ \d+ \[/, ' 253402300800000 [')],
])(
  'a line with %s and a right checksum is kept beside, named in the log, and holds up nothing',
  async (_, change) => {
    const { path, changed } = await leaveChanged(change);
    const { sent, errors } = await sendNow();
    expect(sent).toEqual(['first', 'third']);
    expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([`${path}.kept`]);
    expect(readFileSync(`${path}.kept`, 'utf8')).toBe(`${changed}\n`);
    expect(statSync(`${path}.kept`).mode & 0o777).toBe(0o600);
    expect(errors).toEqual([
      expect.objectContaining({
        lines: 1,
        file: path,
        keptIn: `${path}.kept`,
        msg: expect.stringMatching('unknown way'),
      }),
    ]);
  },
);

test.each([
  ['the largest size', (text: string) => text.replace(/ 2 1 /, ` 2 ${2 ** 31 - 1} `)],
  ['the last moment of the year 9999', (text: string) => text.replace(/ \d+ \[/, ' 253402300799999 [')],
  ['a field that a later release adds', (text: string) => text.replace('null]]', 'null,"an id",true]]')],
])('a line with %s is sent', async (_, change) => {
  const { path, changed } = await leaveChanged(change);
  expect(changed).toContain('second');
  expect(await sendNow()).toEqual({ sent: ['first', 'second', 'third'], errors: [] });
  expect(readdirSync(folder)).not.toContain(`${path}.kept`);
});

test('a kept line is sent once its file has a name that is read again', async () => {
  const { path } = await leaveChanged((text) => text);
  renameSync(path, `${path}.kept`);
  expect((await sendNow()).sent).toEqual([]);
  renameSync(`${path}.kept`, path);
  expect((await sendNow()).sent).toEqual(['first', 'second', 'third']);
});

test('if a line cannot be kept beside, its file waits, and nothing of it is lost', async () => {
  const { path, changed } = await leaveChanged(() => 'strange');
  mkdirSync(`${path}.kept`);
  const before = readFileSync(path, 'utf8');
  const { sent, errors } = await sendNow();
  expect(sent).toEqual([]);
  expect(errors).toEqual([
    expect.objectContaining({ file: path, msg: expect.stringMatching('cannot be read') }),
  ]);
  expect(readFileSync(path, 'utf8')).toBe(before);
  rmSync(`${path}.kept`, { recursive: true });
  expect((await sendNow()).sent).toEqual(['first', 'third']);
  expect(readFileSync(`${path}.kept`, 'utf8')).toBe(`${changed}\n`);
});
