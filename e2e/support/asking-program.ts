import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'openid-client';
import { WEB_PORT } from './ports';

const SITE = `http://localhost:${WEB_PORT}`;

/** A program on this machine that asks for access by OAuth, as a library for clients does. */
export async function askingProgram(client_name: string, redirect = 'http://127.0.0.1/callback') {
  const options: oauth.DynamicClientRegistrationRequestOptions = {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
  };
  const metadata = { client_name, redirect_uris: [redirect] };
  const config = await oauth.dynamicClientRegistration(new URL(SITE), metadata, oauth.None(), options);
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: redirect,
    scope: 'read change',
    resource: `${SITE}/api/v1`,
    state: 'begun',
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  return {
    /** Where it sends the browser of its user, on this site. */
    path: url.pathname + url.search,
    tokensFor: (callback: string) =>
      oauth.authorizationCodeGrant(config, new URL(callback), { pkceCodeVerifier, expectedState: 'begun' }),
  };
}

/** Answers browsers that come back to a program; an origin of its own, as programs have. */
export async function programServer() {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!DOCTYPE html><title>Program</title><h1>Back</h1>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    redirect: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    close: () => server.close(),
  };
}
