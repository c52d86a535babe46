import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CardErrors, readCard } from '#host/payment-sandbox/cards';
import { readCardForm } from '#host/payment-sandbox/sandbox-pages';
import { openStandaloneSandbox, type StandaloneSandbox } from './standalone-sandbox';

const NOW = new Date('2026-03-02T10:00:00.000Z');
const GOOD = { name: 'Ada Byron', number: '4242 4242 4242 4242', expiry: '12/34', cvc: '123' };
const AMEX = '3782 822463 10005';

type Refused = [fields: Partial<typeof GOOD>, errors: CardErrors];

let sandbox: StandaloneSandbox;

beforeAll(async () => {
  sandbox = await openStandaloneSandbox();
});
afterAll(() => sandbox.close());

const read = (fields: Partial<typeof GOOD>) => readCard({ ...GOOD, ...fields }, NOW);
const cardOf = (fields: Partial<typeof GOOD>) => {
  const entered = read(fields);
  if ('errors' in entered) throw new Error(JSON.stringify(entered.errors));
  return entered.card;
};

test.each<Refused>([
  [{ name: ' ' }, { name: 'name_required' }],
  [{ number: ' - ' }, { number: 'number_required' }],
  [{ number: '4242 4242 4242 4241' }, { number: 'number_wrong' }],
  [{ number: '00000000000' }, { number: 'number_wrong' }],
  [{ number: '0'.repeat(20) }, { number: 'number_wrong' }],
  [{ number: 'x4242424242424242' }, { number: 'number_wrong' }],
  [{ number: '4242424242424242x' }, { number: 'number_wrong' }],
  [{ expiry: ' ' }, { expiry: 'expiry_required' }],
  ...['0/34', '00/34', '13/34', '12/345', '12/3', 'x12/34', '12/34x', '123/34', '12//34', 'ab/cd'].map(
    (expiry): Refused => [{ expiry }, { expiry: 'expiry_wrong' }],
  ),
  [{ expiry: '02/26' }, { expiry: 'expired' }],
  [{ cvc: ' ' }, { cvc: 'cvc_required' }],
  ...['12', '1234', 'x123', '123x', 'abc'].map((cvc): Refused => [{ cvc }, { cvc: 'cvc_three' }]),
  [{ number: AMEX }, { cvc: 'cvc_four' }],
  [
    { name: '', number: '', expiry: '', cvc: '' },
    {
      name: 'name_required',
      number: 'number_required',
      expiry: 'expiry_required',
      cvc: 'cvc_required',
    },
  ],
])('a card with %j is refused with %j', (fields, errors) => expect(read(fields)).toEqual({ errors }));

test.each([
  [{ number: '4242-4242-4242-4242' }, { brand: 'visa', last4: '4242' }],
  [{ number: '5555555555554444' }, { brand: 'mastercard', last4: '4444' }],
  [{ number: '0'.repeat(12) }, { brand: 'card', last4: '0000' }],
  [{ number: '0'.repeat(19) }, { brand: 'card', last4: '0000' }],
  [
    { number: AMEX, cvc: ' 1234 ' },
    { brand: 'amex', last4: '0005' },
  ],
  [{ expiry: '03/26' }, { expMonth: 3, expYear: 2026 }],
  [{ expiry: ' 1 / 2034 ' }, { expMonth: 1, expYear: 2034 }],
  [{ expiry: '12-34' }, { expMonth: 12, expYear: 2034 }],
  [{ expiry: '12.34' }, { expMonth: 12, expYear: 2034 }],
  [{ expiry: '1234' }, { expMonth: 12, expYear: 2034 }],
  [{ number: '4000000000007726' }, { behaviour: { refund: 'pending' } }],
  [{}, { behaviour: {} }],
])('a card with %j is accepted as %j', (fields, card) => expect(cardOf(fields)).toMatchObject(card));

