import { type ListedCode, listTags } from '#contract/codes';
import { readNotices } from '~/http/flash.server';
import { callHost } from '~/http/host.server';
import type { RequestContext } from '~/http/scope.server';
import { getLocale } from '~/i18n/locale.server';
import { LOCALES } from '~/i18n/locales';
import { relativeTime } from '~/ui/relative-time';
import { isNarrowed, readCodeQuery, searchOf } from './code-filter.server';
import type { CodeRow } from './code-table';
import { contentLine, listCodes, nameOf } from './codes.server';
import { thumbnailVersion } from './thumbnails.server';

/** What the page of codes shows: the codes that its address asks for, and the form that asks. */
export async function listOfCodes(requestContext: RequestContext, token: string) {
  const { request } = requestContext;
  const url = new URL(request.url);
  const query = readCodeQuery(url.searchParams);
  const [{ data, meta }, tags, locale, notices] = await Promise.all([
    listCodes(requestContext, token, query),
    callHost(requestContext, listTags, { token }),
    getLocale(request),
    readNotices(request),
  ]);
  const address = searchOf(query);
  const narrowed = isNarrowed(query);
  const { type = '', visibility = '', size, ...values } = query;
  const now = new Date();
  return {
    codes: data.map((code) => rowOf(code, now, LOCALES[locale].tag)),
    meta,
    filter: {
      values: { ...values, type, visibility, size: String(size) },
      tags: tags.data,
      isNarrowed: narrowed,
      fields: [...new URLSearchParams(address)].filter(([name]) => name !== 'size'),
      address,
    },
    isEmpty: meta.total === 0 && !narrowed,
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
    ...{ id, tags, type, visibility, link, dynamic, createdAt, recentVisits },
    name: nameOf(code),
    content: code.name === null ? null : contentLine(code),
    isArchived: code.archivedAt !== null,
    visits: visits.total,
    lastVisit: visits.lastAt ? { at: visits.lastAt, ago: relativeTime(visits.lastAt, now, tag) } : null,
  };
}
