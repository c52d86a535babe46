import { createServer, type Server } from 'node:http';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { interactionPolicy, Provider } from 'oidc-provider';

const KEY_ID = 'journeys';

/** How the provider behaves: `good`, or with one fault in its claims. The rest of the flow is real. */
const BEHAVIOURS = ['good', 'foreign-mailbox', 'unverified'] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

interface Options {
  port: number;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}

/** A real OpenID provider in place of Google. Its only page has fields for e-mail address and behaviour. */
export async function startGoogle({ port, clientId, clientSecret, redirectUri }: Options): Promise<Server> {
  const issuer = `http://127.0.0.1:${port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const policy = interactionPolicy.base();
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);
  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: KEY_ID, use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a secret of the provider of the journeys'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { policy, url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    ttl: { Session: 600, Interaction: 600, Grant: 600, IdToken: 600, AccessToken: 600 },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => {
        const { email, behaviour } = readAccount(accountId);
        return { sub: accountId, email, email_verified: behaviour !== 'unverified' };
      },
    }),
    loadExistingGrant: async ({
      oidc,
    }: {
      oidc: { session?: { accountId?: string }; client?: { clientId: string } };
    }) => {
      const grant = new provider.Grant({
        accountId: oidc.session?.accountId,
        clientId: oidc.client?.clientId,
      });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    await next();
    const body = context.body as { id_token?: string } | undefined;
    if (context.oidc?.route !== 'token' || !body?.id_token) return;
    body.id_token = await new SignJWT(distortClaims(decodeJwt(body.id_token)))
      .setProtectedHeader({ alg: 'RS256', kid: KEY_ID })
      .sign(privateKey);
  });

  const handle = provider.callback();
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/interaction/')) return handle(request, response);
    if (request.method === 'GET') {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      return response.end(page());
    }
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const form = new URLSearchParams(text);
      const accountId = `${form.get('behaviour')}:${form.get('email')}`;
      const result = { login: { accountId }, select_account: {} };
      provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    });
  });
  server.listen(port, '127.0.0.1');
  return server;
}

function readAccount(accountId: string): { behaviour: Behaviour; email: string } {
  const [behaviour, email = ''] = accountId.split(':');
  return { behaviour: BEHAVIOURS.find((one) => one === behaviour) ?? 'good', email };
}

function distortClaims(claims: JWTPayload): JWTPayload {
  const { behaviour } = readAccount(claims.sub ?? '');
  return behaviour === 'good' ? { ...claims, hd: 'test.example' } : claims;
}

function page(): string {
  const options = BEHAVIOURS.map((name) => `<option>${name}</option>`).join('');
  return `<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,">
    <form method="post"><label>Address <input name="email"></label>
    <label>Token <select name="behaviour">${options}</select></label>
    <button>Continue</button></form></html>`;
}
