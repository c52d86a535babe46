import { changeTimeZone } from '#contract/accounts';
import { TimeZone } from '#contract/time-zones';
import { readForm } from '~/http/form.server';
import { callHost } from '~/http/host.server';
import type { RequestContext } from '~/http/scope.server';

/** Stores the browser's time zone in an account that has none; status 422 for a zone that only the browser knows. */
export async function storeGuessedZone(requestContext: RequestContext, token: string): Promise<Response> {
  const form = await readForm(requestContext, ['timeZone']);
  const read = TimeZone.safeParse(form.get('timeZone'));
  if (!read.success) return new Response(null, { status: 422 });
  const body = { timeZone: read.data, onlyIfUnset: true };
  await callHost(requestContext, changeTimeZone, { body, token });
  return new Response(null, { status: 204 });
}
