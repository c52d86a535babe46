import { expect, test } from 'vitest';
import type { AppParts } from '#contract/contents/app';
import {
  checkContent,
  compose,
  contentLine,
  isDynamic,
  isMeasured,
  payloadOf,
} from '#contract/contents/contents';

const app = (parts: AppParts) => ({ type: 'app' as const, content: '', ...parts });
const IOS = 'https://apps.apple.com/de/app/quadrille/id1234567890?mt=8';
const ANDROID = 'https://play.google.com/store/apps/details?hl=de&id=com.example.quadrille';

test.each<AppParts>([
  { appStore: IOS },
  { appStore: 'apps.apple.com/app/id12345' },
  { appStore: 'https://itunes.apple.com/app/id1234567890' },
  { googlePlay: ANDROID },
  { otherAddress: 'example.com' },
  { appStore: IOS, googlePlay: ANDROID, otherAddress: 'https://example.com/app' },
])('%j is accepted', (parts) => {
  expect(checkContent(app(parts))).toEqual([]);
});

test.each<[AppParts, { field: string; code: string }[]]>([
  [{}, [{ field: 'appStore', code: 'app_required' }]],
  [{ appStore: 'https://example.com/id1234567890' }, [{ field: 'appStore', code: 'app_store_invalid' }]],
  [
    { appStore: 'https://apps.apple.com.evil.example/app/id12345' },
    [{ field: 'appStore', code: 'app_store_invalid' }],
  ],
  [{ appStore: 'https://apps.apple.com/de/developer/x' }, [{ field: 'appStore', code: 'app_store_invalid' }]],
  [{ appStore: 'javascript:alert(1)' }, [{ field: 'appStore', code: 'link_invalid' }]],
  [
    { googlePlay: 'https://play.google.com/store/apps' },
    [{ field: 'googlePlay', code: 'google_play_invalid' }],
  ],
  [
    { googlePlay: 'https://play.google.com/store/apps/details?id=com' },
    [{ field: 'googlePlay', code: 'google_play_invalid' }],
  ],
  [
    { appStore: ANDROID, googlePlay: IOS },
    [
      { field: 'appStore', code: 'app_store_invalid' },
      { field: 'googlePlay', code: 'google_play_invalid' },
    ],
  ],
])('%j is refused', (parts, problems) => {
  expect(checkContent(app(parts))).toEqual(problems);
});

test('addresses that open our codes are refused', () => {
  expect(checkContent(app({ otherAddress: 'q.example/r/1' }), () => true)).toEqual([
    { field: 'otherAddress', code: 'link_own' },
  ]);
});

test('its visits are counted, but what follows them is not measured', () => {
  expect([isDynamic('app'), isMeasured('app')]).toEqual([true, false]);
});

test('an image, which cannot tell phones apart, has the address for everybody, else a store', () => {
  expect(payloadOf(app({ appStore: IOS, otherAddress: 'bücher.example' }))).toBe(
    'https://xn--bcher-kva.example',
  );
  expect(payloadOf(app({ appStore: IOS, googlePlay: ANDROID }))).toBe(IOS);
  expect(payloadOf(app({}))).toBe('');
  const { content } = compose(app({ googlePlay: ANDROID }));
  expect(contentLine({ type: 'app', content })).toBe(ANDROID.slice(8));
});
