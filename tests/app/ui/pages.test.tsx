import { expect, test } from 'vitest';
import { Receipt } from '~/codes/look/scan-grade';
import { ErrorPage } from '~/ui/error-page';
import { formatDate, formatMoney } from '~/ui/format';
import { ConfirmPage, FormPage } from '~/ui/page-layouts';
import { Pagination, pagesAround } from '~/ui/pagination';
import { DateTime } from '~/ui/time';
import { rendered, tagWith } from './rendered';

test('the error summary follows the heading, links to the fields and is focused without scripts', () => {
  const errors = [{ field: 'login-email', text: 'Enter your e-mail address.' }, { text: 'Try again.' }];
  const html = rendered(
    <FormPage title="Sign in" errors={errors}>
      <form />
    </FormPage>,
  );
  const summary = tagWith(html, 'section', 'error-summary');
  expect(summary).toContain('autofocus=""');
  expect(summary).toContain('tabindex="-1"');
  expect(summary).not.toContain('role="alert"');
  expect(html.indexOf('</h1>')).toBeLessThan(html.indexOf('error-summary'));
  expect(html).toContain('<a href="#login-email">Enter your e-mail address.</a>');
  expect(html).toContain('<li>Try again.</li>');
});

test('a form without errors has no summary', () => {
  const page = (
    <FormPage title="Sign in" errors={[]}>
      <form />
    </FormPage>
  );
  expect(rendered(page)).not.toContain('error-summary');
});

test('a destructive action is a POST with a link to leave the page', () => {
  const html = rendered(
    <ConfirmPage
      title="Delete?"
      warning="It is gone."
      action="/x/delete"
      label="Delete x"
      cancelTo="/x"
      keepLabel="Keep x"
    />,
  );
  expect(tagWith(html, 'form', '/x/delete')).toContain('method="post"');
  expect(html).toMatch(/<button type="submit" class="button danger">Delete x<\/button>/);
  expect(html).toMatch(/<a[^>]*href="\/x"[^>]*>Keep x<\/a>/);
});

test('a 503 page shows the input and can resend all of it', () => {
  const submitted = [
    ['email', 'ada@example.com'],
    ['message', 'Two\nlines'],
    ['subject', 'question'],
    ['key', 'k-1'],
  ];
  const html = rendered(
    <ErrorPage status={503} details={{ submitted, requestId: 'r-42' }} />,
    '/contact?a=1',
  );
  expect(tagWith(html, 'form', 'post')).toContain('action="/contact?a=1"');
  expect(html).toContain('<input type="hidden" name="key" value="k-1"/>');
  expect(html).toContain('name="message" value="Two\nlines"');
  expect(html).toContain('<dt>E-mail</dt><dd>ada@example.com</dd>');
  expect(html).toContain('<dt>Message</dt>');
  expect(html).not.toContain('<dd>k-1</dd>');
  expect(html).not.toContain('<dd>question</dd>');
  expect(html).toContain('<code>r-42</code>');
});

test.each([
  [404, 'Page not found'],
  [418, 'This request cannot be read'],
  [502, 'Something went wrong'],
])('status %i has its own heading', (status, title) => {
  expect(rendered(<ErrorPage status={status} details={null} />)).toContain(`<h1>${title}</h1>`);
});

test('pagination links to the neighbours, the first and the last page', () => {
  expect(pagesAround(1, 3)).toEqual([1, 2, 3]);
  expect(pagesAround(5, 9)).toEqual([1, 4, 5, 6, 9]);
  expect(pagesAround(9, 9)).toEqual([1, 8, 9]);
  const html = rendered(<Pagination page={2} limit={10} total={25} path="/list?q=a" />);
  expect(tagWith(html, 'a', 'rel="prev"')).toContain('href="/list?q=a&amp;page=1"');
  expect(tagWith(html, 'a', 'rel="next"')).toContain('page=3"');
  expect(tagWith(html, 'a', 'aria-current')).toContain('aria-label="Page 2"');
});

test('a single page needs no pagination, and the last page has no next link', () => {
  expect(rendered(<Pagination page={1} limit={10} total={10} path="/list" />)).toBe('');
  expect(rendered(<Pagination page={2} limit={10} total={11} path="/list" />)).not.toContain('rel="next"');
});

test('times and amounts are formatted for the language, in a fixed time zone', () => {
  const html = rendered(<DateTime value="2026-03-02T23:30:00Z" locale="de" />);
  expect(html).toMatch(/<time dateTime="2026-03-02T23:30:00Z">2\. März 2026.*23:30 UTC<\/time>/i);
  expect(formatDate('2026-03-02T23:30:00Z', 'fr')).toBe('2 mars 2026');
  expect(formatMoney(990, 'de').replace(/\s/g, ' ')).toBe('9,90 €');
});

test('a receipt states what was decoded and is styled by its state', () => {
  const read = rendered(<Receipt state="reads-back" text="reads back: example.com" />);
  const unread = rendered(<Receipt state="unread" text="does not read back" />);
  expect(tagWith(read, 'p', 'receipt')).toContain('class="receipt reads-back"');
  expect(read).toContain('<span>reads back: example.com</span>');
  expect(tagWith(unread, 'p', 'receipt')).toContain('class="receipt unread"');
});
