import { z } from 'zod';
import { call, dataOf } from './call';
import { Landing } from './contents/landings';

const params = z.object({ code: z.string().max(64) });
const query = z.object({
  /** Proof that the host counted this visit before it redirected the visitor to the website. */
  counted: z.string().max(200).optional(),
});

/** What the page of a code shows of its owner. */
export const CodeOwner = z.object({
  /** As chosen in the settings; empty if none. */
  name: z.string(),
  /** Of the code's squares, as `#rrggbb`; null if they have the default colour. */
  colour: z.string().nullable(),
  /** Whether the code has an uploaded logo, which `getOwnerLogo` returns. */
  hasLogo: z.boolean(),
});
export type CodeOwner = z.infer<typeof CodeOwner>;

/** What visitors of a code get that its owner has paused or ended: a text of the owner, empty for ours. */
export const ClosedPage = z.object({ kind: z.enum(['paused', 'ended']), message: z.string() });
export type ClosedPage = z.infer<typeof ClosedPage>;

/** Closed pages of all types come like others, with 200: nothing has failed. */
const CodePage = dataOf(z.union([Landing, ClosedPage])).extend({ owner: CodeOwner });

/**
 * Visit through the address inside the image. Returns 302 with `Location` for a link. For everything else it
 * returns JSON to a caller that accepts JSON, and redirects a browser to the website's page.
 */
export const visitByScan = call({
  name: 'visitByScan',
  method: 'GET',
  path: '/r/{code}',
  summary: 'Follow a scanned code; the visit is counted as a scan',
  access: 'public',
  params,
  query,
  response: CodePage,
  errors: ['code_private', 'code_unknown', 'code_deleted', 'code_blocked', 'code_circular'],
});

export const visitByLink = call({
  name: 'visitByLink',
  method: 'GET',
  path: '/l/{code}',
  summary: 'Follow a copied link; the visit is counted as a click',
  access: 'public',
  params,
  query,
  response: CodePage,
  errors: ['code_private', 'code_unknown', 'code_deleted', 'code_blocked', 'code_circular'],
});

export const getOwnerLogo = call({
  name: 'getOwnerLogo',
  method: 'GET',
  path: '/e/{code}/logo',
  summary: 'PNG of the logo that the page of a code shows, at most 512 pixels',
  access: 'public',
  params,
  errors: ['not_found', 'code_private', 'code_unknown', 'code_deleted', 'code_blocked', 'unavailable'],
});
