import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Code } from '#contract/codes';
import type { Draft } from '#contract/drafts';
import type { ImportReport } from '#contract/imports';
import { createFromDraft } from '#host/codes/code/create';
import { runCommand } from '#host/operator/run-command';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { readCsv } from '../statistics/read-csv';

const JSON_CALLER = { headers: { accept: 'application/json' } };
const AT = '2026-03-02T10:00:00.000Z';

describe('blocked codes and hosts', () => {
  let host: TestHost;
  let account: TestAccount;

  beforeEach(async () => {
    host = await createTestHost();
    onTestFinished(() => host.close());
    account = await host.account();
  });

  const act = (command: string, subject: string, reason = 'asks for passwords') =>
    runCommand(host.deps, { command, subject, reason, operator: 'ada' });
  const send = (path: string, method: string, body: FormData | object, token = account.token) =>
    host.request(path, { method, token, body: body instanceof FormData ? body : JSON.stringify(body) });
  const formOf = (fields: Record<string, string | Blob>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return form;
  };
  async function read<T>(path: string): Promise<T> {
    return ((await (await host.request(path, { token: account.token })).json()) as { data: T }).data;
  }
  const readOne = async (id: string) => (await read<{ code: Code }>(`/api/qrcodes/${id}`)).code;

  test('the owner sees that a code is blocked, since when and why, in every export too', async () => {
    const fine = await host.code(account.id);
    const bad = await host.code(account.id, { content: 'https://fine.example/' });
    const below = await host.code(account.id, { content: 'https://login.Bücher.example/x' });
    await act('block-code', bad.slug);
    await act('block-target', 'bücher.example', 'copies a bank');
    const byCode = { scope: 'code', host: null, at: AT, reason: 'asks for passwords' };
    const byHost = { scope: 'host', host: 'xn--bcher-kva.example', at: AT, reason: 'copies a bank' };
    const expected = new Map<string, object | null>([
      [fine.id, null],
      [bad.id, byCode],
      [below.id, byHost],
    ]);
    const listed = await read<Code[]>('/api/qrcodes');
    expect(new Map(listed.map(({ id, blocked }) => [id, blocked]))).toEqual(expected);
    for (const [id, blocked] of expected) expect((await readOne(id)).blocked).toEqual(blocked);
    const kept = await read<{ codes: Code[] }>('/api/account/export');
    expect(new Map(kept.codes.map(({ id, blocked }) => [id, blocked]))).toEqual(expected);
    const csv = await host.request('/api/qrcodes/codes.csv', { token: account.token });
    const { rows } = readCsv(Buffer.from(await csv.arrayBuffer()).toString());
    expect(new Map(rows.map((row) => [row.id, [row.blocked_at, row.blocked_reason]]))).toEqual(
      new Map([
        [fine.id, ['', '']],
        [bad.id, [AT, 'asks for passwords']],
        [below.id, [AT, 'copies a bank']],
      ]),
    );
    await act('unblock-code', bad.slug);
    await act('unblock-target', 'bücher.example');
    for (const id of expected.keys()) expect((await readOne(id)).blocked).toBeNull();
    await act('block-code', bad.slug, 'again');
    expect((await readOne(bad.id)).blocked?.reason).toBe('again');
  });

  test('a code cannot be created for a blocked host or changed to link there', async () => {
    await act('block-target', 'evil.example');
    for (const data of ['https://evil.example/', 'LOGIN.EVIL.example', 'https://evil%2Eexample./?a']) {
      const refused = await send('/api/qrcodes', 'POST', formOf({ type: 'link', data, parameters: '{}' }));
      expect([refused.status, (await refused.json()).errors]).toEqual([422, { data: ['link_blocked'] }]);
    }
    const fine = await send(
      '/api/qrcodes',
      'POST',
      formOf({ type: 'link', data: 'notevil.example', parameters: '{}' }),
    );
    const { id } = ((await fine.json()) as { data: Code }).data;
    const changed = await send(`/api/qrcodes/${id}`, 'PATCH', { content: 'https://evil.example/' });
    expect([changed.status, (await changed.json()).errors]).toEqual([422, { content: ['link_blocked'] }]);
    expect((await readOne(id)).content).toBe('https://notevil.example');
  });

  test('a code whose host was blocked can still be renamed, and linked elsewhere', async () => {
    const { id } = await host.code(account.id, { content: 'https://evil.example/' });
    await act('block-target', 'evil.example');
    const renamed = { content: 'https://evil.example/', name: 'Menu' };
    expect((await send(`/api/qrcodes/${id}`, 'PATCH', renamed)).status).toBe(200);
    expect((await send(`/api/qrcodes/${id}`, 'PATCH', { content: 'https://fine.example/' })).status).toBe(
      200,
    );
    expect((await readOne(id)).blocked).toBeNull();
  });

  test('a saved design for a blocked host reports it and becomes no code', async () => {
    const visitor = 'the key of one browser, long enough';
    const fields = JSON.stringify({ type: 'link', content: 'evil.example' });
    const kept = await send('/api/drafts', 'POST', formOf({ visitor, fields }));
    const { id, problems } = ((await kept.json()) as { data: Draft }).data;
    expect(problems).toEqual({});
    await act('block-target', 'evil.example');
    expect((await read<Draft>(`/api/drafts/${id}?visitor=${encodeURIComponent(visitor)}`)).problems).toEqual({
      content: ['link_blocked'],
    });
    const made = await host.db.orm.transaction((orm) =>
      createFromDraft(orm, host.deps, account.id, id, host.clock.now()),
    );
    expect(made).toBeNull();
    expect(await read('/api/dashboard/overview')).toMatchObject({
      unfinishedDesign: { id, reason: 'link_blocked' },
    });
  });

  test('an import refuses rows that link to a blocked host', async () => {
    await act('block-target', 'evil.example');
    const file = new File(['content\nhttps://fine.example\nwww.evil.example\n'], 'codes.csv');
    const answer = await send('/api/imports', 'POST', formOf({ file }));
    const report = ((await answer.json()) as { data: ImportReport }).data;
    expect(report).toMatchObject({
      valid: 1,
      problems: [{ row: 3, column: 'content', value: 'www.evil.example', reason: 'link_blocked' }],
    });
  });

  test('links to a blocked host in a text are not offered', async () => {
    const addresses = ['https://a.example/', 'https://evil.example/', 'https://b.example/'];
    const { slug } = await host.code(account.id, { type: 'text', content: addresses.join(' ') });
    const landing = async () => {
      const answer = await host.request(`/r/${slug}`, JSON_CALLER);
      return ((await answer.json()) as { data: { text: string; links: string[] } }).data;
    };
    const opened = async (n: number) =>
      (await host.request(`/e/${slug}/open?n=${n}`, JSON_CALLER)).headers.get('location');
    expect(await landing()).toMatchObject({ links: addresses });
    expect(await opened(2)).toBe('https://evil.example/');
    await act('block-target', 'evil.example');
    const left = ['https://a.example/', 'https://b.example/'];
    await expect.poll(landing).toMatchObject({ text: addresses.join(' '), links: left });
    expect(await opened(2)).toBe('https://b.example/');
  });
});