test('cards are told apart by number, expiry and holder, however the name is written', () => {
  const fingerprint = (fields: Partial<typeof GOOD> = {}) => cardOf(fields).fingerprint;
  expect(fingerprint({ name: 'ADÁ-byron 2' })).toBe(fingerprint());
  const others = [
    { name: 'Ida Byron' },
    { number: '5555555555554444' },
    { expiry: '11/34' },
    { expiry: '12/33' },
  ];
  for (const other of others) expect(fingerprint(other)).not.toBe(fingerprint());
});

test('what is posted as a card is read as short texts, and anything else as nothing', () => {
  const posted = { name: 'a'.repeat(300), number: new File([], 'card.txt'), expiry: '12/34' };
  expect(readCardForm(posted)).toEqual({ name: 'a'.repeat(200), number: '', expiry: '12/34', cvc: '' });
});

test('the card page for a charge at once shows the amount, twice, and no later charge', async () => {
  const { url } = await sandbox.openSetup();
  const { status, html } = await sandbox.get(url);
  expect(status).toBe(200);
  expect(html).toContain('<title>Pay by card – Quadrille</title>');
  expect(html).toContain('<dt>To</dt><dd>Quadrille</dd><dt>Today</dt><dd>€9.90</dd></dl>');
  expect(html).toContain('<button>Pay €9.90</button>');
  expect(html).toMatch(/<input id="name"[^>]*value="Ada Byron"/);
  expect(html).not.toContain('First charge');
  expect(html).not.toMatch(/role="alert"|aria-invalid|class="error"/);
  expect(html).toContain('href="https://www.quadrille.example/back"');
});

test('the card page for a later charge shows that nothing is charged today', async () => {
  const { url } = await sandbox.openSetup({ firstChargeAt: new Date('2026-03-04T10:00:00.000Z') });
  const { html } = await sandbox.get(url);
  expect(html).toContain('<title>Save your card – Quadrille</title>');
  expect(html).toContain('<dt>Today</dt><dd>€0.00</dd><dt>First charge, unless you cancel before then</dt>');
  expect(html).toContain(
    '€9.90 on <time datetime="2026-03-04T10:00:00.000Z">4 March 2026 at 10:00 GMT</time>',
  );
  expect(html).toContain('<button>Save card</button>');
});

test('errors are listed with links to their fields, which name and describe them', async () => {
  const { url } = await sandbox.openSetup();
  const { status, html } = await sandbox.enter(url, { number: '4242', cvc: '99' });
  expect(status).toBe(422);
  expect(html).toContain('<title>Error: Pay by card – Quadrille</title>');
  expect(html).toContain('<li><a href="#number">This card number is not valid. Check its digits.</a></li>');
  expect(html.match(/<li>/g)).toHaveLength(2);
  expect(html).toMatch(
    /<input id="number"[^>]*value="4242"[^>]*aria-describedby="number-hint number-error" aria-invalid="true">/,
  );
  expect(html).toMatch(
    /<input id="cvc"[^>]*value=""[^>]*aria-describedby="cvc-hint cvc-error" aria-invalid="true">/,
  );
  expect(html).toMatch(/<input id="expiry"[^>]*value="12\/34"[^>]*aria-describedby="expiry-hint">/);
  expect(html).toMatch(/<input id="name"[^>]*value="Ada Byron"[^>]*required>/);
  expect(html).toContain(
    '<p class="error" id="cvc-error"><span>Error:</span> The security code has 3 digits.</p>',
  );
});

