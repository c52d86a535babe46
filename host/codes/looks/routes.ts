import type { Context } from 'hono';
import { done } from '#contract/call';
import {
  deleteStyle,
  listStyles,
  readStyle,
  type SavedStyle,
  saveStyle,
  updateStyle,
} from '#contract/styles';
import { requireLogo } from '#host/codes/logos/choice';
import { listLogos } from '#host/codes/logos/store';
import { tried } from '#host/db/tried';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { headerOf } from '#host/http/request-headers';
import * as store from './store';

export function mountStyles(
  { mount }: Router,
  { db, clock, log }: Deps,
  presets: ReadonlyMap<string, unknown>,
): void {
  mount(listStyles, async ({ caller: { accountId, isSubscribed } }) => {
    const [styles, logos] = await Promise.all([
      store.listStyles(db.orm, accountId),
      listLogos(db.orm, accountId),
    ]);
    return { data: styles.map((row) => store.presentStyle(row, log)), logos, isSubscribed };
  });

  const presentOne = (row: store.StyleRow, context: Context): { data: SavedStyle } => {
    context.header('ETag', store.versionOf(row));
    return { data: store.presentStyle(row, log) };
  };

  mount(readStyle, async ({ caller, params, context }) => {
    const found = await store.findStyle(db.orm, caller.accountId, params.id);
    if (!found) throw new ApiError('not_found');
    return presentOne(found, context);
  });

  mount(saveStyle, async ({ caller, body, isTrial, context }) => {
    await requireLogo(db.orm, presets, caller.accountId, body.logo);
    const saved = await tried(db.orm, isTrial, (orm) =>
      store.saveStyle(orm, caller.accountId, body, clock.now()),
    );
    return presentOne(saved, context);
  });

  mount(updateStyle, async ({ caller, params, body, context }) => {
    await requireLogo(db.orm, presets, caller.accountId, body.logo);
    const ifMatch = headerOf(context, 'if-match');
    const own = { accountId: caller.accountId, id: params.id, ifMatch };
    return presentOne(await store.changeStyle(db.orm, own, body), context);
  });

  mount(deleteStyle, async ({ caller, params, context }) => {
    const ifMatch = headerOf(context, 'if-match');
    await store.removeStyle(db.orm, { accountId: caller.accountId, id: params.id, ifMatch });
    return done('style_deleted');
  });
}
