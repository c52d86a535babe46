import { html, raw } from 'hono/html';
import type { Locale } from '#contract/locales';
import { fillText } from '#host/invoices/wording';
import { type Behaviour, type CardErrors, type CardForm, TEST_CARDS } from './cards';
import type { Html } from './sandbox-layout';
import { isCardProblem, reasonText, SANDBOX_TEXTS } from './sandbox-texts';

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
  typed: CardForm;
  errors: CardErrors;
  /** Button text. */
  button: string;
}

/** The card form as HTML. Typed values are kept, except the security code. */
export function cardForm({ locale, action, typed, errors, button }: CardFormOptions): Html {
  return html`${errorSummary(errors, locale)}
<form method="post" action="${action}" novalidate>
${FIELDS.map((field) => fieldOf(field, typed, errors, locale))}<p><button>${button}</button></p>
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
  typed: CardForm,
  errors: CardErrors,
  locale: Locale,
): Html {
  const texts = SANDBOX_TEXTS[locale];
  const error = errors[name] && texts.errors[errors[name]];
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ');
  const value = name === 'cvc' ? '' : typed[name];
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
