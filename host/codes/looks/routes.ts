import { done } from '#contract/call';
import { deleteStyle, listStyles, saveStyle, updateStyle } from '#contract/styles';
import { requireLogo } from '#host/codes/logos/choice';
import { listLogos } from '#host/codes/logos/store';
import { tried } from '#host/db/tried';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
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

  mount(saveStyle, async ({ caller, body, isTrial }) => {
    await requireLogo(db.orm, presets, caller.accountId, body.logo);
    const saved = await tried(db.orm, isTrial, (orm) =>
      store.saveStyle(orm, caller.accountId, body, clock.now()),
    );
    return { data: store.presentStyle(saved, log) };
  });

  mount(updateStyle, async ({ caller, params, body }) => {
    await requireLogo(db.orm, presets, caller.accountId, body.logo);
    const changed = await store.changeStyle(db.orm, caller.accountId, params.id, body);
    return { data: store.presentStyle(changed, log) };
  });

  mount(deleteStyle, async ({ caller, params }) => {
    if (!(await store.removeStyle(db.orm, caller.accountId, params.id))) throw new ApiError('not_found');
    return done('style_deleted');
  });
}
