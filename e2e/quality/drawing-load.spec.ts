import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { WEB_PORT } from '../support/ports';

const SITE = `http://localhost:${WEB_PORT}`;
const QUIET_ROUNDS = 100;
/** What a quiet machine does in less cannot be told from noise. */
const LEAST_MS = 50;
const SLOWER = 10;

test.setTimeout(120_000);

test('redirects and pages keep working while strangers request more drawings than can be made', async ({
  page,
  factories,
  signIn,
}) => {
  const account = await signIn();
  const { id, slug } = await factories.code(account, { content: 'https://destination.example/' });
  const cookie = await cookieOf(page);
  const paths = [`/r/${slug}`, '/faq'] as const;
  const look = () => Promise.all(paths.map(timeTo));

  const quiet = await repeat(look, (rounds) => rounds < QUIET_ROUNDS);
  let isOver = false;
  const attack = Promise.all([
    ...Array.from({ length: 40 }, () => askForReceipt()),
    ...Array.from({ length: 20 }, () => askForFile(id, cookie)),
  ]).finally(() => {
    isOver = true;
  });
  const under = await repeat(look, (rounds) => !isOver || rounds < QUIET_ROUNDS);
  const answers = await attack;

  for (const [at, path] of paths.entries()) {
    const [before, during] = [p99(quiet.map((times) => times[at])), p99(under.map((times) => times[at]))];
    expect(during, `${path}: ${before} ms when it is quiet`).toBeLessThan(
      SLOWER * Math.max(before, LEAST_MS),
    );
  }
  // Each was drawn, or told when to come again.
  for (const { kind, status, retryAfter } of answers) {
    expect([200, 429, 503], kind).toContain(status);
    expect(retryAfter !== null, `${kind}: ${status}`).toBe(status !== 200);
  }
  for (const kind of ['receipt', 'file']) {
    const statuses = answers.filter((answer) => answer.kind === kind).map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses).toContain(429);
  }
});

async function cookieOf(page: Page): Promise<string> {
  const cookies = await page.context().cookies();
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}

async function askForReceipt() {
  const fields = { type: 'text', content: `A long text that nobody has asked for. ${'x'.repeat(200)}` };
  const answer = await fetch(`${SITE}/create/receipt`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '198.51.100.77' },
    body: JSON.stringify({ fields, useWhiteBackground: true, preset: 'heart.svg' }),
  });
  return told('receipt', answer);
}

async function askForFile(id: string, cookie: string) {
  const answer = await fetch(`${SITE}/user/qrcodes/${id}/download?format=png&size=4096`, {
    headers: { cookie, 'X-Forwarded-For': '198.51.100.78' },
  });
  return told('file', answer);
}

async function told(kind: string, answer: Response) {
  await answer.arrayBuffer();
  return { kind, status: answer.status, retryAfter: answer.headers.get('retry-after') };
}

async function timeTo(path: string): Promise<number> {
  const started = performance.now();
  const answer = await fetch(SITE + path, { redirect: 'manual' });
  await answer.arrayBuffer();
  expect([200, 302]).toContain(answer.status);
  return performance.now() - started;
}

async function repeat(look: () => Promise<number[]>, goesOn: (rounds: number) => boolean) {
  const rounds: number[][] = [];
  while (goesOn(rounds.length)) rounds.push(await look());
  return rounds;
}

function p99(times: (number | undefined)[]): number {
  const sorted = times.map((time = 0) => time).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}
