import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '#contract/jobs';
import { DEFAULT_STYLE } from '#contract/style-rules';
import type { SavedStyle } from '#contract/styles';
import { styles } from '#host/db/codes.tables';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { importCalls } from './import-calls';

const DOTS = { moduleShape: 'dots' };
const BARS = { moduleShape: 'bars-vertical', cornerColour: '#a4210d' };

describe('looks of imported codes', () => {
  let host: TestHost;
  let account: TestAccount;

  beforeAll(async () => {
    host = await createTestHost();
  });
  beforeEach(async () => {
    account = await host.account();
  });
  afterAll(() => host.close());

  const { upload, start, read, run, own } = importCalls(() => ({ host, account }));

  test('new codes get a copy of the chosen look, and none without a choice', async () => {
    const saveLook = async (body: object, as = account) => {
      const answer = await send(host, 'POST', '/api/styles', body, as);
      return (answer.body.data as SavedStyle).id;
    };
    const importOne = async (url: string, body: object) => {
      const { data } = await upload(`url\n${url}\n`);
      const started = await start(data.id, body);
      await run();
      return { ...started, importId: data.id };
    };
    const dots = await saveLook({ name: 'Dots', style: DOTS });
    expect(await importOne('https://early.example/', { style: 'default' })).toMatchObject({ status: 201 });
    const bars = await saveLook({ name: 'Bars', style: BARS, isDefault: true });
    await importOne('https://silent.example/', {});
    await importOne('https://none.example/', { style: 'none' });
    await importOne('https://default.example/', { style: 'default' });
    const { data: job } = await importOne('https://chosen.example/', { style: dots });
    const { data: waiting } = await upload('url\nhttps://later.example/\n');
    await start(waiting.id, { style: bars });
    await send(host, 'DELETE', `/api/styles/${bars}`, undefined, account);
    await run();
    expect((await own()).map(({ content, style }) => [content, style])).toEqual([
      ['https://early.example/', null],
      ['https://silent.example/', null],
      ['https://none.example/', null],
      ['https://default.example/', { ...DEFAULT_STYLE, ...BARS }],
      ['https://chosen.example/', { ...DEFAULT_STYLE, ...DOTS }],
      ['https://later.example/', { ...DEFAULT_STYLE, ...BARS }],
    ]);
    const foreign = await saveLook({ name: 'Foreign', style: DOTS }, await host.account());
    for (const style of [bars, foreign, randomUUID(), 'ink'])
      expect(await importOne('https://refused.example/', { style })).toMatchObject({
        status: 422,
        errors: { style: ['style_unknown'] },
      });
    expect(await own()).toHaveLength(6);
    expect((await read<Job>(`/api/jobs/${job.id}`)).data).toMatchObject({ status: 'done', succeeded: 1 });
  });

  test('a look saved under other rules is refused with what is wrong with it', async () => {
    const saved = await send(host, 'POST', '/api/styles', { name: 'Old', style: DOTS }, account);
    const { id } = saved.body.data as SavedStyle;
    const { data } = await upload('url\nhttps://a.example/\n');
    for (const [style, reason] of [
      [{ ...DEFAULT_STYLE, frame: 'badge', caption: '漢字' }, 'caption_letters'],
      [{ ...DEFAULT_STYLE, version: 99 }, 'style_version'],
    ] as const) {
      await host.db.orm.update(styles).set({ style }).where(eq(styles.id, id));
      expect(await start(data.id, { style: id })).toMatchObject({ status: 422, errors: { style: [reason] } });
    }
  });
});
