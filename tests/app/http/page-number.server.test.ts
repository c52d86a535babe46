import { expect, test } from 'vitest';
import { readNotices } from '~/http/flash.server';
import { readPageNumber, requireRows } from '~/http/page-number.server';
import { scopeOf } from '../../support/scope';

const scopeAt = (path: string) => scopeOf(new Request(`http://localhost${path}`));

async function redirectOf(reading: Promise<unknown>): Promise<Response> {
  const thrown = await reading.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Response)) throw new Error('there was no redirect');
  return thrown;
}

test.each([
  ['/codes', 1],
  ['/codes?page=1', 1],
  ['/codes?page=20', 20],
  ['/codes?page=99999', 99_999],
])('%s is a page', async (path, page) => {
  expect(await readPageNumber(await scopeAt(path))).toBe(page);
});

test.each(['0', '-1', '01', '1.5', '1e3', '2x', 'x2', ' 2', '', '100000'])(
  'the page "%s" redirects to the first one with a notice, and the other parameters are kept',
  async (page) => {
    const path = `/codes?${new URLSearchParams({ search: 'é', page })}`;
    const response = await redirectOf(readPageNumber(await scopeAt(path)));
    expect([response.status, response.headers.get('location')]).toEqual([303, '/codes?search=%C3%A9']);
    const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
    const notices = await readNotices(new Request('http://localhost/codes', { headers: { cookie } }));
    expect(notices).toMatchObject([{ type: 'info', key: 'no_such_page' }]);
  },
);

test('a page beyond the last redirects to the first one, which may itself be empty', async () => {
  const response = await redirectOf(requireRows(await scopeAt('/codes?page=2'), 2, []));
  expect(response.headers.get('location')).toBe('/codes');
  await expect(requireRows(await scopeAt('/codes'), 1, [])).resolves.toBeUndefined();
  await expect(requireRows(await scopeAt('/codes?page=2'), 2, ['a code'])).resolves.toBeUndefined();
});
