import { expect, test } from 'vitest';
import { LOCALE_CODES } from '#contract/locales';
import { missingValues, renderMail } from '#host/mail/render';
import { getMailText, type MailText, TEMPLATES } from '#host/mail/texts';

const SITE = {
  appName: 'Quadrille',
  contactEmail: 'contact@quadrille.example',
  publicUrl: 'https://www.quadrille.example',
};
const TICKET = {
  email: 'ada@test.example',
  firstname: 'Ada',
  lastname: 'Lovelace',
  topic: 'Something else',
  message: 'A question\nin two lines',
  ticketId: '42',
};

test.each(LOCALE_CODES)('every mail in %s is filled in completely', (locale) => {
  for (const template of TEMPLATES) {
    const values = valuesFor(getMailText(template, locale));
    const { subject, text, html } = renderMail(template, locale, values, SITE);
    for (const written of [subject, text, html]) expect(written, template).not.toMatch(/\{\{|\}\}|undefined/);
    expect(subject, template).not.toBe('');
    for (const value of Object.values(values)) expect(text + subject, template).toContain(value);
  }
});

test.each(LOCALE_CODES)('every mail in %s has the same placeholders as the English one', (locale) => {
  for (const template of TEMPLATES) {
    const own = getMailText(template, locale);
    const english = getMailText(template, 'gb');
    expect(placeholdersOf(own), template).toEqual(placeholdersOf(english));
    expect(Boolean(own.action), template).toBe(Boolean(english.action));
    expect(Boolean(own.notMe), template).toBe(Boolean(english.notMe));
  }
});

test.each(LOCALE_CODES)('in %s, mails about a new way into an account lead out of it', (locale) => {
  const values = { name: 'My key', actionUrl: 'https://www.quadrille.example/user/settings' };
  const { notMe = '' } = getMailText('account-mail.passkey_added', locale);
  expect(notMe).not.toBe('');
  const { text, html } = renderMail('account-mail.passkey_added', locale, values, SITE);
  expect(text).toMatch(new RegExp(`${notMe}\\s?:\\nhttps://www\\.quadrille\\.example/forgot-password\\n`));
  expect(html).toContain(`<a href="https://www.quadrille.example/forgot-password">${notMe}</a>`);
});

test('no mail is the same in two languages', () => {
  const subjects = LOCALE_CODES.map(
    (locale) => renderMail('mail.ticket_received', locale, TICKET, SITE).subject,
  );
  expect(new Set(subjects).size).toBe(LOCALE_CODES.length);
});

test('values never become markup', () => {
  const values = { ...TICKET, firstname: '<img src=x onerror="alert(1)">', message: `</p>"'&` };
  const { html, text } = renderMail('mail.ticket_new', 'gb', values, SITE);
  expect(html).not.toContain('<img');
  expect(html).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;');
  expect(html).toContain('&lt;/p&gt;&quot;&#39;&amp;');
  expect(text).toContain(`</p>"'&`);
});

test('values never start another header', () => {
  const values = { ...TICKET, firstname: 'Ada\r\nBcc: everyone@test.example', lastname: '\u2028\u0000x' };
  const { subject } = renderMail('mail.ticket_new', 'gb', values, SITE);
  expect(subject).toBe('Something else – message from Ada Bcc: everyone@test.example  x');
});

test('a placeholder inside a value stays as it was typed', () => {
  const { text } = renderMail('mail.ticket_new', 'gb', { ...TICKET, message: 'see {{email}}' }, SITE);
  expect(text).toContain('see {{email}}');
});

test('a button links to a web address only', () => {
  const values = { actionUrl: 'https://www.quadrille.example/reset?token=a&b="c', minutes: 60 };
  const { html, text } = renderMail('account-mail.reset_password', 'gb', values, SITE);
  expect(html).toContain('href="https://www.quadrille.example/reset?token=a&amp;b=%22c"');
  expect(text).toContain('Set a new password:\nhttps://www.quadrille.example/reset?token=a&b=%22c\n');
  expect(renderMail('account-mail.reset_password', 'fr', values, SITE).text).toMatch(/\u202f:\nhttps:/);
  const script = { ...values, actionUrl: 'javascript:alert(1)' };
  expect(() => renderMail('account-mail.reset_password', 'gb', script, SITE)).toThrow('web address');
});

test('the plain text is complete on its own', () => {
  const { text } = renderMail('mail.ticket_received', 'gb', TICKET, SITE);
  expect(text).toBe(`Your message has arrived

Hello Ada,

Thank you for writing to us about: Something else. We will answer at this address as soon as we can.

This is what you wrote:

A question
in two lines

If you did not write to us, someone else entered your address: you do not need to do anything.

The Quadrille team

-- 
Quadrille sent you this message because of something that was done at https://www.quadrille.example. Questions? Write to contact@quadrille.example.
`);
});

test('a mail declares its language and loads no resources', () => {
  const { html } = renderMail('mail.ticket_received', 'gb', TICKET, SITE);
  expect(html).toContain('<html lang="en">');
  expect(html).not.toMatch(/<(?:img|link|script|iframe)|url\(|@import/);
});

test.each(LOCALE_CODES)(
  'in %s, a mail of insight ends with the link that switches its kind off',
  (locale) => {
    const values = { title: 'Title', codes: 'One\nTwo', actionUrl: 'https://www.quadrille.example/codes' };
    expect(missingValues('insight-mail.first_scan', locale, values)).toEqual(['offUrl']);
    const offUrl = 'https://www.quadrille.example/mails-off?token=firstScan.1.x';
    const { text, html } = renderMail('insight-mail.first_scan', locale, { ...values, offUrl }, SITE);
    expect(text).toMatch(
      /\S\u202f?:\nhttps:\/\/www\.quadrille\.example\/mails-off\?token=firstScan\.1\.x\n$/,
    );
    expect(html).toContain(`<a href="${offUrl}" style="color:inherit">`);
  },
);

test('an unknown template is refused', () => {
  expect(() => renderMail('mail.nothing', 'gb', {}, SITE)).toThrow('No mail mail.nothing in gb');
});

function placeholdersOf({ subject, heading, lines, action = '', after = [] }: MailText): string[] {
  const all = [subject, heading, ...lines, action, ...after].join(' ').match(/\{\{\s*\w+\s*\}\}/g) ?? [];
  return [...new Set(all)].map((name) => name.replace(/[{}\s]/g, '')).sort();
}

function valuesFor(text: MailText): Record<string, string> {
  const own = placeholdersOf(text).filter((name) => !(name in SITE));
  const values = Object.fromEntries(own.map((name) => [name, `value-of-${name}`]));
  return text.action ? { ...values, actionUrl: 'https://www.quadrille.example/act?token=abc' } : values;
}
