import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mailtoOf } from '#host/engagements/mailto';
import { composeMailto } from '~/codes/contents';

const text = fc.string({ unit: 'binary', maxLength: 80 });
const name = fc.stringMatching(/^[\w.!#$%&'*+/=?^`{|}~-]{1,20}$/);

test.each([
  [{ content: 'a@b.example', subject: '', body: '' }, 'mailto:a@b.example'],
  [{ content: 'a@b.example', subject: 'Hi & bye', body: '' }, 'mailto:a@b.example?subject=Hi%20%26%20bye'],
  [
    { content: 'a+c?d@b.example', subject: '', body: 'x\ny\r\nz' },
    'mailto:a%2Bc%3Fd@b.example?body=x%0D%0Ay%0D%0Az',
  ],
  [
    { content: 'a@b.example', subject: 'é', body: '1+1=2' },
    'mailto:a@b.example?subject=%C3%A9&body=1%2B1%3D2',
  ],
])('%j is written to at %s', (mail, address) => {
  expect(mailtoOf(mail)).toBe(address);
});

test('the page, the picture and the redirect write the same address, which fits into a header', () => {
  fc.assert(
    fc.property(name, text, text, (local, subject, body) => {
      const content = `${local}@b.example`;
      const address = mailtoOf({ content, subject, body });
      expect(address).toBe(composeMailto({ address: content, subject, body }));
      expect(address).toMatch(/^mailto:[\x21-\x7e]+$/);
      const fields = new URL(address).searchParams;
      expect(fields.get('subject') ?? '').toBe(plain(subject));
      expect(fields.get('body') ?? '').toBe(plain(body));
    }),
  );
});

function plain(written: string): string {
  return written.replace(/\p{Cs}/gu, '\uFFFD').replace(/\r\n?|\n/g, '\r\n');
}
