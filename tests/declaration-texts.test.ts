import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Billing {
  cancelContract: { declared: string };
  withdrawContract: { declared: string };
  moneyBackContract: { declared: string };
}
interface BillingMail {
  texts: { declared: { cancel: string; withdraw: string; money_back: string } };
  cancel_received: { lines: string[] };
  withdraw_received: { lines: string[] };
  money_back_received: { lines: string[] };
}

const QUOTED: Record<string, (words: string) => string> = {
  gb: (words) => `“${words}”`,
  fr: (words) => `«\u202f${words}\u202f»`,
  es: (words) => `«${words}»`,
  de: (words) => `„${words}“`,
  it: (words) => `«${words}»`,
};

function readTexts<T>(locale: string, namespace: string): T {
  return JSON.parse(readFileSync(join(process.cwd(), 'locales', locale, `${namespace}.json`), 'utf8')) as T;
}

test.each(Object.keys(QUOTED))(
  'receipt and confirmation request quote the declaration exactly as the page showed it (%s)',
  (locale) => {
    const page = readTexts<Billing>(locale, 'billing');
    const mail = readTexts<BillingMail>(locale, 'billing-mail');
    const quoted = QUOTED[locale] ?? String;
    const [, cancelled = ''] = mail.cancel_received.lines;
    const [, withdrawn = ''] = mail.withdraw_received.lines;
    const [, moneyBack = ''] = mail.money_back_received.lines;
    expect(cancelled.split('\n')[0]).toBe(quoted(page.cancelContract.declared));
    expect(withdrawn.split('\n')[0]).toBe(quoted(page.withdrawContract.declared));
    expect(moneyBack.split('\n')[0]).toBe(quoted(page.moneyBackContract.declared));
    const requested = mail.texts.declared;
    expect([requested.cancel, requested.withdraw, requested.money_back]).toEqual(
      [page.cancelContract, page.withdrawContract, page.moneyBackContract].map(({ declared }) =>
        quoted(declared),
      ),
    );
  },
);
