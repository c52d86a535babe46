import { data, redirect } from '@remix-run/node';
import { z } from 'zod';
import {
  decideDeclaration,
  decideOwnDeclaration,
  readDeclaration,
  type WaitingDeclaration,
} from '#contract/contract-end';
import { decideHeldOrder, decideOwnOrder, readHeldOrder } from '#contract/held-orders';
import { redirectWithFlash } from '~/http/flash.server';
import { handleForm, readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import { orUnknownLink, readLinkToken } from '~/http/link-page.server';
import type { Scope, UserScope } from '~/http/scope.server';
import { readFormatters } from './formatters.server';

/** Group of texts by the host's name for the kind. */
const TEXTS = {
  cancel: 'cancelContract',
  withdraw: 'withdrawContract',
  money_back: 'moneyBackContract',
} as const;

export function declarationTexts(kind: WaitingDeclaration['kind']) {
  return TEXTS[kind];
}

/** State of a mailed link to a declaration. */
export type DeclarationLink =
  | {
      state: 'waiting';
      declaration: {
        texts: (typeof TEXTS)[keyof typeof TEXTS];
        plan: 'basic_monthly' | 'basic_yearly' | null;
        date: string;
        effect: string;
      };
    }
  | { state: 'undone' | 'done' | 'over' | 'unknown'; declaration: null };

/** State of a mailed link to an order. */
export type OrderLink =
  | {
      state: 'held';
      order: {
        plan: 'basic_monthly' | 'basic_yearly';
        trialHours: number;
        amount: string;
        placed: string;
        until: string;
      };
    }
  | { state: 'confirmed' | 'over' | 'unknown'; order: null };

/** The declaration that this page's link is about, worded for the page. Opening the page decides nothing. */
export async function readDeclarationLink(scope: Scope) {
  const found = await orUnknownLink(
    callHost(scope, readDeclaration, { body: { token: readLinkToken(scope) } }),
  );
  if (!found) return data<DeclarationLink>({ state: 'unknown', declaration: null }, { status: 404 });
  const { dateTime } = await readFormatters(scope);
  const { state, kind, plan, receivedAt, effectiveAt } = found.data;
  if (state !== 'waiting') return data<DeclarationLink>({ state, declaration: null });
  const declaration = { texts: TEXTS[kind], plan, date: dateTime(receivedAt), effect: dateTime(effectiveAt) };
  return data<DeclarationLink>({ state, declaration });
}

/** Like `readDeclarationLink`, for an order. */
export async function readOrderLink(scope: Scope) {
  const found = await orUnknownLink(
    callHost(scope, readHeldOrder, { body: { token: readLinkToken(scope) } }),
  );
  if (!found) return data<OrderLink>({ state: 'unknown', order: null }, { status: 404 });
  const { money, dateTime } = await readFormatters(scope);
  const { state, plan, amountCents, trialHours, placedAt, confirmBy } = found.data;
  if (state !== 'held') return data<OrderLink>({ state, order: null });
  const order = {
    plan,
    trialHours,
    amount: money(amountCents),
    placed: dateTime(placedAt),
    until: dateTime(confirmBy),
  };
  return data<OrderLink>({ state, order });
}

const DeclarationFields = z.object({ decision: z.enum(['confirm', 'undo'], 'malformed') });
const OrderFields = z.object({ decision: z.enum(['confirm', 'discard'], 'malformed') });

/** Confirms or undoes the declaration; the same page then shows the outcome. */
export async function handleDeclarationLink(scope: Scope) {
  const token = readLinkToken(scope);
  const form = await readForm(scope, ['decision']);
  return handleForm(scope, form, DeclarationFields, [], async ({ decision }) => {
    await orUnknownLink(callHost(scope, decideDeclaration, { body: { token, decision } }));
    return redirect(`/declaration?${new URLSearchParams({ token })}`, 303);
  });
}

/** Confirms the order and redirects to the page that follows it; or discards it. */
export async function handleOrderLink(scope: Scope) {
  const token = readLinkToken(scope);
  const form = await readForm(scope, ['decision']);
  return handleForm(scope, form, OrderFields, [], async ({ decision }) => {
    const decided = await orUnknownLink(callHost(scope, decideHeldOrder, { body: { token, decision } }));
    return redirect(
      paymentPage(decided?.data.paymentIntent) ?? `/confirm-order?${new URLSearchParams({ token })}`,
      303,
    );
  });
}

const OwnFields = z.union([
  z.object({ declaration: z.uuid(), decision: z.enum(['confirm', 'undo']) }),
  z.object({ order: z.uuid(), decision: z.enum(['confirm', 'discard']) }),
]);
export type OwnDecision = z.output<typeof OwnFields>;

/** The decision posted on the subscription page; null when its form is the one that opens the portal. */
export async function readOwnDecision(scope: Scope): Promise<OwnDecision | null> {
  const form = await readForm(scope, ['declaration', 'order', 'decision']);
  if (!form.has('declaration') && !form.has('order')) return null;
  const decision = OwnFields.safeParse(Object.fromEntries(form)).data;
  if (!decision) throw data(null, { status: 400 });
  return decision;
}

/** If it is gone, it was decided elsewhere: redirects to the page, which shows the current state. */
export async function decideOwn(scope: UserScope, decided: OwnDecision) {
  const page = '/user/subscription';
  try {
    if ('declaration' in decided) {
      const { declaration: id, decision } = decided;
      const { data } = await callHost(scope, decideOwnDeclaration, { params: { id }, body: { decision } });
      const key = data.state === 'waiting' ? 'declaration_over' : (`declaration_${data.state}` as const);
      return redirectWithFlash(page, { type: 'success', key, persistent: true });
    }
    const { order: id, decision } = decided;
    const answer = await callHost(scope, decideOwnOrder, { params: { id }, body: { decision } });
    const payment = paymentPage(answer.data.paymentIntent);
    if (payment) return redirect(payment, 303);
    if (decision === 'confirm') {
      return redirectWithFlash(page, { type: 'warning', key: 'order_not_carried_out', persistent: true });
    }
    return redirectWithFlash(page, { type: 'success', key: 'order_discarded', persistent: true });
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    if (thrown.status === 404) return redirect(page, 303);
    throw data(null, { status: thrown.status });
  }
}

function paymentPage(paymentIntent: string | null | undefined): string | null {
  return paymentIntent ? `/payment-success?${new URLSearchParams({ payment_intent: paymentIntent })}` : null;
}
