import { strFromU8, unzipSync } from 'fflate';
import { expect } from 'vitest';
import { readCsv } from '../../host/statistics/read-csv';
import type { TestAccount } from '../../support/host';
import { insertManyCodes } from '../../support/many-codes';
import { createTestWebsite, type TestWebsite } from '../../support/website';

export const DOWNLOAD = '/user/qrcodes/zip/download';

/** A website with ZIP files and downloads of single codes. */
export function createZipWebsite(pass?: Parameters<typeof createTestWebsite>[1]): Promise<TestWebsite> {
  const routes = {
    '/user/qrcodes/zip': 'codes/files/zip-page.tsx',
    '/user/qrcodes/zip/download': 'codes/files/zip-route.ts',
    '/user/qrcodes/:id/download': 'codes/files/download-route.ts',
  };
  return createTestWebsite(routes, pass);
}

export async function makeCodes({ host }: TestWebsite, as: TestAccount, count: number): Promise<string[]> {
  return (await insertManyCodes(host, as.id, count, 1)).map(({ id }) => id);
}

export function queryOf(ids: string[], more: Record<string, string> = {}): string {
  return `?${new URLSearchParams([...ids.map((id) => ['id', id]), ...Object.entries({ sort: 'list', ...more })])}`;
}

/** The files in a ZIP, and the rows of the table among them. */
export async function openZip(response: Response) {
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
  const { rows } = readCsv(`\uFEFF${strFromU8(files['codes.csv'] ?? new Uint8Array())}`);
  return { files, rows };
}
