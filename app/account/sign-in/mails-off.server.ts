import { data } from '@remix-run/node';
import { type MailKind, readMailOffLink, switchMailOff } from '#contract/mail-settings';
import { callHost } from '~/http/host.server';
import { orUnknownLink, readLinkToken } from '~/http/link-page.server';
import type { Scope } from '~/http/scope.server';

type OffState = { state: 'on' | 'off'; kind: MailKind } | { state: 'unknown' };

/** Which mails the link of this page switches off, and whether they still come. Opening it changes nothing. */
export async function readOffPage(scope: Scope) {
  const body = { token: readLinkToken(scope) };
  const found = await orUnknownLink(callHost(scope, readMailOffLink, { body }));
  if (!found) return data<OffState>({ state: 'unknown' }, { status: 404 });
  const { kind, isOn } = found.data;
  return data<OffState>({ state: isOn ? 'on' : 'off', kind });
}

/**
 * Switches the mails off: posted by the page's button, or by a mail program (RFC 8058), which is neither signed in nor
 * follows a redirect.
 */
export async function handleMailsOff(scope: Scope) {
  const body = { token: readLinkToken(scope) };
  const done = await orUnknownLink(callHost(scope, switchMailOff, { body }));
  return data({ state: done ? 'off' : 'unknown' }, { status: done ? 200 : 404 });
}
