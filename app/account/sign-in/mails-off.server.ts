import { data } from '@remix-run/node';
import { type MailKind, readMailOffLink, switchMailOff } from '#contract/mail-settings';
import { callHost } from '~/http/host.server';
import { HostError } from '~/http/host-error.server';
import type { Scope } from '~/http/scope.server';
import { readLinkToken } from './mail-link.server';

type OffState = { state: 'on' | 'off'; kind: MailKind } | { state: 'unknown' };

/** Which mails the link of this page switches off, and whether they still come. Opening it changes nothing. */
export async function readOffPage(scope: Scope) {
  const found = await orUnknown(async (): Promise<OffState> => {
    const { kind, isOn } = (await callHost(scope, readMailOffLink, { body: { token: readLinkToken(scope) } }))
      .data;
    return { state: isOn ? 'on' : 'off', kind };
  });
  return data(found, { status: found.state === 'unknown' ? 404 : 200 });
}

/**
 * Switches the mails off: posted by the page's button, or by a mail program (RFC 8058), which is neither signed in nor
 * follows a redirect.
 */
export async function handleMailsOff(scope: Scope) {
  const { state } = await orUnknown(async () => {
    await callHost(scope, switchMailOff, { body: { token: readLinkToken(scope) } });
    return { state: 'off' as const };
  });
  return data({ state }, { status: state === 'unknown' ? 404 : 200 });
}

async function orUnknown<Found>(ask: () => Promise<Found>): Promise<Found | { state: 'unknown' }> {
  try {
    return await ask();
  } catch (thrown) {
    if (!(thrown instanceof HostError)) throw thrown;
    if (!thrown.errors.token) throw data(null, { status: thrown.status });
    return { state: 'unknown' };
  }
}
