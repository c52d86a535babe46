import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { Code, updateCode } from '#contract/codes';
import { makeApiKey } from '../../support/api-keys';
import { createTestHost, START, type TestAccount, type TestHost } from '../../support/host';
import { become, saveDraft } from './draft-calls';
import { importCalls } from './import-calls';
import { jobCalls } from './job-calls';
import { postCode } from './posted-codes';
import { problemsOf, routingCalls, to } from './routing-calls';

let host: TestHost;
let owner: TestAccount;
let calls: ReturnType<typeof routingCalls>;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());
beforeEach(async () => {
  host.clock.set(START);
  owner = await host.account();
  calls = routingCalls(host, owner.token);
});

const patch = (id: string, body: z.input<typeof updateCode.body>) => calls.send('PATCH', id, body);

async function changed(id: string, body: z.input<typeof updateCode.body>): Promise<Code> {
  const answered = await patch(id, body);
  if (!answered.ok) throw new Error(await answered.text());
  return ((await answered.json()) as { data: Code }).data;
}

async function locationOf(slug: string, headers: Record<string, string> = {}) {
  return (await host.request(`/r/${slug}`, { headers })).headers.get('location');
}

const JSON_BODY = { 'content-type': 'application/json' };
const LEADS = 'https://destination.example/';

describe('the address that visitors get', () => {
  test('has the parameters of the code, and follows its name and tags', async () => {
    const code = await host.code(owner.id);
    const saved = await changed(code.id, {
      campaign: { utm_source: '{tag}', utm_medium: 'print', utm_campaign: '{name}', ref: '{id}' },
    });
    expect(saved).toMatchObject({
      content: LEADS,
      campaign: { utm_source: '{tag}', utm_medium: 'print', utm_campaign: '{name}', ref: '{id}' },
      finalAddress: `${LEADS}?utm_medium=print&ref=${code.slug}`,
    });
    await expect.poll(() => locationOf(code.slug)).toBe(`${LEADS}?utm_medium=print&ref=${code.slug}`);
    await changed(code.id, { name: 'Été', tags: ['flyer', 'b'] });
    const renamed = `${LEADS}?utm_source=flyer&utm_medium=print&utm_campaign=%C3%89t%C3%A9&ref=${code.slug}`;
    await expect.poll(() => locationOf(code.slug)).toBe(renamed);
    await changed(code.id, { tags: ['b'] });
    await expect.poll(() => locationOf(code.slug)).toContain('utm_source=b&');
    await changed(code.id, { campaign: null });
    await expect.poll(() => locationOf(code.slug)).toBe(LEADS);
  });

  test('keeps what the target of a rule says itself, and replaces it in the address and its schedule', async () => {
    const code = await host.code(owner.id, { content: 'https://destination.example/?utm_source=own&a=1#x' });
    await calls.add(code.id, { languages: ['de'], variants: to('https://de.example/?utm_source=rule') });
    const later = new Date(START.getTime() + 60_000).toISOString();
    await calls.update(code.id, { schedule: { at: later, target: 'https://next.example/?utm_source=own' } });
    await changed(code.id, { campaign: { utm_source: 'flyer', utm_medium: 'print' } });
    const added = 'utm_medium=print';
    await expect.poll(() => locationOf(code.slug)).toBe(`${LEADS}?utm_source=flyer&a=1&${added}#x`);
    expect(await locationOf(code.slug, { 'accept-language': 'de' })).toBe(
      `https://de.example/?utm_source=rule&${added}`,
    );
    host.clock.advance(120_000);
    expect(await locationOf(code.slug)).toBe(`https://next.example/?utm_source=flyer&${added}`);
  });
});

