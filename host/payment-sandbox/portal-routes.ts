import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Locale } from '#contract/locales';
import type { Router } from '#host/http/mount';
import type { SavedCard } from '#host/http/payment-provider';
import { readForm } from '#host/http/request-body';
import { requireSameOriginForm } from '#host/http/request-origin';
import { fillText, moneyText } from '#host/invoices/wording';
import { type CardErrors, type CardForm, readCard } from './cards';
import { emit } from './events';
import { findObject, listOfCustomer, type SandboxObject } from './objects';
import { findSavedCard } from './sandbox-charges';
import type { SandboxDeps } from './sandbox-deps';
import {
  cardForm,
  type Html,
  pagePolicy,
  readCardForm,
  refusalErrors,
  respondNotFound,
  sandboxPage,
  testCards,
  timeOf,
} from './sandbox-pages';
import { reasonText, SANDBOX_TEXTS } from './sandbox-texts';
import { saveCard } from './setups';

const CHARGES = 24;

/** The billing portal of the sandbox: shows the card and the charges, and replaces the card. */
export function mountPortal({ app }: Router, deps: SandboxDeps & { afterChange(): Promise<void> }): void {
  const { db, clock, random, appName, publicUrl } = deps;
  const headers = pagePolicy(publicUrl);
  const empty = { name: '', number: '', expiry: '', cvc: '' };

  app.get('/sandbox/portal/:id', async (context) => {
    const portal = await findPortal(context);
    if (!portal) return respondNotFound(context, deps);
    const isSaved = context.req.query('saved') !== undefined;
    return context.html(await portalPage(portal, empty, {}, isSaved), 200, headers);
  });

  app.post('/sandbox/portal/:id', async (context) => {
    requireSameOriginForm(context);
    const portal = await findPortal(context);
    if (!portal) return respondNotFound(context, deps);
    const typed = readCardForm(await readForm(context));
    const entered = readCard(typed, clock.now());
    const refusal = 'card' in entered ? entered.card.behaviour.setup : undefined;
    const errors = 'errors' in entered ? entered.errors : refusal ? refusalErrors(refusal) : {};
    if (!('card' in entered) || refusal) {
      return context.html(await portalPage(portal, typed, errors, false), refusal ? 402 : 422, headers);
    }
    const now = clock.now();
    await db.orm.transaction(async (transaction) => {
      await saveCard(transaction, random, portal.customerId, entered.card, now);
      await emit(transaction, random, 'customer.updated', portal.customerId, now);
    });
    await deps.afterChange();
    return context.redirect(`/sandbox/portal/${portal.id}?saved`, 303);
  });

  /** Valid for one hour. */
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
    const { locale, returnUrl } = data;
    const { portal, form } = SANDBOX_TEXTS[locale];
    const card = await findSavedCard(db.orm, customerId);
    const charges = await listOfCustomer(db.orm, 'charge', customerId, CHARGES);
    const saved = html`<p role="status"><strong>${portal.saved}</strong> ${portal.savedText}</p>`;
    return sandboxPage({
      locale,
      appName,
      title: portal.title,
      hasErrors: Object.keys(errors).length > 0,
      main: html`<h1>${portal.title}</h1>
${isSaved ? saved : ''}
<dl><dt>${portal.card}</dt><dd>${card ? savedCardText(card, locale) : portal.noCard}</dd></dl>
<h2>${portal.another}</h2>
${cardForm({ locale, action: `/sandbox/portal/${id}`, entered: typed, errors, button: form.save })}
${chargesTable(charges, locale)}
<p><a href="${returnUrl}">${fillText(portal.back, { appName })}</a></p>
${testCards(locale)}`,
    });
  }
}

function savedCardText({ brand, last4, expMonth, expYear }: SavedCard, locale: Locale): string {
  const expires = `${String(expMonth).padStart(2, '0')}/${expYear}`;
  const name = brand.replace(/^\w/, (letter) => letter.toUpperCase());
  return fillText(SANDBOX_TEXTS[locale].portal.cardValue, { brand: name, last4, expires });
}

function chargesTable(charges: SandboxObject<'charge'>[], locale: Locale): Html {
  const { charges: labels, portal } = SANDBOX_TEXTS[locale];
  if (charges.length === 0) return html`<p>${portal.none}</p>`;
  const heads = [labels.when, labels.for, labels.amount, labels.state].map(
    (text) => html`<th scope="col">${text}</th>`,
  );
  const rows = charges.map(({ createdAt, data }) => {
    const cells = [data.description, moneyText(data.amountCents, locale), stateText(data, locale)];
    const moment = timeOf(createdAt.toISOString(), locale);
    return html`<tr><td>${moment}</td>${cells.map((text) => html`<td>${text}</td>`)}</tr>
`;
  });
  // Anything that scrolls sideways must be reachable by keyboard (WCAG 2.1.1).
  return html`<section class="wide" tabindex="0" aria-labelledby="charges"><table>
<caption id="charges"><h2>${labels.caption}</h2></caption>
<thead><tr>${heads}</tr></thead>
<tbody>${rows}</tbody>
</table></section>`;
}

function stateText(charge: SandboxObject<'charge'>['data'], locale: Locale): string {
  const { failed, refunded, paid, pending, open } = SANDBOX_TEXTS[locale].charges;
  const { status, failure, refundedCents } = charge;
  if (status === 'failed') return fillText(failed, { why: reasonText(failure ?? '', locale) });
  if (status === 'pending') return pending;
  if (status === 'open') return open;
  return refundedCents > 0 ? fillText(refunded, { amount: moneyText(refundedCents, locale) }) : paid;
}
