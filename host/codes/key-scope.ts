import { and, eq } from 'drizzle-orm';
import { foldLabel } from '#contract/labels';
import { hasTag } from '#host/codes/code/tags';
import type { Orm } from '#host/db/client';
import { codes } from '#host/db/codes.tables';
import { codeImports, codeJobs } from '#host/db/jobs.tables';
import { webhooks } from '#host/db/webhooks.tables';
import type { Caller } from '#host/http/caller';

type Finds = (orm: Orm, caller: Caller, id: string) => Promise<boolean>;

/** By what their path begins with: how a key that is limited to a tag finds what a call is about. */
const FINDS: [path: RegExp, finds: Finds][] = [
  [/^\/api\/(?:qrcodes|v1\/codes)\/\{id\}/, findsCode],
  [/^\/api\/(?:v1\/)?jobs\/\{id\}/, findsJob],
  [/^\/api\/(?:v1\/)?imports\/\{id\}/, findsImport],
  [/^\/api\/(?:v1\/)?webhooks\/\{id\}/, findsWebhook],
];

/**
 * Whether a caller who is limited to a tag finds what is called by this id: only codes that have the tag, and jobs, imports
 * and webhooks with the same limit.
 */
export async function isWithinTag(orm: Orm, caller: Caller, path: string, id: string): Promise<boolean> {
  const [, finds] = FINDS.find(([paths]) => paths.test(path)) ?? [];
  return finds ? finds(orm, caller, id) : true;
}

async function findsCode(orm: Orm, { accountId, tag }: Caller, id: string): Promise<boolean> {
  return (await orm.$count(codes, and(eq(codes.id, id), eq(codes.accountId, accountId), hasTag(tag)))) > 0;
}

async function findsJob(orm: Orm, { accountId, tag }: Caller, id: string): Promise<boolean> {
  const isOwn = and(eq(codeJobs.id, id), eq(codeJobs.accountId, accountId));
  return (await orm.$count(codeJobs, and(isOwn, eq(codeJobs.withinTag, tag?.label ?? '')))) > 0;
}

async function findsImport(orm: Orm, { accountId, tag }: Caller, id: string): Promise<boolean> {
  const isOwn = and(eq(codeImports.id, id), eq(codeImports.accountId, accountId));
  return (await orm.$count(codeImports, and(isOwn, eq(codeImports.withinTag, tag?.label ?? '')))) > 0;
}

async function findsWebhook(orm: Orm, { accountId, tag }: Caller, id: string): Promise<boolean> {
  const isOwn = and(eq(webhooks.id, id), eq(webhooks.accountId, accountId));
  const [found] = await orm.select({ tag: webhooks.tag }).from(webhooks).where(isOwn);
  return foldLabel(found?.tag ?? '') === foldLabel(tag?.label ?? '');
}
