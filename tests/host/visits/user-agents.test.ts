import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readAgent } from '#host/visits/receive/classify';

/** The share of robots that are recognised, and of people that are not taken for one; see docs/visits.md. */
const ROBOTS_RECOGNISED = 0.996;
const PEOPLE_RECOGNISED = 1;

const linesOf = (file: string) =>
  readFileSync(new URL(`user-agents/${file}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

/** Lines are a device and the header. */
const peopleIn = (file: string) =>
  linesOf(file).map((line) => {
    const [, device = '', header = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    return { device, header };
  });

test('robots that say who they are do not count as people', () => {
  const robots = linesOf('robots');
  expect(robots.length).toBeGreaterThan(2_000);
  const missed = robots.filter((header) => readAgent(header).robot === null);
  expect(1 - missed.length / robots.length, missed.join('\n')).toBeGreaterThanOrEqual(ROBOTS_RECOGNISED);
});

test.each([
  ['browsers', 50],
  ['apps', 70],
])('people with the headers of %s count, with their device', (file, least) => {
  const people = peopleIn(file);
  expect(people.length).toBeGreaterThan(least);
  const missed = people.filter(({ header }) => readAgent(header).robot !== null);
  expect(
    1 - missed.length / people.length,
    missed.map(({ header }) => header).join('\n'),
  ).toBeGreaterThanOrEqual(PEOPLE_RECOGNISED);
  expect(people.filter(({ device, header }) => readAgent(header).device !== device)).toEqual([]);
});

test.each([
  ['QRScannerApp/1.0'],
  ['QR Code Reader 2.3'],
  ['Scanner'],
  ['Barcode Scanner/5 (Android)'],
  ['QRbot/3.2;'],
  ['com.example.scanner/1.0'],
  ['NFC Tools/8'],
  ['SearchCraft/3.8.6'],
  ['Process/tools NetType/WIFI'],
])('the browser of an app that calls itself %s is a person, and a robot of that name is not', (name) => {
  const phone =
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.0.0 Mobile Safari/537.36';
  expect(readAgent(`${phone} ${name}`).robot).toBeNull();
  expect(readAgent(`${phone} (compatible; ${name}; +https://example.com/robot)`).robot).toBe('bot');
});

test('only the browser of a phone may be called a scanner; of a desktop only one for codes', () => {
  const desktop =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';
  expect(readAgent(`${desktop} QRScannerApp/1.0`).robot).toBeNull();
  expect(readAgent(`${desktop} SecurityScanner/1.0`).robot).toBe('bot');
  expect(readAgent('QRScanner/1.0').robot).toBe('bot');
});

test.each([
  'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
  'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Trident/7.0; .NET4.0E; ms-office; MSOffice rmj)',
  'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Trident/7.0; Microsoft Outlook 16.0.5134; MSOffice 16)',
  'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Word 16.0.17126; Pro)',
  'Microsoft Office Existence Discovery',
  'Microsoft-WebDAV-MiniRedir/10.0.19045',
  'MacOutlook/16.78.23100802 (Intelx64 Mac OS X Version 13.5.1 (Build 22G90))',
  'Outlook-iOS/723.4106.prod.iphone (3.24.1)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_0) Word/16.78.23100802',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Barracuda Sentinel (EE)',
  'Mozilla/5.0 (compatible; Proofpoint URL Defense)',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36 Mimecast',
  'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041.3803',
  'Mozilla/5.0 (compatible; VirusTotalCloud)',
  'Go-http-client/2.0',
  'Wget/1.21.4',
  'Dart/3.1 (dart:io)',
])('%s checks links, so that a click does not count twice', (header) => {
  expect(readAgent(header).robot).not.toBeNull();
});

test('a message in the browser of Viber is read by a person, and its preview is not', () => {
  const browser =
    'Mozilla/5.0 (Linux; Android 13; SM-X200; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/119.0.0.0 Safari/537.36';
  expect(readAgent(`${browser} Viber/21.3.0.7`).robot).toBeNull();
  expect(readAgent('Viber/21.3.0.7 CFNetwork/1121.2.2 Darwin/19.3.0').robot).toBe('preview');
});
