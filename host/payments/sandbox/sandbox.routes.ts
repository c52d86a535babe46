import type { Context } from 'hono';
import type { Router } from '#host/http/mount';
import { escapeHtml } from '#host/mail/layout';
import { cardForm, readCardForm, refusalErrors, testCards } from './card-form';
import { type CardErrors, type CardForm, readCard } from './cards';
import { euros, overPage, pagePolicy, sandboxPage, timeOf } from './layout';
import { findObject, type SandboxObject } from './objects';
import type { SandboxDeps } from './sandbox';
import { finishSetup, holdCard, isOver } from './setups';

/** The hosted page that takes a card, and the bank's question to its holder. Works without scripts; has none. */
export function mountCardPage({ app }: Router, deps: SandboxDeps & { afterChange(): Promise<void> }): void {
  const { db, clock, random, appName, publicUrl } = deps;
  const headers = pagePolicy(publicUrl);

  app.get('/sandbox/pay/:id', async (context) => {
    const setup = await findSetup(context);
    if (!setup) return context.html(overPage(appName), 404, headers);
    if (setup.data.status === 'succeeded') return context.redirect(setup.data.successUrl, 303);
    const typed = { name: setup.data.name, number: '', expiry: '', cvc: '' };
    return context.html(cardPage(setup, typed, {}), 200, headers);
  });

  app.post('/sandbox/pay/:id', async (context) => {
    const setup = await findSetup(context);
    if (!setup) return context.html(overPage(appName), 404, headers);
    if (setup.data.status === 'succeeded') return context.redirect(setup.data.successUrl, 303);
    const typed = readCardForm(await context.req.parseBody());
    const read = readCard(typed, clock.now());
    if ('errors' in read) return context.html(cardPage(setup, typed, read.errors), 422, headers);
    const { setup: refusal, challenge } = read.card.behaviour;
    if (refusal) return context.html(cardPage(setup, typed, refusalErrors(refusal)), 402, headers);
    if (challenge) {
      await holdCard(db.orm, setup, read.card);
      return context.redirect(`/sandbox/pay/${setup.id}/challenge`, 303);
    }
    return finish(context, setup, read.card);
  });

  app.get('/sandbox/pay/:id/challenge', async (context) => {
    const setup = await findSetup(context);
    if (!setup) return context.html(overPage(appName), 404, headers);
    if (setup.data.status === 'succeeded') return context.redirect(setup.data.successUrl, 303);
    if (!setup.data.card) return context.redirect(`/sandbox/pay/${setup.id}`, 303);
    return context.html(challengePage(setup), 200, headers);
  });

  app.post('/sandbox/pay/:id/challenge', async (context) => {
    const setup = await findSetup(context);
    if (!setup) return context.html(overPage(appName), 404, headers);
    const { card, successUrl, status, name } = setup.data;
    if (status === 'succeeded') return context.redirect(successUrl, 303);
    if (!card) return context.redirect(`/sandbox/pay/${setup.id}`, 303);
    const { answer } = await context.req.parseBody();
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

  async function findSetup(context: Context): Promise<SandboxObject<'setup'> | null> {
    const setup = await findObject(db.orm, 'setup', context.req.param('id') ?? '');
    return setup && !isOver(setup, clock.now()) ? setup : null;
  }

  function cardPage(setup: SandboxObject<'setup'>, typed: CardForm, errors: CardErrors): string {
    const { amountCents, firstChargeAt, cancelUrl } = setup.data;
    const title = firstChargeAt ? 'Save your card' : 'Pay by card';
    const hasErrors = Object.keys(errors).length > 0;
    const terms = firstChargeAt
      ? `<dt>Today</dt><dd>${euros(0)}</dd><dt>First charge, unless you cancel before</dt><dd>${euros(amountCents)} on ${timeOf(firstChargeAt)}</dd>`
      : `<dt>Today</dt><dd>${euros(amountCents)}</dd>`;
    const button = firstChargeAt ? 'Save card' : `Pay ${euros(amountCents)}`;
    return sandboxPage(
      hasErrors ? `Error: ${title}` : title,
      appName,
      `<h1>${title}</h1>
<dl><dt>To</dt><dd>${escapeHtml(appName)}</dd>${terms}</dl>
${cardForm(`/sandbox/pay/${setup.id}`, typed, errors, button)}
<p><a href="${escapeHtml(cancelUrl)}">Back to ${escapeHtml(appName)} without a card</a></p>
${testCards()}`,
    );
  }

  function challengePage(setup: SandboxObject<'setup'>): string {
    return sandboxPage(
      'Confirm that it is you',
      appName,
      `<h1>Confirm that it is you</h1>
<p>Your bank asks whether you want to use the card ending in ${escapeHtml(setup.data.card?.last4 ?? '')} at ${escapeHtml(appName)}.</p>
<form method="post" action="/sandbox/pay/${escapeHtml(setup.id)}/challenge">
<p><button name="answer" value="confirm">It is me</button>
<button class="plain" name="answer" value="refuse">It is not me</button></p>
</form>`,
    );
  }
}
