import { createHash } from 'node:crypto';
import type { Locale } from '#contract/locales';
import type { Deps } from '#host/http/deps';
import { dateTimeText, fillText, moneyText, planText, priceText } from '#host/invoices/wording';
import { BILLING_TEXTS } from '#host/mail/texts';
import { plansOf } from '#host/plans/plans';
import { addHours } from '#host/subscriptions/calendar';
import de from '../../../locales/de/legal.json';
import es from '../../../locales/es/legal.json';
import fr from '../../../locales/fr/legal.json';
import gb from '../../../locales/gb/legal.json';
import it from '../../../locales/it/legal.json';
import type { OrderRow } from './store';

interface Section {
  title: string;
  body?: string[];
  list?: string[];
  table?: { head: string[]; rows: string[][] };
}
interface Terms {
  title: string;
  intro: string;
  sections: Section[];
}

const TERMS: Record<Locale, Terms> = { gb: gb.terms, fr: fr.terms, es: es.terms, de: de.terms, it: it.terms };
type Settings = Deps['settings'];

/** The current terms of sale as plain text. */
function termsText(settings: Settings, locale: Locale): string {
  const { title, intro, sections } = TERMS[locale];
  const text = [
    title.toUpperCase(),
    intro,
    ...sections.map((section, index) => sectionText(section, index + 1)),
  ].join('\n\n');
  return fillPlaceholders(text, settings, locale);
}

/** Identifies a version of the terms by the French text, which is authoritative. */
export function termsVersion(settings: Settings): string {
  return versionOf(termsText(settings, 'fr'));
}

/** The same for the wording agreed to when asking for the service to begin at once. */
export function waiverVersion(): string {
  return versionOf(BILLING_TEXTS.fr.order.waiver_given);
}

/**
 * The confirmation on a durable medium required by consumer code L221-13: order, amounts, dates, what was agreed to and
 * when, and the full terms with the model withdrawal form.
 */
export function confirmationText(settings: Settings, order: OrderRow, timeZone: string): string {
  const { locale, buyer, reference, priceCents, trialHours } = order;
  const texts = BILLING_TEXTS[locale].order;
  const date = dateTimeText(order.createdAt, locale, timeZone);
  const amount = moneyText(priceCents, locale);
  const price = priceText(order.plan, priceCents, locale);
  const startedAt = order.completedAt ?? order.createdAt;
  const firstCharge = dateTimeText(addHours(startedAt, trialHours), locale, timeZone);
  const customer = [
    buyer.company,
    buyer.name,
    buyer.street,
    `${buyer.postalCode} ${buyer.city}`.trim(),
    buyer.country,
    buyer.siret,
    buyer.vatNumber,
    order.email,
  ];
  const charge =
    trialHours > 0
      ? fillText(texts.trial, { hours: trialHours, date: firstCharge, amount })
      : fillText(texts.no_trial, { amount });
  return `${[
    fillText(texts.title, { reference }),
    fillText(texts.seller, settings.identity.seller),
    fillText(texts.customer, { customer: customer.filter(Boolean).join(', ') }),
    [
      fillText(texts.placed, { date }),
      fillText(texts.plan, { plan: planText(order.plan, locale), price }),
      charge,
      texts.renewal,
    ].join('\n'),
    fillText(texts.terms_accepted, { date, version: order.termsVersion.slice(0, 16) }),
    fillText(texts.waiver_given, { date }),
    termsText(settings, locale),
  ].join('\n\n')}\n`;
}

function sectionText({ title, body = [], list = [], table }: Section, number: number): string {
  return [
    `${number}. ${title}`,
    ...body,
    ...list.map((entry) => `- ${entry}`),
    ...(table
      ? table.rows.map((row) => row.map((cell, index) => `${table.head[index]}: ${cell}`).join('; '))
      : []),
  ].join('\n');
}

function fillPlaceholders(text: string, settings: Settings, locale: Locale): string {
  const { identity, plans, appName, contactEmail, publicUrl } = settings;
  const [monthly, yearly] = plansOf(plans);
  const values: Record<string, string | number> = {
    appName,
    contactEmail,
    publicUrl,
    ...plans,
    monthlyPrice: moneyText(monthly.priceCents, locale),
    yearlyPrice: moneyText(yearly.priceCents, locale),
    ...prefixed('seller', identity.seller),
    ...prefixed('hosting', identity.hosting),
    ...prefixed('mediator', identity.mediator),
  };
  return text.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (_, name: string) => String(values[name] ?? ''));
}

function prefixed(name: string, values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [`${name}.${key}`, value]));
}

function versionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
