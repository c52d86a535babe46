import { cursorOf } from '#contract/call';
import { readCodeFile } from '#contract/code-files';
import { createPublicCode, createPublicCodes, listPublicCodes, readPublicCode } from '#contract/public-codes';
import { type Blocks, readBlocks, readLinkRules } from '#host/codes/blocks/blocking';
import { BATCHES_PER_ACCOUNT, CREATIONS_PER_ACCOUNT } from '#host/codes/limits';
import type { CodeIndexes } from '#host/codes/search/indexes';
import { readCodesBelow } from '#host/codes/search/list';
import { tried } from '#host/db/tried';
import type { Caller } from '#host/http/caller';
import type { Deps } from '#host/http/deps';
import type { Router } from '#host/http/mount';
import { consumeRateLimit, limitFor } from '#host/http/rate-limit';
import { createBatch, requireTurn } from './batch';
import { versionOf } from './change';
import { createCodes } from './create';
import { createDesignReader, readBatch } from './new-codes';
import { presentCode } from './present';
import * as store from './store';

/** Calls that only programs make. */
export function mountPublicCodes(
  { mount, document }: Router,
  deps: Deps,
  presets: ReadonlyMap<string, unknown>,
  codeIndexes: CodeIndexes,
): void {
  const { db, clock, settings, log } = deps;
  const { shortUrl } = settings;
  const present = (row: store.CodeRow, blocks: Blocks) =>
    presentCode(row, blocks, { shortUrl, log, now: clock.now() });

  document(readCodeFile);
  mount(listPublicCodes, async ({ caller, query }) => {
    const { limit, cursor, ...filter } = query;
    const { accountId, tag } = caller;
    const wanted = { ...filter, within: tag };
    const { rows, next } = await readCodesBelow(db.orm, codeIndexes, accountId, wanted, {
      before: cursor,
      limit,
    });
    const blocks = await readBlocks(db.orm, rows);
    return {
      data: rows.map((row) => present(row, blocks)),
      hasMore: next !== null,
      nextCursor: next === null ? null : cursorOf(next),
    };
  });

  mount(readPublicCode, async ({ caller, params, context }) => {
    const code = await store.requireCode(db.orm, caller.accountId, params.id);
    context.header('ETag', versionOf(code));
    return { data: present(code, await readBlocks(db.orm, [code])) };
  });

  const readerFor = async (caller: Caller) =>
    createDesignReader({ orm: db.orm, presets, rules: await readLinkRules(db.orm, settings), caller });

  mount(createPublicCode, async ({ caller, body, isTrial, once, context }) => {
    const { accountId } = caller;
    const now = clock.now();
    const read = await readerFor(caller);
    const design = { ...(await read(body)), formKey: once };
    await consumeRateLimit(db.orm, limitFor(CREATIONS_PER_ACCOUNT, isTrial), accountId, now);
    const code = await tried(db.orm, isTrial, async (orm) => {
      const [created] = await createCodes(orm, deps, accountId, [design], { now });
      return store.requireCode(orm, accountId, created?.id ?? '');
    });
    context.header('ETag', versionOf(code));
    return { data: present(code, await readBlocks(db.orm, [code])) };
  });

  mount(createPublicCodes, async ({ caller, body, isTrial, once }) => {
    const { accountId } = caller;
    const now = clock.now();
    // Before it counts: a program that tries again as it is told would use up its hundred.
    await requireTurn(db.orm, accountId);
    // Before they are read, which is half the work.
    await consumeRateLimit(db.orm, limitFor(BATCHES_PER_ACCOUNT, isTrial), accountId, now);
    const designs = await readBatch(body.codes, await readerFor(caller));
    const keyed = designs.map((design, index) => ({ ...design, formKey: once && `${once}:${index}` }));
    const rows = await tried(db.orm, isTrial, (orm) => createBatch(orm, deps, accountId, keyed, now));
    const blocks = await readBlocks(db.orm, rows);
    return { data: { codes: rows.map((row) => present(row, blocks)) } };
  });
}
