import type { Logger } from 'pino';
import type { Code } from '#contract/codes';
import { isDynamic, isRedirected, scanLinkOf } from '#contract/contents/contents';
import type { Blocks } from '#host/codes/blocks/blocking';
import { displayedContent } from '#host/codes/contents/contents';
import { readStyle } from '#host/codes/looks/store';
import { routingState } from '#host/codes/routing/routing';
import { finalAddressOf } from './campaign';
import { failureOf } from './destination';
import type { CodeRow } from './store';

export interface Presenting {
  shortUrl: string;
  log: Logger;
  now: Date;
}

type Addresses = 'link' | 'scanLink' | 'beacon';

/** A code as its owner sees it, with its public addresses. */
export function presentCode(row: CodeRow, blocks: Blocks, { shortUrl, log, now }: Presenting): Code {
  return Object.assign(describeCode(row, blocks, { log, now }), addressesOf(row, shortUrl));
}

export function addressesOf({ slug, type }: Pick<CodeRow, 'slug' | 'type'>, shortUrl: string) {
  return {
    link: `${shortUrl}/l/${slug}`,
    scanLink: scanLinkOf(shortUrl, slug),
    beacon: isRedirected(type) ? `${shortUrl}/b/${slug}` : null,
  };
}

/** A code as its owner sees it, without its addresses. */
export function describeCode(
  row: CodeRow,
  blocks: Blocks,
  { log, now }: { log?: Logger; now: Date },
): Omit<Code, Addresses> {
  return {
    id: row.id,
    name: row.name,
    tags: row.tags,
    visibility: row.visibility,
    type: row.type,
    content: displayedContent(row),
    subject: row.subject,
    body: row.body,
    campaign: row.campaign,
    finalAddress: finalAddressOf(row),
    counted: row.isCounted,
    watched: row.isWatched,
    destination: failureOf(row, now),
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
    routing: routingState(row.routing, now),
    visits: { total: (row.scans ?? 0) + (row.clicks ?? 0), lastAt: row.lastAt?.toISOString() ?? null },
  };
}