describe('parameters are refused', () => {
  test.each([
    [{ utm_source: '{nmae}' }, { utm_source: ['campaign_word_unknown'] }],
    [{ 'a b': 'x' }, { 'a b': ['campaign_name_invalid'] }],
    [{ utm_term: 'x'.repeat(101) }, { utm_term: ['campaign_value_too_long'] }],
    [
      { utm_term: 'x'.repeat(100), utm_content: 'x'.repeat(100), utm_source: 'x'.repeat(20) },
      { campaign: ['campaign_too_long'] },
    ],
  ])('%j', async (campaign, errors) => {
    const code = await host.code(owner.id);
    expect(await problemsOf(await patch(code.id, { campaign }))).toEqual([422, errors]);
    const created = await postCode(host, owner.token, { parameters: JSON.stringify({ campaign }) });
    expect([created.status, created.body.errors]).toEqual([422, errors]);
  });

  test('for codes that are no links', async () => {
    const code = await host.code(owner.id, { type: 'text', content: 'Hello' });
    expect(await problemsOf(await patch(code.id, { campaign: { utm_source: 'x' } }))).toEqual([
      422,
      { campaign: ['campaign_unsupported'] },
    ]);
    expect(await problemsOf(await patch(code.id, { campaign: null }))).toEqual([200, undefined]);
  });

  test('if with them the address opens a code', async () => {
    const code = await host.code(owner.id, { content: 'https://www.quadrille.example/login' });
    const campaign = { redirectTo: '/r/7K2M9QXA' };
    expect(await problemsOf(await patch(code.id, { campaign }))).toEqual([422, { campaign: ['link_own'] }]);
  });

  test('by the length of every target', async () => {
    const code = await host.code(owner.id);
    const long = `https://de.example/${'x'.repeat(230)}`;
    await calls.add(code.id, { languages: ['de'], variants: to(long) });
    expect(await problemsOf(await patch(code.id, { campaign: { utm_source: 'flyer' } }))).toEqual([
      422,
      { campaign: ['campaign_too_long'] },
    ]);
  });

  test('as is a name, a tag or an address that would make them too long', async () => {
    const code = await host.code(owner.id, { content: `https://example.com/${'x'.repeat(150)}` });
    await changed(code.id, { campaign: { utm_campaign: '{name}', utm_source: '{tag}' } });
    const name = 'n'.repeat(75);
    expect(await problemsOf(await patch(code.id, { name }))).toEqual([422, { name: ['campaign_too_long'] }]);
    expect(await problemsOf(await patch(code.id, { tags: ['é'.repeat(30)] }))).toEqual([
      422,
      { tags: ['campaign_too_long'] },
    ]);
    const content = `https://example.com/${'x'.repeat(235)}`;
    await changed(code.id, { name: 'n' });
    expect(await problemsOf(await patch(code.id, { content }))).toEqual([
      422,
      { content: ['campaign_too_long'] },
    ]);
  });
});

test('a change is in the history, in which the parameters before can be sent back', async () => {
  const code = await host.code(owner.id);
  await changed(code.id, { campaign: { utm_source: 'a', ref: 'b' } });
  host.clock.advance(1_000);
  await changed(code.id, { campaign: { ref: 'c' } });
  const [last, first] = await calls.changes(code.id);
  expect(first).toMatchObject({ field: 'campaign', before: '', after: '{"utm_source":"a","ref":"b"}' });
  expect(last).toMatchObject({ field: 'campaign', before: first?.after, after: '{"ref":"c"}' });
  const back = await changed(code.id, { campaign: JSON.parse(last?.before ?? '') });
  expect(back.campaign).toEqual({ utm_source: 'a', ref: 'b' });
});

test('a new code has them, and so has its copy', async () => {
  const { status, body } = await postCode(host, owner.token, {
    data: 'example.com',
    name: 'Spring',
    parameters: JSON.stringify({ campaign: { utm_campaign: '{name}' } }),
  });
  expect(status).toBe(201);
  expect(body.data).toMatchObject({
    content: 'https://example.com',
    finalAddress: 'https://example.com/?utm_campaign=Spring',
  });
  const copied = await calls.send('POST', `${body.data.id}/copies`, { name: 'Summer' });
  expect(((await copied.json()) as { data: Code }).data).toMatchObject({
    campaign: { utm_campaign: '{name}' },
    finalAddress: 'https://example.com/?utm_campaign=Summer',
  });
});

test('the address stays stored as typed: this is what the daily check asks', async () => {
  const code = await host.code(owner.id);
  await changed(code.id, { campaign: { utm_source: 'flyer' } });
  const [row] = await host.db.query<{ content: string }>({
    name: '',
    text: 'select content from codes where id = $1',
    values: [code.id],
  });
  expect(row?.content).toBe(LEADS);
});

