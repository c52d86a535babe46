import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { tickets } from '#host/db/tickets.tables';
import { createTestWebsite, type TestWebsite } from '../../support/website';

const ENTERED = {
  email: 'o&leary@example.com',
  firstname: 'Dott.ssa Maria',
  lastname: 'DR.MÜLLER',
  subject: 'billing',
  message: 'Where do I find my invoices?',
};
let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({ '/contact': 'site/contact-page.tsx' });
});
beforeEach(() => website.host.db.orm.delete(tickets));
afterAll(async () => website.close());

async function post(fields: Record<string, string>) {
  const answer = await website.browse('/contact', { method: 'POST', body: new URLSearchParams(fields) });
  const stored = await website.host.db.orm.select().from(tickets);
  return { status: answer.status, page: await answer.text(), stored: stored.length };
}

const box = /<input[^>]*type="checkbox"[^>]*name="person"|<input[^>]*name="person"[^>]*type="checkbox"/;

test('the page first shows no box to tick, and a field that autofill does not know', async () => {
  const page = await (await website.browse('/contact')).text();
  expect(page).not.toMatch(box);
  const [hidden = ''] = page.match(/<input[^>]*id="contact-comment"[^>]*>/) ?? [];
  for (const attribute of ['name="comment"', 'autoComplete="off"', 'tabindex="-1"', 'data-lpignore="true"']) {
    expect(hidden.toLowerCase()).toContain(attribute.toLowerCase());
  }
  for (const name of ['website', 'url', 'address', 'company', 'phone', 'tel', 'organization']) {
    expect(page).not.toContain(`name="${name}"`);
  }
});

test('a message with the hidden field filled is shown again, with all that was typed and a box to tick', async () => {
  const { status, page, stored } = await post({ ...ENTERED, comment: 'https://spam.example' });
  expect([status, stored]).toEqual([422, 0]);
  expect(page).toMatch(box);
  expect(page).toContain('Your message has not been sent yet');
  for (const value of ['o&amp;leary@example.com', 'Dott.ssa Maria', 'DR.MÜLLER', ENTERED.message]) {
    expect(page).toContain(value);
  }
  expect(page).toMatch(/<option[^>]*value="billing"[^>]*selected|<option[^>]*selected[^>]*value="billing"/);
});

test('the box sends the message, also if the hidden field is filled again', async () => {
  const { status, stored } = await post({ ...ENTERED, comment: 'https://spam.example', person: 'on' });
  expect([status, stored]).toEqual([303, 1]);
});

test('with another error the box stays, ticked', async () => {
  const { status, page } = await post({ ...ENTERED, email: 'nobody', comment: 'x', person: 'on' });
  expect(status).toBe(422);
  const [ticked = ''] = page.match(/<input[^>]*name="person"[^>]*>/) ?? [];
  expect(ticked).toContain('checked');
});
