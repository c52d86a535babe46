import type { Context } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import type { Deps } from '#host/http/deps';
import { ApiError, invalidField } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { readForm, readJson } from '#host/http/request-body';
import { isLoopbackCall, requireSameOriginForm, requireSameOriginJson } from '#host/http/request-origin';
import { fillText, moneyText } from '#host/invoices/wording';
import { type CardErrors, type CardForm, readCard } from './cards';
import { advanceTo } from './clock';
import { findObject, type SandboxObject } from './objects';
import type { SandboxDeps } from './sandbox-deps';
import {
  cardForm,
  fillHtml,
  type Html,
  pagePolicy,
  readCardForm,
  refusalErrors,
  respondNotFound,
  sandboxPage,
  testCards,
  timeOf,
} from './sandbox-pages';
import { SANDBOX_TEXTS } from './sandbox-texts';
import { finishSetup, hasEnded, holdCard } from './setups';

/**
 * The hosted page that takes a card, and the bank's confirmation page for its holder. They work without scripts and
 * have none.
 */
export function mountCardPage({ app }: Router, deps: SandboxDeps & { afterChange(): Promise<void> }): void {
  const { db, clock, random, appName, publicUrl } = deps;
  const headers = pagePolicy(publicUrl);

  app.get('/sandbox/pay/:id', async (context) => {
    const setup = await findSetup(context);
    if (!setup) return respondNotFound(context, deps);
    if (setup.data.status === 'succeeded') return context.redirect(setup.data.successUrl, 303);
    const typed = { name: setup.data.name, number: '', expiry: '', cvc: '' };
    return context.html(cardPage(setup, typed, {}), 200, headers);
  });

  app.post('/sandbox/pay/:id', async (context) => {
    requireSameOriginForm(context);
    const setup = await findSetup(context);
    if (!setup) return respondNotFound(context, deps);
    if (setup.data.status === 'succeeded') return context.redirect(setup.data.successUrl, 303);
    const typed = readCardForm(await readForm(context));
    const entered = readCard(typed, clock.now());
    if ('errors' in entered) return context.html(cardPage(setup, typed, entered.errors), 422, headers);
    const { setup: refusal, challenge } = entered.card.behaviour;
    if (refusal) return context.html(cardPage(setup, typed, refusalErrors(refusal)), 402, headers);
    if (challenge) {
      await holdCard(db.orm, setup, entered.card);
      return context.redirect(`/sandbox/pay/${setup.id}/challenge`, 303);
    }
    return finish(context, setup, entered.card);
  });

  app.get('/sandbox/pay/:id/challenge', async (context) => {
    const setup = await findSetup(context);
    if (!setup) return respondNotFound(context, deps);
    if (setup.data.status === 'succeeded') return context.redirect(setup.data.successUrl, 303);
    if (!setup.data.card) return context.redirect(`/sandbox/pay/${setup.id}`, 303);
    return context.html(challengePage(setup), 200, headers);
  });

  app.post('/sandbox/pay/:id/challenge', async (context) => {
    requireSameOriginForm(context);
    const setup = await findSetup(context);
    if (!setup) return respondNotFound(context, deps);
    const { card, successUrl, status, name } = setup.data;
    if (status === 'succeeded') return context.redirect(successUrl, 303);
    if (!card) return context.redirect(`/sandbox/pay/${setup.id}`, 303);
    const { answer } = await readForm(context);
    if (answer === 'confirm') return finish(context, setup, card);
    const typed = { name, number: '', expiry: '', cvc: '' };
    return context.html(cardPage(setup, typed, refusalErrors('authentication_failed')), 402, headers);
  });

  async function finish(
    context: Context,
    setup: SandboxObject<'setup'>,
    card: NonNullable<SandboxObject<'setup'>['data']['card']>,
  ): Promise<Response> {
    await finishSetup(db.orm, random, setup.id, card, clock.now());
    await deps.afterChange();
    return context.redirect(setup.data.successUrl, 303);
  }

  /** The requested card page; null if there is none, or if it has expired. */
  async function findSetup(context: Context): Promise<SandboxObject<'setup'> | null> {
    const setup = await findObject(db.orm, 'setup', context.req.param('id') ?? '');
    return setup && !hasEnded(setup, clock.now()) ? setup : null;
  }

  function cardPage(setup: SandboxObject<'setup'>, typed: CardForm, errors: CardErrors): string {
    const { amountCents, firstChargeAt, cancelUrl, locale } = setup.data;
    const { pay, form } = SANDBOX_TEXTS[locale];
    const title = firstChargeAt ? pay.saveTitle : pay.payTitle;
    const amount = moneyText(amountCents, locale);
    const item = (term: string, value: Html | string) => html`<dt>${term}</dt><dd>${value}</dd>`;
    const first = { amount, date: firstChargeAt ? timeOf(firstChargeAt, locale) : '' };
    const terms = firstChargeAt
      ? [item(pay.today, moneyText(0, locale)), item(pay.first, fillHtml(pay.firstValue, first))]
      : item(pay.today, amount);
    const button = firstChargeAt ? form.save : fillText(pay.pay, { amount });
    return sandboxPage({
      locale,
      appName,
      title,
      hasErrors: Object.keys(errors).length > 0,
      main: html`<h1>${title}</h1>
<dl>${item(pay.to, appName)}${terms}</dl>
${cardForm({ locale, action: `/sandbox/pay/${setup.id}`, entered: typed, errors, button })}
<p><a href="${cancelUrl}">${fillText(pay.back, { appName })}</a></p>
${testCards(locale)}`,
    });
  }

  function challengePage({ id, data }: SandboxObject<'setup'>): string {
    const { locale, card } = data;
    const { title, question, yes, no } = SANDBOX_TEXTS[locale].challenge;
    return sandboxPage({
      locale,
      appName,
      title,
      main: html`<h1>${title}</h1>
<p>${fillText(question, { last4: card?.last4 ?? '', appName })}</p>
<form method="post" action="/sandbox/pay/${id}/challenge">
<p><button name="answer" value="confirm">${yes}</button>
<button class="plain" name="answer" value="refuse">${no}</button></p>
</form>`,
    });
  }
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
type Unit = keyof typeof UNIT_MS;

const Body = z.object({ advance: z.string().regex(/^(?:\d{1,6}[smhdw]\s*)+$/) });
const MAX_ADVANCE_MS = 10 * 366 * UNIT_MS.d;

/**
 * `POST /sandbox/clock {"advance":"49h"}` moves the product's clock forward, for callers on this machine. It stops at
 * everything that falls due on the way and does it, and responds when all is done; with 503 if another host does not
 * finish what it has claimed.
 */
export function mountSandboxClock({ app }: Router, deps: Deps): void {
  const { clock, db } = deps;
  let previous: Promise<unknown> = Promise.resolve();

  app.post('/sandbox/clock', async (context) => {
    if (!isLoopbackCall(context) || !clock.set) throw new ApiError('not_found');
    requireSameOriginJson(context);
    const body = Body.safeParse(await readJson(context));
    if (!body.success) throw invalidField('advance', 'advance_invalid');
    const ms = durationOf(body.data.advance);
    if (ms > MAX_ADVANCE_MS) throw invalidField('advance', 'advance_too_long');
    const moved = previous.then(() => advanceTo(deps, new Date(clock.now().getTime() + ms)));
    previous = moved.catch(() => undefined);
    // Also if it stopped on the way.
    await moved.finally(() => clock.keep?.(db.orm));
    return context.json({ data: { now: clock.now().toISOString() } });
  });
}

/** `1d 12h` in milliseconds. */
function durationOf(text: string): number {
  const parts = [...text.matchAll(/(\d+)([smhdw])/g)];
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNIT_MS[unit as Unit], 0);
}