test.each([
  ['4000000000000127', 'cvc', 'The bank says that the security code is wrong. Check it.'],
  ['4000000000009987', 'number', 'The bank declined this card. Try another one.'],
  ['4000000000000119', 'number', 'Something went wrong at the bank. Try again in a moment.'],
])('the refusal of card %s is shown at its %s, and nothing is saved', async (number, field, text) => {
  const { url, customerId } = await sandbox.openSetup();
  const portal = await sandbox.provider.openPortal({
    customerId,
    locale: 'gb',
    returnUrl: 'https://a.example/',
  });
  for (const page of [url, portal]) {
    const { status, html } = await sandbox.enter(page, { number });
    expect(status).toBe(402);
    expect(html).toContain(`<li><a href="#${field}">${text}</a></li>`);
  }
  expect(await sandbox.provider.findCard(customerId)).toBeNull();
});

test.each([
  ['4242 4242 4242 4242', 'works'],
  ['4000 0000 0000 9995', 'is refused here: not enough money'],
  ['4000 0025 0000 3155', 'asks the cardholder first'],
  ['4000 0082 6000 3178', 'asks the cardholder first; is saved, then every charge fails: not enough money'],
  ['4000 0000 0000 1018', 'the first charge works, later ones fail: declined by the bank'],
  ['4000 0000 0000 1034', 'every charge is processed for five days, then works'],
  ['4000 0000 0000 5126', 'a refund comes back after a day'],
])('the list of test cards says what %s does: %s', async (number, effects) => {
  const { html } = await sandbox.get((await sandbox.openSetup()).url);
  expect(html).toContain(`<tr><th scope="row">${number}</th><td>${effects}</td></tr>`);
});

test('a challenge needs a card, saves it when confirmed, and returns to the page when refused', async () => {
  const { url, customerId, setupId } = await sandbox.openSetup();
  const challenge = `${url}/challenge`;
  const page = `/sandbox/pay/${setupId}`;
  expect(await sandbox.post(challenge, { answer: 'confirm' })).toMatchObject({ status: 303, location: page });
  expect((await sandbox.get(challenge)).headers.get('location')).toBe(page);
  const held = await sandbox.enter(url, { number: '4000000000003220' });
  expect(held).toMatchObject({ status: 303, location: `${page}/challenge` });
  expect((await sandbox.get(challenge)).html).toContain('the card ending in 3220 at Quadrille');
  const refused = await sandbox.post(challenge, { answer: 'refuse' });
  expect(refused.status).toBe(402);
  expect(refused.html).toContain('<a href="#number">The bank could not confirm that it is you.');
  expect(refused.html).toMatch(/<input id="name"[^>]*value="Ada Byron"/);
  expect(refused.html).toMatch(/<input id="number"[^>]*value=""/);
  expect(await sandbox.provider.findCard(customerId)).toBeNull();
  const done = { status: 303, location: 'https://www.quadrille.example/done' };
  expect(await sandbox.post(challenge, { answer: 'confirm' })).toMatchObject(done);
  expect(await sandbox.provider.findCard(customerId)).toMatchObject({ last4: '3220' });
  for (const path of [url, challenge]) {
    expect((await sandbox.get(path)).headers.get('location')).toBe(done.location);
    expect(await sandbox.enter(path, { number: 'no number' })).toMatchObject(done);
  }
  expect(await sandbox.provider.findCard(customerId)).toMatchObject({ last4: '3220' });
});

