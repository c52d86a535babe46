import { z } from 'zod';
import { LOCALES, type Locale } from '#contract/locales';
import type { Scope } from '~/http/scope.server';
import { i18nOf } from '~/i18n/messages.server';
import { getSite, listPlans } from '~/site/pricing.server';
import { formatDate, formatMoney } from '~/ui/format';

/** The legal pages with the day of their current version; a changed text gets a new day. */
const VERSIONS = {
  cookie: '2026-11-30',
  privacy: '2026-12-01',
  notices: '2026-11-20',
  terms: '2026-11-30',
} as const;
type LegalPage = keyof typeof VERSIONS;

const Table = z.object({
  caption: z.string(),
  head: z.array(z.string()),
  rows: z.array(z.array(z.string())),
});
const Section = z.object({
  /** URL fragment, the same in every language. */
  id: z.string(),
  title: z.string(),
  body: z.array(z.string()),
  list: z.array(z.string()).optional(),
  table: Table.optional(),
});
const Document = z.object({
  title: z.string(),
  description: z.string(),
  intro: z.string(),
  sections: z.array(Section),
});

/** One legal page in the visitor's language, filled in with who runs the service and on which terms. */
export async function legalData(scope: Scope, page: LegalPage) {
  const { locale } = scope;
  const [site, plans] = await Promise.all([getSite(scope), listPlans(scope)]);
  const { tag } = LOCALES[locale];
  const price = (interval: 'month' | 'year') =>
    formatMoney(plans.find((plan) => plan.interval === interval)?.priceCents ?? 0, tag);
  const values = { ...site, monthlyPrice: price('month'), yearlyPrice: price('year') };
  const { t } = i18nOf(locale);
  const document = Document.parse(t(`legal:${page}`, { ...values, returnObjects: true }));
  return {
    document,
    head: { title: document.title, description: document.description },
    version: VERSIONS[page],
    origin: site.publicUrl,
    texts: textsOf(locale, VERSIONS[page]),
  };
}
export type LegalData = Awaited<ReturnType<typeof legalData>>;
export type LegalSection = z.infer<typeof Section>;

function textsOf(locale: Locale, version: string) {
  const { t } = i18nOf(locale);
  const date = formatDate(version, LOCALES[locale].tag);
  return {
    updated: t('legal:updated', { date }),
    print: t('legal:print'),
    contents: t('legal:contents'),
    /** Only translations state which language version prevails. */
    decisive: locale === 'fr' ? null : t('legal:decisive'),
  };
}
