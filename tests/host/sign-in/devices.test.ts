import { expect, test } from 'vitest';
import { describeDevice } from '#host/sign-in/devices';

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit';
const CHROME = '(KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36';

test.each([
  [`${MAC}/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15`, 'Safari', 'macOS', 'desktop'],
  [`${MAC}/537.36 ${CHROME}`, 'Chrome', 'macOS', 'desktop'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 ${CHROME} Edg/130.0.0.0`,
    'Microsoft Edge',
    'Windows',
    'desktop',
  ],
  [`Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 ${CHROME} OPR/115.0.0.0`, 'Opera', 'Windows', 'desktop'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:138.0) Gecko/20100101 Firefox/138.0', 'Firefox', 'Linux', 'desktop'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 ${CHROME}`, 'Chrome', 'ChromeOS', 'desktop'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0 Mobile/15E148 Safari/604.1',
    ...(['Chrome', 'iOS', 'mobile'] as const),
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
    ...(['Safari', 'iPadOS', 'tablet'] as const),
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36',
    ...(['Samsung Internet', 'Android', 'mobile'] as const),
  ],
  [
    `Mozilla/5.0 (Linux; Android 14; Pixel Tablet) AppleWebKit/537.36 ${CHROME}`,
    'Chrome',
    'Android',
    'tablet',
  ],
  ['curl/8.5.0', 'curl', '', 'unknown'],
  ['', '', '', 'unknown'],
  ['<script>alert(1)</script>', '', '', 'unknown'],
])('%s is described in words', (userAgent, browser, system, kind) => {
  expect(describeDevice(userAgent)).toEqual({ browser, system, kind });
});
