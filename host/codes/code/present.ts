import type { Logger } from 'pino';
import type { Code } from '#contract/codes';
import { isDynamic, isRedirected, scanLinkOf } from '#contract/contents/contents';
import type { Blocks } from '#host/codes/blocks/blocking';
import { displayedContent } from '#host/codes/contents/contents';
import { readStyle } from '#host/codes/looks/store';
import type { CodeRow } from './store';

/** A code as its owner sees it, with its public addresses. */
export function presentCode(row: CodeRow, blocks: Blocks, shortUrl: string, log: Logger): Code {
  return {
    id: row.id,
    name: row.name,
    tags: row.tags,
    visibility: row.visibility,
    type: row.type,
    content: displayedContent(row),
    subject: row.subject,
    body: row.body,
    link: `${shortUrl}/l/${row.slug}`,
    beacon: isRedirected(row.type) ? `${shortUrl}/b/${row.slug}` : null,
    scanLink: scanLinkOf(shortUrl, row.slug),
    dynamic: isDynamic(row.type),
    useWhiteBackground: row.useWhiteBackground,
    logo: row.logoPreset
      ? { kind: 'preset', name: row.logoPreset }
      : row.logoId
        ? { kind: 'upload', name: row.logoName ?? '', id: row.logoId }
        : null,
    style: readStyle(row.style, log),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    archivedAt: row.archivedAt?.toISOString() ?? null,
    blocked: blocks.get(row.id) ?? null,
    visits: { total: (row.scans ?? 0) + (row.clicks ?? 0), lastAt: row.lastAt?.toISOString() ?? null },
  };
}
