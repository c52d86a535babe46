import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STORED_LOGO_BYTES } from '#host/codes/logos/size';
import { createTestHost, type TestAccount, type TestHost } from '../../support/host';

let host: TestHost;

beforeAll(async () => {
  host = await createTestHost({ settings: { accountLogosBytes: STORED_LOGO_BYTES } });
});
afterAll(() => host.close());

/** A picture of noise, which does not compress. */
async function noise(name: string, side = 170): Promise<File> {
  const raw = { width: side, height: side, channels: 3 as const };
  const png = await sharp(randomBytes(side * side * raw.channels), { raw })
    .png()
    .toBuffer();
  return new File([new Uint8Array(png)], name);
}

async function create({ token }: TestAccount, logo: File) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ type: 'link', data: 'https://a.example', logo }))
    form.set(name, value);
  const answer = await host.request('/api/qrcodes', { method: 'POST', body: form, token });
  const { errors, data } = (await answer.json()) as {
    errors?: Record<string, string[]>;
    data?: { id: string };
  };
  return { status: answer.status, errors, id: data?.id ?? '' };
}

const bytesOf = async (account: TestAccount, id: string) => {
  const answer = await host.request(`/api/qrcodes/${id}/logo`, { token: account.token });
  return Buffer.from(await answer.arrayBuffer());
};

test('a detailed picture is stored with at most 256 kB, and is still a valid PNG', async () => {
  const account = await host.account();
  const { status, id } = await create(account, await noise('photo.png', 640));
  expect(status).toBe(201);
  const png = await bytesOf(account, id);
  expect(png.byteLength).toBeLessThanOrEqual(256 * 1024);
  const { format, width = 0 } = await sharp(png).metadata();
  expect(format).toBe('png');
  expect(width).toBeGreaterThanOrEqual(256);
});

test('the logos of an account have a total size limit, and deleting one makes room', async () => {
  const [account, other] = [await host.account(), await host.account()];
  const made: string[] = [];
  let refused = await create(account, await noise('1.png'));
  while (refused.status === 201) {
    made.push(refused.id);
    refused = await create(account, await noise(`${made.length + 1}.png`));
  }
  expect(made.length).toBeGreaterThanOrEqual(2);
  expect(refused).toMatchObject({ status: 422, errors: { logo: ['logo_total'] } });
  expect((await create(other, await noise('1.png'))).status).toBe(201);
  await host.request(`/api/qrcodes/${made[0]}`, { method: 'DELETE', token: account.token });
  expect((await create(account, await noise('again.png'))).status).toBe(201);
});

test('a logo that an account already has does not count twice', async () => {
  const account = await host.account();
  const logo = await noise('brand.png');
  for (let n = 0; n < 5; n += 1) expect((await create(account, logo)).status).toBe(201);
});

test('codes created concurrently do not exceed the total size', async () => {
  const account = await host.account();
  const logos = await Promise.all(Array.from({ length: 5 }, (_, n) => noise(`${n}.png`)));
  const answers = await Promise.all(logos.map((logo) => create(account, logo)));
  const made = answers.filter(({ status }) => status === 201);
  const sizes = await Promise.all(made.map(async ({ id }) => (await bytesOf(account, id)).byteLength));
  expect(made.length).toBeLessThan(5);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(STORED_LOGO_BYTES);
});