describe('many codes', () => {
  const { upload, start, run, own } = importCalls(() => ({ host, account: owner }));
  const jobs = jobCalls(() => ({ host, account: owner }));

  test('are imported with the columns of their parameters', async () => {
    const { data } = await upload(
      [
        'content,type,name,tags,utm_source,UTM Medium,utm_campaign,utm_more',
        'https://a.example/,,Window,shop,{tag},print,{name},ref={id}',
        'https://a.example/,,,,,,,',
        'https://a.example/,,Door,shop,{tag},print,{name},ref={id}',
        'Hello there,text,,,x,,,',
        'https://b.example/,,,,{nmae},,,',
        'https://b.example/,,,,x,,,a b=1',
        'https://b.example/,,,,,,,ref=R&D',
        `https://b.example/${'x'.repeat(230)},,,,flyer,,,`,
      ].join('\n'),
    );
    expect(data.problems.map(({ row, field, reason }) => [row, field, reason])).toEqual([
      [6, 'utm_source', 'campaign_word_unknown'],
      [7, 'utm_more', 'campaign_name_invalid'],
      [8, 'utm_more', 'campaign_equals_missing'],
      [9, 'utm_campaign', 'campaign_too_long'],
    ]);
    expect(data.duplicates).toEqual([{ row: 4, of: 2 }]);
    await start(data.id, { skipDuplicates: true });
    await run();
    expect((await own()).map(({ content, campaign }) => [content, campaign])).toEqual([
      [
        'https://a.example/',
        { utm_source: '{tag}', utm_medium: 'print', utm_campaign: '{name}', ref: '{id}' },
      ],
      ['https://a.example/', null],
      ['Hello there', null],
    ]);
    const exported = await (await host.request('/api/qrcodes/codes.csv', { token: owner.token })).text();
    expect(exported).toContain(',{tag},print,{name},,,ref={id},https://a.example/?utm_source=shop');
  });

  test('are imported as they were exported', async () => {
    const campaign = { ref: 'R&D=1', x: '50%', y: '%26' };
    await host.code(owner.id, { content: 'https://a.example/', campaign });
    const exported = await (await host.request('/api/qrcodes/codes.csv', { token: owner.token })).text();
    const { data } = await upload(exported);
    expect(data.problems).toEqual([]);
    await start(data.id, { skipDuplicates: false });
    await run();
    expect((await own()).map((code) => code.campaign)).toEqual([campaign, campaign]);
  });

  test('get the same parameters, or none, after a look at every address', async () => {
    const link = await host.code(owner.id, { name: 'Window', campaign: { utm_term: 'old' } });
    const long = await host.code(owner.id, { content: `https://example.com/${'x'.repeat(230)}` });
    const text = await host.code(owner.id, { type: 'text', content: 'Hello' });
    const ids = [link.id, long.id, text.id];
    const retarget = { kind: 'campaign', campaign: { utm_source: 'flyer', utm_campaign: '{name}' } };
    const { body } = await jobs.call<{ data: { changes: object[]; leftOut: object[] } }>(
      'POST',
      '/api/jobs/retarget-preview',
      { ids, retarget },
    );
    expect(body.data).toMatchObject({
      changed: 1,
      changes: [
        {
          id: link.id,
          before: `${LEADS}?utm_term=old`,
          after: `${LEADS}?utm_source=flyer&utm_campaign=Window`,
        },
      ],
      left: 2,
      leftOut: [
        { id: text.id, reason: 'not_link' },
        { id: long.id, reason: 'campaign_too_long' },
      ],
    });
    await jobs.call('POST', '/api/jobs', { act: 'retarget', ids: [link.id], retarget });
    expect((await own())[0]?.campaign).toEqual(retarget.campaign);
    await jobs.call('POST', '/api/jobs', {
      act: 'retarget',
      ids: [link.id],
      retarget: { kind: 'campaign', campaign: null },
    });
    expect((await own())[0]?.campaign).toBeNull();
  });

  test('a changed address that would be too long with them is left out', async () => {
    const link = await host.code(owner.id, { campaign: { utm_source: 'flyer' } });
    const { body } = await jobs.call<{ data: object }>('POST', '/api/jobs/retarget-preview', {
      ids: [link.id],
      retarget: { kind: 'set', target: `https://example.com/${'x'.repeat(225)}` },
    });
    expect(body.data).toMatchObject({ leftOut: [{ reason: 'campaign_too_long' }] });
  });
});

test('a program makes a code with them', async () => {
  const { secret } = await makeApiKey(host, owner);
  const create = (body: object) =>
    host.request('/api/v1/codes', {
      method: 'POST',
      token: secret,
      headers: JSON_BODY,
      body: JSON.stringify(body),
    });
  const made = await create({ type: 'link', content: 'a.example', campaign: { utm_source: 'api' } });
  expect(((await made.json()) as { data: Code }).data).toMatchObject({
    campaign: { utm_source: 'api' },
    finalAddress: 'https://a.example/?utm_source=api',
  });
  const refused = await create({ type: 'link', content: 'a.example', campaign: { utm_source: '{x}' } });
  expect(await refused.json()).toMatchObject({
    errors: [{ pointer: '/campaign/utm_source', code: 'campaign_word_unknown' }],
  });
});

test('a saved design becomes a code with them, and says what is wrong', async () => {
  const save = (fields: object) => saveDraft(host, { fields: JSON.stringify(fields) });
  const fields = { type: 'link', content: 'a.example', name: 'Window', utm_source: '{name}' };
  const good = await save(fields);
  expect(good.data.problems).toEqual({});
  const id = (await become(host, owner.id, good.data.id)) ?? '';
  expect(await changed(id, {})).toMatchObject({ finalAddress: 'https://a.example/?utm_source=Window' });
  const bad = await save({ ...fields, utm_more: 'a b=1' });
  expect(bad.data.problems).toEqual({ utm_more: ['campaign_name_invalid'] });
  const long = await save({ ...fields, utm_term: 'x'.repeat(100), utm_content: 'é'.repeat(50) });
  expect(long.data.problems).toEqual({ utm_campaign: ['campaign_too_long'] });
  const text = await save({ ...fields, type: 'text', utm_more: 'a b=1' });
  expect(text.data.problems).toEqual({});
});
