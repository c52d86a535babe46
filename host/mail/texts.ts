import type { Locale } from '#contract/locales';
import deAccount from '../../locales/de/account-mail.json';
import deBilling from '../../locales/de/billing-mail.json';
import deInsight from '../../locales/de/insight-mail.json';
import de from '../../locales/de/mail.json';
import deStatistics from '../../locales/de/statistics.json';
import esAccount from '../../locales/es/account-mail.json';
import esBilling from '../../locales/es/billing-mail.json';
import esInsight from '../../locales/es/insight-mail.json';
import es from '../../locales/es/mail.json';
import esStatistics from '../../locales/es/statistics.json';
import frAccount from '../../locales/fr/account-mail.json';
import frBilling from '../../locales/fr/billing-mail.json';
import frInsight from '../../locales/fr/insight-mail.json';
import fr from '../../locales/fr/mail.json';
import frStatistics from '../../locales/fr/statistics.json';
import gbAccount from '../../locales/gb/account-mail.json';
import gbBilling from '../../locales/gb/billing-mail.json';
import gbInsight from '../../locales/gb/insight-mail.json';
import gb from '../../locales/gb/mail.json';
import gbStatistics from '../../locales/gb/statistics.json';
import itAccount from '../../locales/it/account-mail.json';
import itBilling from '../../locales/it/billing-mail.json';
import itInsight from '../../locales/it/insight-mail.json';
import it from '../../locales/it/mail.json';
import itStatistics from '../../locales/it/statistics.json';

/** One template in one language. `{{name}}` is replaced with a value; `actionUrl` is where the button leads. */
export interface MailText {
  subject: string;
  heading: string;
  lines: string[];
  /** Button text; needs the value `actionUrl`. */
  action?: string;
  /** Lines below the button. */
  after?: string[];
  /** Text of a link, below everything else, to where a new password is set. */
  notMe?: string;
}

interface LayoutText {
  link: string;
  signature: string;
  footer: string;
  /** Footer of mails that can be switched off, and their link that does so. */
  footerOfInsight: string;
  off: string;
}

const { layout: gbLayout, ...gbTexts } = gb;
const { layout: frLayout, ...frTexts } = fr;
const { layout: esLayout, ...esTexts } = es;
const { layout: deLayout, ...deTexts } = de;
const { layout: itLayout, ...itTexts } = it;

const { phrases: gbPhrases, ...gbInsightMails } = gbInsight;
const { phrases: frPhrases, ...frInsightMails } = frInsight;
const { phrases: esPhrases, ...esInsightMails } = esInsight;
const { phrases: dePhrases, ...deInsightMails } = deInsight;
const { phrases: itPhrases, ...itInsightMails } = itInsight;

/** Parts of the lines of mails of insight. */
export const INSIGHT_PHRASES: Record<Locale, typeof gbPhrases> = {
  gb: gbPhrases,
  fr: frPhrases,
  es: esPhrases,
  de: dePhrases,
  it: itPhrases,
};

/** The sentences of the page of statistics. */
export const STATISTICS_TEXTS: Record<
  Locale,
  Pick<typeof gbStatistics, 'change' | 'counts' | 'findings' | 'summary'>
> = {
  gb: gbStatistics,
  fr: frStatistics,
  es: esStatistics,
  de: deStatistics,
  it: itStatistics,
};

const { texts: gbBillingTexts, ...gbBillingMails } = gbBilling;
const { texts: frBillingTexts, ...frBillingMails } = frBilling;
const { texts: esBillingTexts, ...esBillingMails } = esBilling;
const { texts: deBillingTexts, ...deBillingMails } = deBilling;
const { texts: itBillingTexts, ...itBillingMails } = itBilling;

type BillingTexts = typeof gbBillingTexts;

/** Texts of invoices and order confirmations, next to those of the mails that carry them. */
export const BILLING_TEXTS: Record<Locale, BillingTexts> = {
  gb: gbBillingTexts,
  fr: frBillingTexts,
  es: esBillingTexts,
  de: deBillingTexts,
  it: itBillingTexts,
};

export const LAYOUT_TEXTS: Record<Locale, LayoutText> = {
  gb: gbLayout,
  fr: frLayout,
  es: esLayout,
  de: deLayout,
  it: itLayout,
};

/** Every mail the host can send, by namespace. To add a file of mails, add five imports and one line here. */
const NAMESPACES = {
  mail: { gb: gbTexts, fr: frTexts, es: esTexts, de: deTexts, it: itTexts },
  'account-mail': { gb: gbAccount, fr: frAccount, es: esAccount, de: deAccount, it: itAccount },
  'billing-mail': {
    gb: gbBillingMails,
    fr: frBillingMails,
    es: esBillingMails,
    de: deBillingMails,
    it: itBillingMails,
  },
  'insight-mail': {
    gb: gbInsightMails,
    fr: frInsightMails,
    es: esInsightMails,
    de: deInsightMails,
    it: itInsightMails,
  },
} satisfies Record<string, Record<Locale, Record<string, MailText>>>;

type Namespaces = typeof NAMESPACES;

/** `namespace.key`, for example `mail.ticket_received`. */
export type Template = {
  [N in keyof Namespaces]: `${N}.${keyof Namespaces[N]['gb'] & string}`;
}[keyof Namespaces];

export type BillingTemplate = Extract<Template, `billing-mail.${string}`>;

/** Mails that their owner switches on and off; they need the value `offUrl`. */
export type InsightTemplate = Extract<Template, `insight-mail.${string}`>;

export const TEMPLATES = Object.entries(NAMESPACES).flatMap(([namespace, { gb: texts }]) =>
  Object.keys(texts).map((key) => `${namespace}.${key}`),
) as Template[];

/** Throws for an unknown template. */
export function getMailText(template: string, locale: Locale): MailText {
  const [namespace = '', key = ''] = template.split('.');
  const texts: Partial<Record<string, Record<Locale, Partial<Record<string, MailText>>>>> = NAMESPACES;
  const text = texts[namespace]?.[locale][key];
  if (!text) throw new Error(`No mail ${template} in ${locale}`);
  return text;
}
