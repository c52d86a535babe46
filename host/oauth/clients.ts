import { z } from 'zod';
import { isVerifiedClient } from '#contract/api-keys';
import { BIDI_CONTROLS, withoutInvisible } from '#contract/invisible';
import { firstCharacters, isStorable } from '#contract/storable';

const NAME_LENGTH = 60;
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** What is kept of what a client says about itself; the rest is never shown. */
const Metadata = z.object({
  redirect_uris: z.array(z.string().max(500).refine(isStorable)).min(1).max(20),
  client_name: z.string().max(200).optional().catch(undefined),
});

/**
 * The metadata of a client as a public one of this server, whatever else it asks for (RFC 7591, section 2): none has a
 * secret. Of unreadable ones nothing is left, which the library refuses.
 */
export function publicClient(given: unknown): object {
  const read = Metadata.safeParse(given);
  if (!read.success) return {};
  const { redirect_uris, client_name } = read.data;
  const { client_id } = given as { client_id?: unknown };
  const name = cleaned(client_name ?? '');
  // A web client has only https addresses; the library checks those of a native one.
  const isWeb = redirect_uris.every((uri) => uri.startsWith('https://'));
  return {
    ...(typeof client_id === 'string' && { client_id }),
    ...(name !== '' && { client_name: name }),
    redirect_uris,
    application_type: isWeb ? 'web' : 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

export interface ShownClient {
  name: string;
  /** Of the address that the client was read from; null if it was not. */
  host: string | null;
  /** The host to which the answer goes; null for the device of the user. */
  answersTo: string | null;
}

/** A client as its user gets to see it. */
export function showClient(clientId: string, name: string | undefined, redirectUri: string): ShownClient {
  const { protocol, hostname, host } = new URL(redirectUri);
  const isHere = !/^https?:$/.test(protocol) || LOOPBACK.test(hostname);
  const answersTo = isHere ? null : host;
  const ownHost = isVerifiedClient(clientId) ? new URL(clientId).host : null;
  return { name: name ?? ownHost ?? answersTo ?? protocol, host: ownHost, answersTo };
}

/** In one line, without what could make it look like something else. */
function cleaned(name: string): string {
  const plain = withoutInvisible(name).replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, ' ');
  const shown = plain.replace(new RegExp(BIDI_CONTROLS, 'g'), '').replace(/\s+/g, ' ').trim();
  return firstCharacters(shown, NAME_LENGTH).trim();
}
