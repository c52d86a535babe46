import { escapeHtml } from '#host/mail/layout';
import { type CardErrors, type CardForm, TEST_CARDS } from './cards';

interface Field {
  name: keyof CardForm;
  label: string;
  hint?: string;
  autocomplete: string;
  attributes: string;
}

const FIELDS: Field[] = [
  { name: 'name', label: 'Name on the card', autocomplete: 'cc-name', attributes: 'maxlength="200"' },
  {
    name: 'number',
    label: 'Card number',
    hint: '4242 4242 4242 4242 works',
    autocomplete: 'cc-number',
    attributes: 'inputmode="numeric" maxlength="24"',
  },
  {
    name: 'expiry',
    label: 'Expiry date',
    hint: 'Month and year, like 12/34',
    autocomplete: 'cc-exp',
    attributes: 'inputmode="numeric" maxlength="9" class="short"',
  },
  {
    name: 'cvc',
    label: 'Security code',
    hint: 'Any three digits',
    autocomplete: 'cc-csc',
    attributes: 'inputmode="numeric" maxlength="4" class="short"',
  },
];

const REFUSALS: Record<string, string> = {
  card_declined: 'The bank declined this card. Try another one',
  insufficient_funds: 'There is not enough money on this card. Try another one',
  lost_card: 'The bank declined this card. Try another one',
  stolen_card: 'The bank declined this card. Try another one',
  expired_card: 'The bank says that this card has expired. Try another one',
  incorrect_cvc: 'The bank says that the security code is wrong. Check it',
  processing_error: 'Something went wrong at the bank. Try again in a moment',
  authentication_failed: 'The bank could not make sure that it is you. Try again or use another card',
};

/** Errors of a refusal by the bank, on the field that it is about. */
export function refusalErrors(code: string): CardErrors {
  return { [code === 'incorrect_cvc' ? 'cvc' : 'number']: REFUSALS[code] ?? REFUSALS.card_declined };
}

/** The card form as HTML. What was typed stays, except the security code. */
export function cardForm(action: string, typed: CardForm, errors: CardErrors, button: string): string {
  return `${errorSummary(errors)}
<form method="post" action="${escapeHtml(action)}" novalidate>
${FIELDS.map((field) => fieldOf(field, typed, errors)).join('\n')}
<p><button>${escapeHtml(button)}</button></p>
</form>`;
}

function errorSummary(errors: CardErrors): string {
  const items = FIELDS.flatMap(({ name }) =>
    errors[name] ? [`<li><a href="#${name}">${escapeHtml(errors[name])}</a></li>`] : [],
  );
  if (items.length === 0) return '';
  return `<div class="errors" role="alert" tabindex="-1" autofocus>
<h2>There is a problem</h2>
<ul>${items.join('')}</ul>
</div>`;
}

function fieldOf(
  { name, label, hint, autocomplete, attributes }: Field,
  typed: CardForm,
  errors: CardErrors,
): string {
  const error = errors[name];
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ');
  const value = name === 'cvc' ? '' : typed[name];
  return `<div class="field">
<label for="${name}">${label}</label>
${hint ? `<p class="hint" id="${name}-hint">${hint}</p>` : ''}
${error ? `<p class="error" id="${name}-error"><span>Error:</span> ${escapeHtml(error)}</p>` : ''}
<input id="${name}" name="${name}" value="${escapeHtml(value)}" autocomplete="${autocomplete}" ${attributes} required${described ? ` aria-describedby="${described}"` : ''}${error ? ' aria-invalid="true"' : ''}>
</div>`;
}

/** What the test numbers do, for whoever wants to see more than the sunny side. */
export function testCards(): string {
  const rows = Object.entries(TEST_CARDS).map(([number, { setup, challenge, charge, renewal, refund }]) => {
    const says = [
      setup && `is refused here: ${setup}`,
      challenge && 'asks its holder first',
      charge && `is saved, then every charge fails: ${charge}`,
      renewal && `the first charge works, later ones fail: ${renewal}`,
      refund === 'pending' && 'a refund takes a day',
      refund === 'returned' && 'a refund comes back after a day',
    ].filter(Boolean);
    const spaced = number.replace(/(\d{4})(?=\d)/g, '$1 ');
    return `<tr><th scope="row">${spaced}</th><td>${escapeHtml(says.join('; ') || 'works')}</td></tr>`;
  });
  return `<details>
<summary>Test cards</summary>
<table><caption>Any expiry date to come and any security code will do</caption>
<tbody>${rows.join('\n')}</tbody></table>
</details>`;
}

export function readCardForm(form: Record<string, unknown>): CardForm {
  const text = (name: keyof CardForm) => {
    const value = form[name];
    return typeof value === 'string' ? value.slice(0, 200) : '';
  };
  return { name: text('name'), number: text('number'), expiry: text('expiry'), cvc: text('cvc') };
}
