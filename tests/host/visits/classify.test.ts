import { expect, test } from 'vitest';
import { isSpeculative, readAgent, readLanguage } from '#host/visits/receive/classify';

const SAFARI = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0';

test.each([
  [
    'iPhone',
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${SAFARI} Version/17.4 Mobile/15E148 Safari/604.1`,
  ],
  ['CamScanner', `Mozilla/5.0 (Linux; Android 9; SM-J701F) ${CHROME} Mobile Safari/537.36 CamScanner/6.4`],
  [
    'Facebook in-app on iOS',
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${SAFARI} Mobile/15E148 [FBAN/FBIOS;FBAV/450.0;FBDV/iPhone14,5;FBCR/Spider Telecom;FBOP/5]`,
  ],
  [
    'Facebook in-app on Android',
    `Mozilla/5.0 (Linux; Android 13; SM-A750FN; wv) ${CHROME} Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/450.0;]`,
  ],
  [
    'Instagram in-app',
    `Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) ${CHROME} Mobile Safari/537.36 Instagram 312.0.0.0 Android (34/14; 420dpi; Google; Pixel 8 bot; en_GB)`,
  ],
  ['jackpot2lte', `Mozilla/5.0 (Linux; Android 9; jackpot2lte) ${CHROME} Mobile Safari/537.36`],
  ['Cubot', `Mozilla/5.0 (Linux; Android 11; CUBOT_X30 bot) ${CHROME} Mobile Safari/537.36`],
  [
    'Google app',
    `Mozilla/5.0 (iPhone; CPU iPhone OS 16_0 like Mac OS X) ${SAFARI} GSA/250.0 Mobile/15E148 Safari/604.1`,
  ],
  ['desktop Chrome', `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`],
])('%s is a person', (_, userAgent) => {
  expect(readAgent(userAgent).robot).toBeNull();
});

test.each([
  ['Googlebot', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
  [
    'Googlebot as a phone',
    `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${CHROME} Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
  ],
  ['a robot inside the Android brackets', 'Mozilla/5.0 (Linux; Android 7.0; compatible; Bytespider) Mobile'],
  ['Applebot', 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1 (Applebot/0.1; +http://www.apple.com/go/applebot)'],
  ['curl', 'curl/8.5.0'],
  ['a library', 'python-requests/2.31'],
  ['nothing', ''],
  ['blanks', '  '],
])('%s is a robot', (_, userAgent) => {
  expect(readAgent(userAgent).robot).toBe('bot');
});

test('a request without a user agent is a robot', () => {
  expect(readAgent(undefined)).toEqual({ text: '', robot: 'bot', device: 'other', os: 'other' });
});

test.each([
  'WhatsApp/2.23.20.0 A',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'TelegramBot (like TwitterBot)',
  'Twitterbot/1.0',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
])('%s fetches a preview', (userAgent) => {
  expect(readAgent(userAgent).robot).toBe('preview');
});

test.each([
  ['phone', 'ios', `Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) ${SAFARI} Mobile/15E148`],
  ['tablet', 'ios', `Mozilla/5.0 (iPad; CPU OS 16_0 like Mac OS X) ${SAFARI} Mobile/15E148 Safari/604.1`],
  ['phone', 'android', `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${CHROME} Mobile Safari/537.36`],
  ['tablet', 'android', `Mozilla/5.0 (Linux; Android 13; SM-X906C) ${CHROME} Safari/537.36`],
  // Internet Explorer names the pen support of Windows "Tablet PC", also on desktops.
  ['tablet', 'android', 'Mozilla/5.0 (Android 14; Tablet; Mobile; rv:125.0) Gecko/125.0 Firefox/125.0'],
  ['desktop', 'windows', 'Mozilla/5.0 (Windows NT 6.1; Trident/7.0; Tablet PC 2.0; rv:11.0) like Gecko'],
  ['phone', 'windows', 'Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Lumia 950) Mobile Safari/537.36'],
  ['desktop', 'windows', `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`],
  [
    'desktop',
    'macos',
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${SAFARI} Version/17.4 Safari/605.1.15`,
  ],
  ['desktop', 'linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0'],
  ['desktop', 'chromeos', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME} Safari/537.36`],
  [
    'phone',
    'other',
    'Opera/9.80 (J2ME/MIDP; Opera Mini/4.5.40312/191.240; U; en) Presto/2.12.423 Version/12.16',
  ],
  ['phone', 'android', 'Opera/9.80 (Android; Opera Mini/36.2/119.132; U; id) Presto/2.12.423 Version/12.16'],
  ['tablet', 'ios', 'Opera/9.80 (iPad; Opera Mini/7.1/27.1407; U; en) Presto/2.8.119 Version/11.10'],
  ['other', 'other', 'Mozilla/5.0 (PlayStation 5) AppleWebKit/605.1.15'],
])('reads %s and %s', (device, os, userAgent) => {
  expect(readAgent(userAgent)).toMatchObject({ device, os });
});

test('a user agent of any length is parsed, and truncated to a thousand characters', () => {
  expect(readAgent(`Mozilla/5.0 ${'x'.repeat(20_000)}`).text).toHaveLength(1_000);
});

test.each([
  ['fr-FR,fr;q=0.9,en;q=0.8', 'fr'],
  ['en;q=0.5, de;q=0.9', 'de'],
  ['EN', 'en'],
  ['de, fr', 'de'],
  ['it;q=0.5, fr;q=0.8, es;q=0.8', 'fr'],
  ['fil-PH,fil;q=0.9', 'fil'],
  ['iw-IL', 'he'],
  ['en_US', 'en'],
  ['*, fr;q=0.5', 'fr'],
  ['*', ''],
  ['', ''],
  ["en'; drop table visits", ''],
  ['en;q=nonsense', ''],
  [`${'en,'.repeat(1_000)}de`, ''],
])('Accept-Language %j prefers %j', (header, language) => {
  expect(readLanguage(header)).toBe(language);
});

test('a visit without Accept-Language has no language', () => {
  expect(readLanguage(undefined)).toBe('');
});

test.each([
  ['sec-purpose', 'prefetch', true],
  ['sec-purpose', 'prefetch;prerender', true],
  ['purpose', 'prefetch', true],
  ['x-moz', 'prefetch', true],
  ['x-purpose', 'preview', true],
  ['x-purpose', 'instant', false],
  ['accept', 'prefetch', false],
])('%s: %s is speculative: %s', (name, value, expected) => {
  expect(isSpeculative((requested) => (requested === name ? value : undefined))).toBe(expected);
});
