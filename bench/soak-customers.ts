import { setTimeout as delay } from 'node:timers/promises';
import { cardOf, checkout } from './checkout';

const PASSWORD = 'three quiet lamps over water';
const CODES = 40;

interface Addresses {
  url: string;
  hostUrl: string;
}

interface Answer {
  token: string;
  data: { redirectUrl: string; link: string };
}

export interface Customer {
  cookie: string;
  slugs: string[];
}

/** Orders a plan, pays it in the sandbox, sets a password by the mailed link, makes codes and signs in at the website. */
export async function createCustomer(name: string, { url, hostUrl }: Addresses): Promise<Customer> {
  const call = (path: string, body: object, token?: string) => callHost(hostUrl + path, body, token);
  const email = `${crypto.randomUUID()}@soak.example`;
  const order = checkout({ name: `${name} Customer`, email, key: crypto.randomUUID() });
  const { data: placed } = await call('/api/subscriptions', order);
  const paid = await fetch(`${hostUrl}${new URL(placed.redirectUrl).pathname}`, {
    method: 'POST',
    body: new URLSearchParams(cardOf(order.name)),
    redirect: 'manual',
  });
  if (paid.status >= 400) throw new Error(`the card is refused: ${paid.status}`);
  const password = { password: PASSWORD, confirmPassword: PASSWORD };
  const onboarding = {
    token: await mailedToken(email, hostUrl),
    firstName: name,
    lastName: 'Customer',
    ...password,
  };
  const { token } = await call('/api/account/onboarding', onboarding);
  const slugs: string[] = [];
  for (let n = 0; n < CODES; n += 1) {
    const form = new FormData();
    const fields = { type: 'link', data: `https://destination.example/${n}`, useWhiteBackground: 'true' };
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    slugs.push((await call('/api/qrcodes', form, token)).data.link.split('/').at(-1) ?? '');
  }
  const login = await fetch(`${url}/login`, {
    method: 'POST',
    body: new URLSearchParams({ email, password: PASSWORD }),
    headers: { origin: url },
    redirect: 'manual',
  });
  const cookie = login.headers.getSetCookie().find((line) => line.startsWith('session='));
  if (!cookie) throw new Error(`signing in answered ${login.status}`);
  return { cookie: cookie.split(';')[0] ?? '', slugs };
}

/** Path of the page of a customer's newest code. */
export async function findCodePage(url: string, cookie: string): Promise<string> {
  const list = await (await fetch(`${url}/user/qrcodes`, { headers: { cookie } })).text();
  return /\/user\/qrcodes\/[\da-f-]{36}/.exec(list)?.[0] ?? '/no-code-listed';
}

async function callHost(url: string, body: object, token = ''): Promise<Answer> {
  const isForm = body instanceof FormData;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...(!isForm && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: isForm ? body : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json() as Promise<Answer>;
}

async function mailedToken(to: string, hostUrl: string): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { data } = (await (await fetch(`${hostUrl}/mailbox.json`)).json()) as {
      data: { to: string; text: string | null }[];
    };
    for (const mail of data) {
      const token = mail.to === to && /token=([\w-]{43})/.exec(mail.text ?? '')?.[1];
      if (token) return token;
    }
    await delay(100);
  }
  throw new Error('no link was mailed');
}
