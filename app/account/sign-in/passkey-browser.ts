/**
 * The browser's side of Web Authentication; not every browser with passkeys has the built-in JSON conversion.
 */

/** Creates a passkey; rejects when the visitor or the browser refuses. */
export async function createCredential(options: PublicKeyCredentialCreationOptionsJSON): Promise<string> {
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: options.excludeCredentials?.map((known) => ({ ...known, id: bytesOf(known.id) })),
  } as PublicKeyCredentialCreationOptions;
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  const response = made.response as AuthenticatorAttestationResponse;
  return jsonOf(made, {
    clientDataJSON: textOf(response.clientDataJSON),
    attestationObject: textOf(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  });
}

/** Signs with a passkey of the visitor's choice; rejects when there is none. */
export async function getCredential(options: PublicKeyCredentialRequestOptionsJSON): Promise<string> {
  const { allowCredentials: _, ...plain } = options;
  const publicKey = { ...plain, challenge: bytesOf(options.challenge) } as PublicKeyCredentialRequestOptions;
  const used = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  const response = used.response as AuthenticatorAssertionResponse;
  return jsonOf(used, {
    clientDataJSON: textOf(response.clientDataJSON),
    authenticatorData: textOf(response.authenticatorData),
    signature: textOf(response.signature),
  });
}

function jsonOf({ id, rawId, type }: PublicKeyCredential, response: object): string {
  return JSON.stringify({ id, rawId: textOf(rawId), type, response });
}

function bytesOf(base64url: string): Uint8Array {
  const text = atob(base64url.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

function textOf(buffer: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return text.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}
