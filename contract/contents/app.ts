import { targetOf } from '../web-addresses';
import type { ContentType, OpensCode, Stored } from './content-type';
import { checkParts, LINK, ofParts, readParts, tidyParts } from './parts';

const PARTS = { appStore: LINK, googlePlay: LINK, otherAddress: LINK } as const;
/** As on the page. */
const NAMES = Object.keys(PARTS);

export interface AppParts {
  appStore?: string;
  googlePlay?: string;
  otherAddress?: string;
}

const SHAPES = {
  appStore: /^https?:\/\/(?:apps|itunes|geo\.itunes)\.apple\.com\/(?:[^?#]*\/)?id\d{5,}(?:[/?#]|$)/i,
  googlePlay:
    /^https?:\/\/play\.google\.com\/store\/apps\/details\?(?:[^#]*&)?id=[a-z]\w*(?:\.\w+)+(?:[&#]|$)/i,
};

export const app = {
  ...ofParts(PARTS),
  visit: 'system',
  acts: [],
  main: 'appStore',
  check(fields: AppParts, opensCode: OpensCode) {
    const parts = tidyParts(PARTS, fields);
    if (Object.keys(parts).length === 0) return [{ field: 'appStore', code: 'app_required' as const }];
    const problems = checkParts(PARTS, fields, opensCode);
    const isFine = (field: string) => !problems.some((problem) => problem.field === field);
    const { appStore = '', googlePlay = '' } = parts;
    return [
      ...problems,
      ...(appStore && isFine('appStore') && !SHAPES.appStore.test(appStore)
        ? [{ field: 'appStore', code: 'app_store_invalid' as const }]
        : []),
      ...(googlePlay && isFine('googlePlay') && !SHAPES.googlePlay.test(googlePlay)
        ? [{ field: 'googlePlay', code: 'google_play_invalid' as const }]
        : []),
    ].sort((a, b) => NAMES.indexOf(a.field) - NAMES.indexOf(b.field));
  },
  /** An image cannot tell phones apart. */
  payload: ({ content }: Stored) => targetOf(firstAddress(content)),
  line: (content: string) =>
    firstAddress(content)
      .replace(/^https?:\/\/(?:www\.)?/i, '')
      .replace(/\/$/, ''),
} as const satisfies ContentType<AppParts>;

/** For everybody, if there is one. */
function firstAddress(content: string): string {
  const { otherAddress, appStore, googlePlay } = readParts<AppParts>(content);
  return otherAddress ?? appStore ?? googlePlay ?? '';
}
