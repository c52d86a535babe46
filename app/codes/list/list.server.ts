import type { ListedCode } from '#contract/codes';
import { listTags } from '#contract/labels';
import { LOCALES } from '#contract/locales';
import {
  hasCodes,
  isNarrowed,
  listCodes,
  nameOf,
  readCodeQuery,
  searchOf,
  shortContent,
} from '~/codes/code/codes.server';
import { readNotices } from '~/http/flash.server';
import { callHost } from '~/http/host.server';
import type { UserScope } from '~/http/scope.server';
import { relativeTime } from '~/ui/format';
import type { CodeRow } from './table';
import { thumbnailVersion } from './thumbnails.server';

/** Data of the list page: the codes that match its query, and the state of the filter form. */
export async function listOfCodes(scope: UserScope) {
  const query = readCodeQuery(scope.url.searchParams);
  const [{ data, meta }, tags, notices] = await Promise.all([
    listCodes(scope, query),
    callHost(scope, listTags),
    readNotices(scope.request),
  ]);
  const address = searchOf(query);
  const narrowed = isNarrowed(query);
  const hasNone = meta.total === 0 && !narrowed;
  const areAllArchived = hasNone && (await hasCodes(scope));
  const { type = '', visibility = '', size, ...values } = query;
  const now = new Date();
  return {
    codes: data.map((code) => rowOf(code, now, LOCALES[scope.locale].tag)),
    meta,
    filter: {
      values: { ...values, type, visibility, size: String(size) },
      tags: tags.data,
      isNarrowed: narrowed,
      fields: [...new URLSearchParams(join(address, meta.page > 1 ? `page=${meta.page}` : ''))],
      address,
    },
    isEmpty: hasNone && !areAllArchived,
    areAllArchived,
    pictures: `/user/qrcodes/pictures.svg?${join(address, `page=${meta.page}`, `v=${thumbnailVersion(data)}`)}`,
    newId: notices.find(({ key }) => key === 'qrcode_created')?.values?.id ?? null,
  };
}

function join(...parts: string[]): string {
  return parts.filter(Boolean).join('&');
}

function rowOf(code: ListedCode, now: Date, tag: string): CodeRow {
  const { id, tags, type, visibility, link, dynamic, createdAt, recentVisits, visits } = code;
  return {
    id,
    tags,
    type,
    visibility,
    link,
    dynamic,
    createdAt,
    recentVisits,
    name: nameOf(code),
    content: code.name === null ? null : shortContent(code),
    isArchived: code.archivedAt !== null,
    blocked: code.blocked && { reason: code.blocked.reason },
    visits: visits.total,
    lastVisit: visits.lastAt ? { at: visits.lastAt, ago: relativeTime(visits.lastAt, now, tag) } : null,
  };
}