test('the portal shows the card and the newest charges, each with its state', async () => {
  const { customerId, charge, refund, openPortal } = await sandbox.customer();
  const enter = async (number: string) => {
    await sandbox.enter(await openPortal(), { number });
    return (await sandbox.provider.findCard(customerId))?.methodId;
  };
  const rows = async () => {
    const { html } = await sandbox.get(await openPortal());
    return [...html.matchAll(/<td>([^<]*)<\/td><td>([^<]*)<\/td><\/tr>/g)].map(([, ...cells]) =>
      cells.join(' '),
    );
  };
  expect((await sandbox.get(await openPortal())).html).toContain('<p>Nothing has been charged yet.</p>');
  const first = await charge('first', 100);
  sandbox.clock.advance(1000);
  await charge('second', 200);
  sandbox.clock.advance(1000);
  expect(await rows()).toEqual(['€2.00 Paid', '€1.00 Paid']);
  await refund('part', first.id, 40);
  for (const [number, cents] of [
    ['4000000000000341', 300],
    ['4000000000001034', 400],
    ['4000000000001042', 500],
  ] as const) {
    await charge(number, cents, await enter(number));
    sandbox.clock.advance(1000);
  }
  expect(await rows()).toEqual([
    '€5.00 Waits to be confirmed',
    '€4.00 Being processed',
    '€3.00 Failed: declined by the bank',
    '€2.00 Paid',
    '€1.00 Paid; €0.40 refunded',
  ]);
  const { html, headers } = await sandbox.get(await openPortal());
  expect(html).toContain('<dt>Card</dt><dd>Visa ending in 1042, valid to 12/2034</dd>');
  expect(html).toContain('<a href="https://www.quadrille.example/user/subscription">Back to Quadrille</a>');
  expect(html).not.toContain('Your card was saved.');
  expect(headers.get('referrer-policy')).toBe('same-origin');
});

test('a card changed in the portal is confirmed there, and one with errors is not saved', async () => {
  const { customerId, openPortal } = await sandbox.customer();
  const url = await openPortal();
  const wrong = await sandbox.enter(url, { number: '5555555555554444', expiry: '1/20' });
  expect(wrong.status).toBe(422);
  expect(wrong.html).toContain('<title>Error: Your payment details – Quadrille</title>');
  expect(wrong.html).toContain('<a href="#expiry">This card has expired.</a>');
  expect(await sandbox.provider.findCard(customerId)).toMatchObject({ last4: '4242' });
  const saved = await sandbox.enter(url, { number: '5555555555554444', expiry: '1/30' });
  expect(saved).toMatchObject({ status: 303, location: `${new URL(url).pathname}?saved` });
  const { html } = await sandbox.get(`${url}?saved`);
  expect(html).toContain('<p role="status"><strong>Your card was saved.</strong>');
  expect(html).toContain('Mastercard ending in 4444, valid to 01/2030');
  expect(html).toContain('<title>Your payment details – Quadrille</title>');
});

test.each([
  [{}, 'This page has expired'],
  [{ 'accept-language': 'sv, de-CH;q=0.8, en;q=0.5' }, 'Diese Seite ist abgelaufen'],
  [{ 'accept-language': 'en;q=0.5, de-CH;q=0.8' }, 'Diese Seite ist abgelaufen'],
  [{ 'accept-language': 'FR' }, 'Cette page n’est plus valable'],
  [{ 'accept-language': 'sv' }, 'This page has expired'],
])('with the headers %j a page that is over says “%s”', async (headers, text) => {
  for (const path of [
    '/sandbox/pay/seti_x',
    '/sandbox/pay/seti_x/challenge',
    '/sandbox/portal/bps_x',
    '/sandbox/pay/%00x',
    '/sandbox/pay/x%00',
  ]) {
    const { status, html, headers: sent } = await sandbox.get(path, headers);
    expect(status).toBe(404);
    expect(html).toContain(text);
    expect(sent.get('content-security-policy')).toContain(
      "form-action 'self' https://www.quadrille.example;",
    );
  }
});

test('a card posted by another site is not saved', async () => {
  const { url, customerId } = await sandbox.openSetup();
  const portal = await sandbox.provider.openPortal({
    customerId,
    locale: 'gb',
    returnUrl: 'https://a.example/',
  });
  const headers = { 'sec-fetch-site': 'cross-site' };
  const card = { ...GOOD, answer: 'confirm' };
  for (const path of [url, portal]) expect((await sandbox.post(path, card, headers)).location).toBeNull();
  await sandbox.enter(url, { number: '4000000000003220' });
  expect((await sandbox.post(`${url}/challenge`, card, headers)).location).toBeNull();
  expect(await sandbox.provider.findCard(customerId)).toBeNull();
});
