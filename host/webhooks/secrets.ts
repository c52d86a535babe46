import { and, asc, eq, gt } from 'drizzle-orm';
import { reseal, resealAll, seal, unseal } from '#host/accounts/sealed-secrets';
import { webhooks } from '#host/db/webhooks.tables';
import type { Deps } from '#host/http/deps';
import type { WebhookRow } from './store';

type Sealing = Pick<Deps, 'random' | 'settings'>;

const SECRET_BYTES = 32;
const BATCH = 100;

/** Sealed secrets can only be read for the webhook that they are of. */
const ownerOf = (id: string) => `webhook:${id}`;

/** A new secret of a webhook, sealed. */
export function makeSealed({ random, settings }: Sealing, id: string): string {
  return seal(random(SECRET_BYTES), ownerOf(id), { secrets: settings.jwtSecrets, random });
}

/** As its owner and the libraries of Standard Webhooks write it. */
export function openSecret({ settings }: Pick<Deps, 'settings'>, id: string, sealed: string): string {
  return `whsec_${Buffer.from(unseal(sealed, ownerOf(id), settings.jwtSecrets).plain).toString('base64')}`;
}

/** The secrets that messages are signed with at a time, the present one first. */
export function openSecrets(deps: Pick<Deps, 'settings'>, row: WebhookRow, now: Date): string[] {
  const earlier = row.earlierEndsAt && row.earlierEndsAt > now ? row.earlierSealed : null;
  return [row.sealed, ...(earlier === null ? [] : [earlier])].map((one) => openSecret(deps, row.id, one));
}

/** Seals again with the first secret of the host what was sealed with another. */
export async function resealWebhookSecrets({ db, random, settings, log }: Deps): Promise<void> {
  const sealing = { secrets: settings.jwtSecrets, random };
  await resealAll<WebhookRow>(log, {
    list: (last) =>
      db.orm
        .select()
        .from(webhooks)
        .where(last && gt(webhooks.id, last.id))
        .orderBy(asc(webhooks.id))
        .limit(BATCH),
    ownerOf: ({ id }) => ownerOf(id),
    act: async ({ id, sealed, earlierSealed }) => {
      const fresh = reseal(sealed, ownerOf(id), sealing);
      const earlier = earlierSealed && reseal(earlierSealed, ownerOf(id), sealing);
      if (!fresh && !earlier) return;
      await db.orm
        .update(webhooks)
        .set({ ...(fresh && { sealed: fresh }), ...(earlier && { earlierSealed: earlier }) })
        .where(and(eq(webhooks.id, id), eq(webhooks.sealed, sealed)));
    },
  });
}
