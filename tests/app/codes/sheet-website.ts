import { expect } from 'vitest';
import { isLayout, layOut } from '~/codes/files/sheet-layouts';
import type { TestAccount } from '../../support/host';
import { createTestWebsite, type TestWebsite } from '../../support/website';

export const PAGE = '/user/qrcodes/sheet';
export const DOWNLOAD = '/user/qrcodes/sheet/download';

/** A website with print sheets and downloads of single codes. */
export function createSheetWebsite(pass?: Parameters<typeof createTestWebsite>[1]): Promise<TestWebsite> {
  const routes = {
    [PAGE]: 'codes/files/sheet-page.tsx',
    [DOWNLOAD]: 'codes/files/sheet-route.ts',
    '/user/qrcodes/:id/download': 'codes/files/download-route.ts',
  };
  return createTestWebsite(routes, pass);
}

export async function makeCodes(
  { host }: TestWebsite,
  as: TestAccount,
  count: number,
): Promise<{ id: string; slug: string }[]> {
  const codes: { id: string; slug: string }[] = [];
  for (let n = 1; n <= count; n += 1) {
    const logoPreset = n % 3 === 0 ? 'heart.svg' : undefined;
    codes.push(
      await host.code(as.id, {
        content: `https://table.example/${n}`,
        ...(logoPreset && { logoPreset }),
      }),
    );
  }
  return codes;
}

export function queryOf(codes: { id: string }[], more: Record<string, string> = {}): string {
  return `?${new URLSearchParams([...codes.map(({ id }) => ['id', id]), ...Object.entries(more)])}`;
}

/** The text decoded at each place of each page. */
export async function readSheet(
  answer: Response,
  layout: string,
  hasCutMarks = false,
): Promise<(string | null)[][]> {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  const { pdfPages } = await import('~/codes/pictures/code-pdf.server');
  const { decodePixels } = await import('~/codes/pictures/decode.server');
  if (!isLayout(layout)) throw new Error(`no layout ${layout}`);
  const { page, places } = layOut(layout, hasCutMarks);
  const read: (string | null)[][] = [];
  for await (const { data, width } of pdfPages(new Uint8Array(await answer.arrayBuffer()), () => 1800)) {
    const scale = width / page.width;
    const texts: (string | null)[] = [];
    for (const place of places) {
      const [left, top] = [Math.ceil(place.x * scale), Math.ceil(place.y * scale)];
      const [across, down] = [Math.floor(place.width * scale), Math.floor(place.height * scale)];
      const pixels = new Uint8Array(across * down * 4);
      for (let row = 0; row < down; row += 1) {
        const from = ((top + row) * width + left) * 4;
        pixels.set(data.subarray(from, from + across * 4), row * across * 4);
      }
      texts.push(await decodePixels({ data: pixels, width: across, height: down }));
    }
    read.push(texts);
  }
  return read;
}

/** What the codes on a sheet contain. */
export const addresses = (codes: { slug: string }[]) =>
  codes.map(({ slug }) => expect.stringMatching(new RegExp(`/R/${slug}$`)));
