import { env } from '~/http/env.server';
import type { Scope } from '~/http/scope.server';
import { i18nOf } from '~/i18n/messages.server';
import type { DevelopersText } from './sections';

interface Change {
  /** Names the change in addresses, for good. */
  id: string;
  /** The day of the release. */
  day: string;
  title: string;
  /** May have `code` and [links](/to), as the guide. */
  text: string;
}

/** What programs can do since when, newest first; nothing that is documented goes away within `/api/v1`. */
const CHANGES: readonly Change[] = [
  {
    id: 'written-contents',
    day: '2026-12-01',
    title: 'Contents as their owner writes them, and languages by their current code',
    text: 'The contents in `/api/v1/statistics/code-days.csv` are written as in `codes.csv`, such as `café` instead of `caf%C3%A9`. The `languages` of a rule come back by their current codes, such as `nb` for `no`, and a variant keeps the `route` that it was sent with only if that number stood for its target. A copy whose rules, schedule or end lead to an address that no new code may have is refused with a mistake at `routing`. A longitude with the letter O, which is east in one language and west in others, is refused, and so is a parameter of the tool `find_codes` that is no single value. A renewed key lives as long as it was made for.',
  },
  {
    id: 'counted-ends',
    day: '2026-12-01',
    title: 'A code ends after a number of visits only if they are counted',
    text: '`PATCH /api/v1/codes/{id}` refuses `routing.end.visits` with the mistake `end_uncounted` while the visits of a code are not counted, and `"counted": false` with `counted_for_end` for a code that has such an end; so does the act `uncount` of `POST /api/v1/jobs`. All visits count for that number, also those of a paused or private code. A code that has ended by it stays ended until the number is raised or removed, whatever else of its end is changed.',
  },
  {
    id: 'strict-everywhere',
    day: '2026-11-30',
    title: 'Unknown fields are refused inside others, and OAuth refuses unknown scopes',
    text: 'Fields that a call does not know are refused with `field_unknown` also inside others, such as `/routing/rules/0/variants/0/weight`, in forms, and as parameters of files; what was read of a logo or an end may be sent back. An unknown `scope` is answered with `invalid_scope` instead of read as another, and every refusal of `/oauth/token`, `/oauth/register` and `/oauth/revoke` has `error` and `error_description`. Assistants whose key may only read are shown only tools that read, `draw_code` says and keeps the bounds of `size`, and `restyle_code` refuses fields that are no part of a look. The error `malformed` says what could not be read.',
  },
  {
    id: 'described',
    day: '2026-11-30',
    title: 'A document that says what is accepted, and mistakes that say what to send',
    text: 'The OpenAPI document and the [reference](/developers/reference) have the values, formats and bounds of every field, the permission that each call needs, and the statuses 304 and 412. Answers are described as open: new fields may come. A mistake says which values are accepted. Moments may have an offset, such as `2026-12-01T09:00:00+01:00`. A 429 names the limit that is used up, and [all limits](/developers#limits) are in the guide.',
  },
  {
    id: 'strict-requests',
    day: '2026-11-30',
    title: 'Unknown fields are refused, and errors have names of their own',
    text: 'Fields and parameters that a call does not know are refused with the mistake `field_unknown`, also within `filter` of `POST /api/v1/jobs`, and `dry_run` with `dry_run_unsupported` where nothing is made. Deleting by a filter that matches everything needs `expected` or `"show": "all"`; a dry run of a job answers with `total`. Bodies need the type `application/json`, files `multipart/form-data`. A `limit` that cannot be read is refused on every list. Pointers lead to the field itself, such as `/variants/0/target`. Requests that cannot be met have the errors `webhook_limit`, `rotated_recently`, `count_differs` and `too_many` instead of `conflict` or an empty answer, and a wrong method gets `method_not_allowed` with `Allow`.',
  },
  {
    id: 'whole-lists',
    day: '2026-11-30',
    title: 'Lists with an end, looks with an ETag',
    text: '`GET /api/v1/jobs` goes on with `nextCursor` beyond the 20 newest, a part of `POST /api/v1/codes/selection` says whether more follow, and the messages of a webhook are listed once each while others are sent. New: `GET /api/v1/looks/{id}`; looks have an `ETag` and take `If-Match`. Every `POST` that changes something takes an `Idempotency-Key`, trials leave the hourly limits as they are, and `GET /api/v1/codes/{id}/logo` answers with SVG for a ready-made logo. Keys that may only read list webhooks and their messages.',
  },
  {
    id: 'selections',
    day: '2026-11-30',
    title: 'Selections with their totals, and refused filters',
    text: '`POST /api/v1/codes/selection` answers with `meta` (`total` and, if asked for, `visited`), and refuses filters that it cannot read with the error `invalid`, as the list does; until now it ignored them. A search finds the end of long contents, too. A request with an `Idempotency-Key` that ended with a server error can be sent again after a minute and still takes effect once. Changes of codes are limited to 20,000 an hour.',
  },
  {
    id: 'origins',
    day: '2026-11-29',
    title: 'Calls from web pages, and messages in the OpenAPI document',
    text: 'A key may name [web pages that call with it](/developers#pages). From now on, a request with the header `Origin` is refused with the error `origin_not_allowed` unless its key names it. The OpenAPI document describes the messages to webhooks.',
  },
  {
    id: 'batches',
    day: '2026-11-29',
    title: 'Many codes by one call',
    text: 'New: `POST /api/v1/codes/batch` makes up to [1,000 codes](/developers#batch), all or none. The tool `create_code` of assistants takes an `idempotencyKey`. A file with a logo of your own, and each tool that is used, now count as one call.',
  },
  {
    id: 'files-and-assistants',
    day: '2026-11-28',
    title: 'Files of codes, routing, copies and assistants',
    text: 'New: `GET /api/v1/codes/{id}/file.{format}` hands out SVG, PNG, JPEG and PDF files that decoders have read, with the error `file_unreadable` for those that they do not. Rules and their trial are below `/api/v1/codes/{id}/rules` and `/routing`, copies at `/copies`, and `/api/v1/key` says what a key may do. Assistants connect to [/mcp](/developers#assistants).',
  },
  {
    id: 'version-1',
    day: '2026-11-28',
    title: 'The API, version 1',
    text: 'Codes, tags, looks, logos, statistics, imports and work on many codes, with [API keys](/developers#first).',
  },
];

export function changelogData({ locale }: Pick<Scope, 'locale'>): DevelopersText {
  const { t } = i18nOf(locale);
  return {
    title: t('developers:changelog.title'),
    lead: t('developers:changelog.lead'),
    sections: CHANGES.map(({ id, day, title, text }) => ({
      id,
      title: `${day}: ${title}`,
      isEnglish: true,
      blocks: [{ text }],
    })),
  };
}

/** The same as an Atom feed (RFC 4287), in English. */
export function changelogFeed(): string {
  const page = `${env.PUBLIC_URL}/developers/changelog`;
  const entries = CHANGES.map(
    ({ id, day, title, text }) => `  <entry>
    <id>${page}#${id}</id>
    <title>${escaped(title)}</title>
    <updated>${day}T00:00:00Z</updated>
    <link href="${page}#${id}"/>
    <content type="text">${escaped(text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', ''))}</content>
  </entry>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${page}</id>
  <title>${escaped(`${env.APP_NAME} API`)}</title>
  <updated>${CHANGES[0]?.day}T00:00:00Z</updated>
  <author><name>${escaped(env.APP_NAME)}</name></author>
  <link href="${page}"/>
  <link rel="self" href="${page}.atom"/>
${entries.join('\n')}
</feed>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
