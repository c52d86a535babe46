import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { Authenticate } from '#host/http/caller';
import { bearerOf, findCaller } from '#host/http/caller';
import { ApiError } from '#host/http/errors';

const CALLER = {
  accountId: 'a',
  sessionId: 's',
  key: null,
  tag: null,
  email: 'ada@test.example',
  isSubscribed: true,
  position: null,
};

/** The token and the caller of a request with this header. */
async function read(authorization: string | undefined, authenticate: Authenticate) {
  const app = new Hono();
  app.get('/', async (context) =>
    context.json({ token: bearerOf(context) ?? null, caller: await findCaller(context, authenticate) }),
  );
  app.onError((error, context) => context.json({ thrown: error.message }, 500));
  return (await app.request('/', { headers: authorization ? { authorization } : {} })).json();
}

const knows: Authenticate = async () => CALLER;

test.each([
  ['Bearer a.b.c', 'a.b.c'],
  ['bearer a.b.c', 'a.b.c'],
  ['Bearer a b', null],
  ['Bearer ', null],
  ['Basic YTpi', null],
  ['', null],
])('the header %j has the token %j', async (header, token) => {
  expect(await read(header, knows)).toEqual({ token, caller: token && CALLER });
});

test('an ended session has no caller, and an unexpected error is rethrown', async () => {
  const refuses: Authenticate = () => Promise.reject(new ApiError('unauthenticated'));
  expect(await read('Bearer old', refuses)).toEqual({ token: 'old', caller: null });
  const breaks: Authenticate = () => Promise.reject(new Error('the database went away'));
  expect(await read('Bearer good', breaks)).toEqual({ thrown: 'the database went away' });
});
