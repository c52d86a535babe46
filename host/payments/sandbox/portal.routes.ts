import type { Context } from 'hono';
import type { Router } from '#host/http/mount';
import { escapeHtml } from '#host/mail/layout';
import { cardForm, readCardForm, refusalErrors, testCards } from './card-form';
import { type CardErrors, type CardForm, readCard } from './cards';
import { findSavedCard } from './charges';
import { emit } from './events';
import { euros, overPage, pagePolicy, sandboxPage, timeOf } from './layout';
import { findObject, listOfCustomer, type SandboxObject } from './objects';
import type { SandboxDeps } from './sandbox';
import { saveCard } from './setups';

const CHARGES = 24;

/** The billing portal of the sandbox: the card, another card, what was charged. */
export function mountPortal({ app }: Router, deps: SandboxDeps & { afterChange(): Promise<void> }): void {
  const { db, clock, random, appName, publicUrl } = deps;
  const headers = pagePolicy(publicUrl);
  const empty = { name: '', number: '', expiry: '', cvc: '' };

  app.get('/sandbox/portal/:id', async (context) => {
    const portal = await findPortal(context);
    if (!portal) return context.html(overPage(appName), 404, headers);
    const isSaved = context.req.query('saved') !== undefined;
    return context.html(await portalPage(portal, empty, {}, isSaved), 200, headers);
  });

  app.post('/sandbox/portal/:id', async (context) => {
    const portal = await findPortal(context);
    if (!portal) return context.html(overPage(appName), 404, headers);
    const typed = readCardForm(await context.req.parseBody());
    const read = readCard(typed, clock.now());
    const refusal = 'card' in read ? read.card.behaviour.setup : undefined;
    const errors = 'errors' in read ? read.errors : refusal ? refusalErrors(refusal) : {};
    if (!('card' in read) || refusal) {
      return context.html(await portalPage(portal, typed, errors, false), refusal ? 402 : 422, headers);
    }
    const now = clock.now();
    await db.orm.transaction(async (transaction) => {
      await saveCard(transaction, random, portal.customerId, read.card, now);
      await emit(transaction, random, 'customer.updated', portal.customerId, now);
    });
    await deps.afterChange();
    return context.redirect(`/sandbox/portal/${portal.id}?saved`, 303);
  });

  /** For one hour. */
  async function findPortal(context: Context): Promise<SandboxObject<'portal'> | null> {
    const portal = await findObject(db.orm, 'portal', context.req.param('id') ?? '');
    return portal && Date.parse(portal.data.expiresAt) > clock.now().getTime() ? portal : null;
  }

  async function portalPage(
    { id, customerId, data }: SandboxObject<'portal'>,
    typed: CardForm,
    errors: CardErrors,
    isSaved: boolean,
  ): Promise<string> {
    const card = await findSavedCard(db.orm, customerId);
    const charges = await listOfCustomer(db.orm, 'charge', customerId, CHARGES);
    const present = card
      ? `${escapeHtml(card.brand)}, ending in ${escapeHtml(card.last4)}, good to ${card.expMonth}/${card.expYear}`
      : 'none';
    const hasErrors = Object.keys(errors).length > 0;
    return sandboxPage(
      hasErrors ? 'Error: Your payment details' : 'Your payment details',
      appName,
      `<h1>Your payment details</h1>
${isSaved ? '<p role="status"><strong>Your card was saved.</strong> A charge that was due is tried again now.</p>' : ''}
<p>Card: ${present}</p>
<h2>Use another card</h2>
${cardForm(`/sandbox/portal/${id}`, typed, errors, 'Save card')}
${chargesTable(charges)}
<p><a href="${escapeHtml(data.returnUrl)}">Back to ${escapeHtml(appName)}</a></p>
${testCards()}`,
    );
  }
}

function chargesTable(charges: SandboxObject<'charge'>[]): string {
  if (charges.length === 0) return '<p>Nothing was charged yet.</p>';
  const rows = charges.map(
    ({ createdAt, data }) =>
      `<tr><td>${timeOf(createdAt.toISOString())}</td><td>${escapeHtml(data.description)}</td><td>${euros(data.amountCents)}</td><td>${stateOf(data)}</td></tr>`,
  );
  return `<table>
<caption>Charges, newest first</caption>
<thead><tr><th scope="col">When</th><th scope="col">For</th><th scope="col">Amount</th><th scope="col">State</th></tr></thead>
<tbody>${rows.join('\n')}</tbody>
</table>`;
}

function stateOf({ status, failure, refundedCents }: SandboxObject<'charge'>['data']): string {
  if (status === 'failed') return escapeHtml(`failed: ${failure ?? ''}`);
  return refundedCents > 0 ? `paid, ${euros(refundedCents)} paid back` : 'paid';
}
