import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import { DARK, LIGHT } from '#contract/colours';
import { DEFAULT_LOCALE, LOCALES, type Locale } from '#contract/locales';
import { dateTimeText, fillText } from '#host/invoices/wording';
import { acceptedLocale } from '#runtime/accept-language';
import { type Behaviour, type CardErrors, type CardForm, TEST_CARDS } from './cards';
import { isCardProblem, reasonText, SANDBOX_TEXTS } from './sandbox-texts';

const STYLE = `:root { color-scheme: light dark; background: ${LIGHT.paper}; color: ${LIGHT.ink}; font: 1.0625rem/1.5 system-ui, sans-serif }
body { max-width: 30rem; margin: 0 auto; padding: 1rem 1rem 3rem }
h1 { font-size: 1.5rem; line-height: 1.25 }
h2 { font-size: 1.125rem }
.test { padding: .5rem .75rem; border: 2px dashed }
.field { margin: 0 0 1rem }
label, legend { display: block; font-weight: 700 }
a { color: #a3200d }
.wide { overflow-x: auto }
.hint { margin: 0; font-size: .9375rem }
input { box-sizing: border-box; width: 100%; min-height: 2.75rem; padding: .5rem; border: 2px solid; border-radius: 4px; font: inherit; background: transparent; color: inherit }
.short { max-width: 9rem }
.error { margin: 0; font-weight: 700; color: #a3200d }
.errors { margin: 0 0 1rem; padding: .25rem 1rem; border: 4px solid #a3200d }
button { min-height: 2.75rem; padding: .5rem 1.25rem; border: 2px solid; border-radius: 4px; font: inherit; font-weight: 700; background: ${LIGHT.ink}; color: #fff; cursor: pointer }
button.plain { background: transparent; color: inherit }
:focus-visible { outline: 3px solid ${LIGHT.accent}; outline-offset: 2px }
table { width: 100%; border-collapse: collapse }
caption, th { text-align: start }
th, td { padding: .4rem .8rem .4rem 0; border-bottom: 1px solid; vertical-align: top }
dt { font-weight: 700 }
dd { margin: 0 0 .5rem }
details { margin-top: 2rem }
details table { font-size: .9375rem }
th[scope=row] { white-space: nowrap }
@media (prefers-color-scheme: dark) { :root { background: ${DARK.paper}; color: ${DARK.ink} } a { color: ${DARK.accent} } .error { color: #ffb4a5 } .errors { border-color: #ffb4a5 } button { background: ${DARK.ink}; color: ${LIGHT.ink} } :focus-visible { outline-color: ${DARK.accent} } }`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The response to a post redirects to the website, which browsers also check against `form-action`. */
export function pagePolicy(publicUrl: string): Record<string, string> {
  const target = new URL(publicUrl).origin;
  return {
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'self' ${target}; frame-ancestors 'none'`,
    // No referrer for other sites, but for our own, so that browsers send the form's origin.
    'Referrer-Policy': 'same-origin',
  };
}

/** Escaped HTML. */
export type Html = ReturnType<typeof html>;

interface SandboxPage {
  locale: Locale;
  appName: string;
  title: string;
  hasErrors?: boolean;
  main: Html;
}

/** A whole page of the sandbox. */
export function sandboxPage({ locale, appName, title, hasErrors = false, main }: SandboxPage): string {
  const { notice, errorPrefix } = SANDBOX_TEXTS[locale];
  const fullTitle = hasErrors ? `${errorPrefix} ${title}` : title;
  return String(html`<!DOCTYPE html>
<html lang="${LOCALES[locale].html}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${fullTitle} – ${appName}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
<p class="test">${notice}</p>
${main}
</main>
</body>
</html>
`);
}

/** A time as HTML, in the same time zone as on the website and in mails. */
export function timeOf(moment: string, locale: Locale): Html {
  return html`<time datetime="${moment}">${dateTimeText(new Date(moment), locale)}</time>`;
}

/** A text with HTML in place of its placeholders. */
export function fillHtml(text: string, values: Record<string, Html | string>): Html {
  const escaped = Object.entries(values).map(([name, value]) => [name, String(html`${value}`)]);
  return raw(fillText(String(html`${text}`), Object.fromEntries(escaped)));
}

/** Responds with 404, in the language of the browser, if a page never existed or has expired. */
export function respondNotFound(context: Context, site: { appName: string; publicUrl: string }) {
  const locale = acceptedLocale(context.req.header('accept-language')) ?? DEFAULT_LOCALE;
  const { title, text } = SANDBOX_TEXTS[locale].over;
  const main = html`<h1>${title}</h1>
<p>${text}</p>`;
  const page = sandboxPage({ locale, appName: site.appName, title, main });
  return context.html(page, 404, pagePolicy(site.publicUrl));
}

interface Field {
  name: keyof CardForm;
  hint?: 'numberHint' | 'expiryHint' | 'cvcHint';
  autocomplete: string;
  attributes: string;
}

const FIELDS: Field[] = [
  { name: 'name', autocomplete: 'cc-name', attributes: 'maxlength="200"' },
  {
    name: 'number',
    hint: 'numberHint',
    autocomplete: 'cc-number',
    attributes: 'inputmode="numeric" maxlength="24"',
  },
  {
    name: 'expiry',
    hint: 'expiryHint',
    autocomplete: 'cc-exp',
    attributes: 'inputmode="numeric" maxlength="9" class="short"',
  },
  {
    name: 'cvc',
    hint: 'cvcHint',
    autocomplete: 'cc-csc',
    attributes: 'inputmode="numeric" maxlength="4" class="short"',
  },
];

/** Errors for a refusal by the bank, on the field they concern. */
export function refusalErrors(code: string): CardErrors {
  return { [code === 'incorrect_cvc' ? 'cvc' : 'number']: isCardProblem(code) ? code : 'card_declined' };
}

interface CardFormOptions {
  locale: Locale;
  action: string;
  entered: CardForm;
  errors: CardErrors;
  /** Button text. */
  button: string;
}

/** The card form as HTML. Typed values are kept, except the security code. */
export function cardForm({ locale, action, entered, errors, button }: CardFormOptions): Html {
  return html`${errorSummary(errors, locale)}
<form method="post" action="${action}" novalidate>
${FIELDS.map((field) => fieldOf(field, entered, errors, locale))}<p><button>${button}</button></p>
</form>`;
}

function errorSummary(errors: CardErrors, locale: Locale): Html | string {
  const texts = SANDBOX_TEXTS[locale];
  const items = FIELDS.flatMap(({ name }) =>
    errors[name] ? [html`<li><a href="#${name}">${texts.errors[errors[name]]}</a></li>`] : [],
  );
  if (items.length === 0) return '';
  return html`<div class="errors" role="alert" tabindex="-1" autofocus>
<h2>${texts.problem}</h2>
<ul>${items}</ul>
</div>`;
}

function fieldOf(
  { name, hint, autocomplete, attributes }: Field,
  entered: CardForm,
  errors: CardErrors,
  locale: Locale,
): Html {
  const texts = SANDBOX_TEXTS[locale];
  const error = errors[name] && texts.errors[errors[name]];
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ');
  const value = name === 'cvc' ? '' : entered[name];
  return html`<div class="field">
<label for="${name}">${texts.form[name]}</label>
${hint ? html`<p class="hint" id="${name}-hint">${texts.form[hint]}</p>` : ''}
${error ? html`<p class="error" id="${name}-error"><span>${texts.errorPrefix}</span> ${error}</p>` : ''}
<input id="${name}" name="${name}" value="${value}" autocomplete="${autocomplete}" ${raw(attributes)} required${described ? html` aria-describedby="${described}"` : ''}${error ? raw(' aria-invalid="true"') : ''}>
</div>
`;
}

/** A list of test numbers and what they do, for trying more than the successful case. */
export function testCards(locale: Locale): Html {
  const { title, caption, number, does } = SANDBOX_TEXTS[locale].cards;
  const rows = Object.entries(TEST_CARDS).map(([digits, behaviour]) => {
    const spaced = digits.replace(/(\d{4})(?=\d)/g, '$1 ');
    return html`<tr><th scope="row">${spaced}</th><td>${behaviourText(behaviour, locale)}</td></tr>
`;
  });
  return html`<details>
<summary>${title}</summary>
<table><caption>${caption}</caption>
<thead><tr><th scope="col">${number}</th><th scope="col">${does}</th></tr></thead>
<tbody>${rows}</tbody></table>
</details>`;
}

function behaviourText(
  { setup, challenge, charge, renewal, delay, refund }: Behaviour,
  locale: Locale,
): string {
  const { cards } = SANDBOX_TEXTS[locale];
  const withReason = (text: string, reason: string) => fillText(text, { why: reasonText(reason, locale) });
  const effects = [
    setup && withReason(cards.setup, setup),
    challenge && cards.challenge,
    charge && withReason(cards.charge, charge),
    renewal && withReason(cards.renewal, renewal),
    delay && cards[delay],
    refund && cards[refund],
  ].filter(Boolean);
  return effects.join('; ') || cards.works;
}

export function readCardForm(form: Record<string, unknown>): CardForm {
  const text = (name: keyof CardForm) => {
    const value = form[name];
    return typeof value === 'string' ? value.slice(0, 200) : '';
  };
  return { name: text('name'), number: text('number'), expiry: text('expiry'), cvc: text('cvc') };
}
