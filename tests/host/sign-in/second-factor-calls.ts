import { codeAt, setUpAuthenticator } from '../../support/authenticator';
import type { TestAccount, TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

export const SECOND_FACTOR = '/api/account/second-factor';
/** How long an authenticator app shows a code. */
export const STEP_MS = 30_000;

/** What the owner of the current test's account does with two-step login. */
export function secondFactorCalls(current: () => { host: TestHost; account: TestAccount }) {
  function call(method: string, path: string, body?: unknown, token = current().account.token) {
    return send(current().host, method, path, body, { token });
  }

  function proof(code: string) {
    return { currentPassword: current().account.password, code };
  }

  function codeNow(secret: string, skew = 0): string {
    return codeAt(secret, current().host.clock.now(), skew);
  }

  function logIn(fields: Record<string, unknown> = {}) {
    const { host, account } = current();
    const body = { email: account.email, password: account.password, ...fields };
    return send(host, 'POST', '/api/login_check', body);
  }

  async function challengeOf(fields: Record<string, unknown> = {}): Promise<string> {
    const { body } = await logIn(fields);
    return (body as { challenge: string }).challenge;
  }

  function complete(challenge: string, code: string, on: Pick<TestHost, 'request'> = current().host) {
    return send(on, 'POST', '/api/login_check/code', { challenge, code });
  }

  /** Turns the second factor on and advances to a fresh time step. */
  async function withSecondFactor() {
    const { host, account } = current();
    const authenticator = await setUpAuthenticator(host, account);
    host.clock.advance(STEP_MS);
    return authenticator;
  }

  return { call, proof, codeNow, logIn, challengeOf, complete, withSecondFactor };
}
