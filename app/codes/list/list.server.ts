import { redirect } from '@remix-run/node';
import type { ListedCode } from '#contract/codes';
import { BULK_IDS } from '#contract/jobs';
import { listTags } from '#contract/labels';
import { LOCALES } from '#contract/locales';
import { readClaims } from '#runtime/session-cookies';
import {
  hasCodes,
  isNarrowed,
  isUsual,
  listCodes,
  nameOf,
  readCodeQuery,
  searchOf,
  shortContent,
} from '~/codes/code/codes.server';
import { readNotices } from '~/http/flash.server';
import { callHost } from '~/http/host.server';
import { newFormKey, type UserScope } from '~/http/scope.server';
import { relativeTime } from '~/ui/format';
import type { CodeRow } from './code-row';
import { readIds } from './selection.server';
import { thumbnailVersion } from './thumbnails.server';

export type ListOfCodes = Awaited<ReturnType<typeof listOfCodes>>;

/** Data of the list page: the codes that match its query, and the state of the filter form. */
export async function listOfCodes(scope: UserScope) {
  const { searchParams } = scope.url;
  redirectToPlainAddress(searchParams);
  const query = readCodeQuery(searchParams);
  const selected = readIds(searchParams).slice(0, BULK_IDS);
  const [{ data, meta }, tags, notices] = await Promise.all([
    listCodes(scope, query),
    callHost(scope, listTags),
    readNotices(scope.request),
  ]);
  const address = searchOf(query);
  const narrowed = isNarrowed(query);
  const hasNone = meta.total === 0 && !narrowed;
  const areAllArchived = hasNone && (await hasCodes(scope));
  const { type = '', visibility = '', import: madeBy = '', size, ...values } = query;
  const now = new Date();
  return {
    codes: data.map((code) => rowOf(code, now, LOCALES[scope.locale].tag)),
    meta,
    filter: {
      values: { ...values, type, visibility, import: madeBy, size: String(size) },
      tags: tags.data,
      isNarrowed: narrowed,
      fields: [...new URLSearchParams(join(address, meta.page > 1 ? `page=${meta.page}` : ''))],
      address,
    },
    isEmpty: hasNone && !areAllArchived,
    areAllArchived,
    pictures: `/user/qrcodes/pictures.svg?${join(address, `page=${meta.page}`, `v=${thumbnailVersion(data)}`)}`,
    selected,
    owner: readClaims(scope.user.token)?.sub ?? null,
    changed: notices.find(({ key }) => key === 'bulk_done')?.id ?? null,
    deleted: notices.find(({ key }) => key === 'qrcode_deleted')?.values?.id ?? null,
    key: newFormKey(scope),
    newId: notices.find(({ key }) => key === 'qrcode_created')?.values?.id ?? null,
  };
}

/** What a form sends without scripts: fields with their usual values, ticked codes one by one, and the page to go to. */
function redirectToPlainAddress(given: URLSearchParams): void {
  const plain = new URLSearchParams([...given].filter(([name, value]) => !isUsual(name, value)));
  const ids = readIds(given);
  const to = given.get('to');
  plain.delete('to');
  plain.delete('id[]');
  if (ids.length > 0) plain.set('ids', ids.join());
  if (to !== null) plain.set('page', to);
  if (plain.get('page') === '1') plain.delete('page');
  if (String(plain) !== String(given))
    throw redirect(plain.size > 0 ? `/user/qrcodes?${plain}` : '/user/qrcodes', 303);
}

function join(...parts: string[]): string {
  return parts.filter(Boolean).join('&');
}

function rowOf(code: ListedCode, now: Date, tag: string): CodeRow {
  const { id, tags, type, visibility, link, dynamic, counted, createdAt, recentVisits, visits, visits30 } =
    code;
  return {
    id,
    tags,
    type,
    visibility,
    link,
    dynamic,
    counted,
    createdAt,
    recentVisits,
    visits30,
    name: nameOf(code),
    content: code.name === null ? null : shortContent(code),
    isArchived: code.archivedAt !== null,
    routing: routingOf(code),
    blocked: code.blocked && { reason: code.blocked.reason },
    isFailing: code.destination !== null,
    visits: visits.total,
    lastVisit: visits.lastAt ? { at: visits.lastAt, ago: relativeTime(visits.lastAt, now, tag) } : null,
  };
}

function routingOf({ routing }: ListedCode): CodeRow['routing'] {
  if (routing?.isPaused) return 'paused';
  if (routing?.hasEnded) return 'ended';
  return routing && routing.rules > 0 ? 'rules' : null;
}
